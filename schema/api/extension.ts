import { z } from 'zod'
import { planTypeSchema } from '../catalogue/plans.ts'
import { endpoint } from './endpoint.ts'
import { apiErrorSchema } from './error.ts'

export const getActiveExtensionToken = endpoint({
  method: 'GET',
  path: '/api/extension-token/active',
  summary: 'Whether the caller has a working long-lived token',
  auth: 'user',
  limit: 'read',
  response: z.object({
    hasActive: z.boolean(),
    created_at: z.iso.datetime().nullable(),
    expires_at: z.iso.datetime().nullable(),
    /** To the minute. */
    last_used_at: z.iso.datetime().nullable(),
  }),
})

export const generateExtensionToken = endpoint({
  method: 'POST',
  path: '/api/extension-token/generate',
  summary: 'Make a long-lived token, shown this once; the one before ends',
  auth: 'user',
  limit: 'write',
  response: z.object({ access_token: z.string(), expires_at: z.iso.datetime() }),
})

export const revokeExtensionToken = endpoint({
  method: 'POST',
  path: '/api/extension-token/revoke',
  summary: 'End the long-lived token; harmless when there is none',
  auth: 'user',
  limit: 'write',
  response: z.object({ success: z.literal(true), revoked: z.boolean() }),
})

/** Whose credits: the user's own, or those of an organization in which the user has a seat. */
const payerSchema = z
  .string()
  .max(64)
  .regex(/^(personal|org_\w+)$/, 'personal, or the id of an organization')

const balanceSchema = z.object({
  payer: payerSchema,
  /** What can be spent now. With a debt on one of the accounts that is nothing. */
  available: z.int(),
  plan: z.int(),
  purchased: z.int(),
  /** Time to suggest a top-up. */
  low: z.boolean(),
})
export type ExtensionBalance = z.infer<typeof balanceSchema>

export const getExtensionBalance = endpoint({
  method: 'GET',
  path: '/api/extension/balance',
  summary: 'The balance of a payer; 304 while it is what If-None-Match says',
  auth: 'extension',
  limit: 'extension',
  query: z.strictObject({ payer: payerSchema.default('personal') }),
  response: balanceSchema.extend({
    plan_type: planTypeSchema,
    /** Grows with every movement. */
    version: z.int(),
    as_of: z.iso.datetime(),
  }),
  also: { 304: { description: 'Nothing has changed since the ETag that If-None-Match names' } },
})

/** Told to the person whose editor reports: nothing that would look like another line, or hide what stands there. */
const unshowable = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

const usageRefusalSchema = apiErrorSchema.extend({
  code: z.literal('insufficient_credits'),
  payer: payerSchema,
  required: z.int(),
  available: z.int(),
  plan: z.int(),
  purchased: z.int(),
  /** What must be settled first. */
  debt: z.int(),
  /** The page on which this payer buys credits. */
  buy_url: z.url(),
})
export type UsageRefusal = Omit<z.infer<typeof usageRefusalSchema>, keyof z.infer<typeof apiErrorSchema>>

export const reportUsage = endpoint({
  method: 'POST',
  path: '/api/extension/usage',
  summary: 'Spend credits of a payer, plan credits first; a retry with the same key is charged once',
  auth: 'extension',
  limit: 'extension',
  body: z.strictObject({
    credits: z.int().min(1).max(10_000),
    payer: payerSchema.default('personal'),
    /** The reporter's own name for this usage, unique for its user and payer. */
    idempotency_key: z.string().regex(/^[\x21-\x7e]{1,100}$/, '1 to 100 visible ASCII characters'),
    /** Shown in the history. */
    description: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .refine((text) => !unshowable.test(text), 'description must not hold control characters')
      .default('Extension usage'),
  }),
  response: z.object({
    success: z.literal(true),
    /** What this report costs, whether it was charged now or before. */
    charged: z.int(),
    /** True when the same report had been charged before. */
    replayed: z.boolean(),
    /** As it is now. */
    balance: balanceSchema,
  }),
  also: {
    402: { description: 'The payer has not enough credits; nothing was charged', schema: usageRefusalSchema },
  },
})
