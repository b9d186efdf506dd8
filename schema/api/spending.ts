import * as z from 'zod/mini'
import {
  editorBalanceSchema,
  namedPayer,
  nearestBudgetSchema,
  noSeat,
  otherPayers,
} from './editor-balance.ts'
import { endpoint } from './endpoint.ts'
import { apiErrorSchema } from './error.ts'
import { payerSchema, userIdSchema } from './ids.ts'

/** It is shown to people: no characters that fake a new line or hide text. */
const unshowable = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
/** A row of the history or of usage would have no name. */
const unseen = /^[\p{Cf}\p{Z}\p{DI}]+$/u

const shownText = (name: string, length_max: number) =>
  z.string().check(
    z.trim(),
    z.minLength(1),
    z.maxLength(length_max),
    z.refine((text) => !unshowable.test(text), `${name} must not hold control characters`),
    z.refine((text) => !unseen.test(text), `${name} must have something that can be seen`),
  )

/** Whose usage a service of the operator reports: with a token its person, payer and editor follow from it. */
const onBehalfOf = z.union([
  z.strictObject({ token: z.string().check(z.maxLength(100)) }),
  z.strictObject({ user_id: userIdSchema, payer: payerSchema }),
])
export type OnBehalfOf = z.infer<typeof onBehalfOf>

/** What names a piece of usage, and says what it was for. */
export const spendingFields = {
  ...namedPayer,
  /** Only with an operator key, which needs it. */
  on_behalf_of: z.optional(onBehalfOf),
  /** Chosen by the caller; unique per user and payer. */
  idempotency_key: z
    .string()
    .check(z.regex(/^[\x21-\x7e]{1,100}$/, 'idempotency_key must have 1 to 100 visible ASCII characters')),
  /** Shown in the history. */
  description: z._default(shownText('description', 200), 'Extension usage'),
  model: z.optional(shownText('model', 64)),
  project: z.optional(shownText('project', 64)),
  run: z.optional(shownText('run', 64)),
}

/** How the request ended that the credits are for. */
export const outcomeFields = {
  outcome: z._default(z.enum(['completed', 'failed']), 'completed'),
  /** Why it failed. */
  reason: z.optional(z.enum(['provider_error', 'timeout', 'empty', 'cancelled'])),
}

/** The most that one call spends or reserves. */
export const creditsMax = 10_000

const tokenCount = z.optional(z.int().check(z.minimum(0), z.maximum(100_000_000)))

/** What a request took: credits, or tokens, whose price the model has. */
export const amountFields = {
  credits: z.optional(z.int().check(z.minimum(0), z.maximum(creditsMax))),
  /** Only with an operator key; with a `model` that has a price. Those of the cache are not in `input`. */
  tokens: z.optional(
    z.strictObject({
      input: tokenCount,
      output: tokenCount,
      cache_read: tokenCount,
      cache_write: tokenCount,
    }),
  ),
}

interface Amount {
  readonly credits?: number | undefined
  readonly tokens?: object | undefined
}

export const oneAmount = z.refine<Amount>(
  ({ credits, tokens }) => (credits === undefined) !== (tokens === undefined),
  {
    path: ['credits'],
    error: 'Either credits or tokens is required',
  },
)

export const someAmount = z.refine<Amount & Partial<Ended>>(
  ({ credits, outcome }) => outcome === 'failed' || credits !== 0,
  { path: ['credits'], error: 'credits must be at least 1, unless the request failed' },
)

interface Ended {
  readonly credits?: number | undefined
  readonly outcome: 'completed' | 'failed'
  readonly reason?: string | undefined
}

/** A failure costs nothing and has a reason, which nothing else has. */
export const failureRules = [
  z.refine<Ended>(({ credits, outcome }) => outcome === 'completed' || credits === 0, {
    path: ['credits'],
    error: 'A request that failed costs 0 credits',
  }),
  z.refine<Ended>(({ outcome, reason }) => outcome === 'completed' || reason !== undefined, {
    path: ['reason'],
    error: 'reason must say why the request failed',
  }),
  z.refine<Ended>(({ outcome, reason }) => outcome === 'failed' || reason === undefined, {
    path: ['reason'],
    error: 'reason is only for a request that failed',
  }),
] as const

const spendingRefusalSchema = z.extend(apiErrorSchema, {
  /**
   * `credits_held`: enough is there once holds have ended. `renewal_in_progress`: the credits of the next
   * month come with its payment. Both set `Retry-After`.
   */
  code: z.enum(['insufficient_credits', 'credits_held', 'renewal_in_progress']),
  payer: payerSchema,
  required: z.int(),
  available: z.int(),
  held: z.int(),
  plan: z.int(),
  purchased: z.int(),
  /** Must be paid back before credits can be used again. */
  debt: z.int(),
  /** The page on which this payer buys credits. */
  buy_url: z.url(),
  ...otherPayers,
})
export type SpendingRefusal = Omit<
  z.infer<typeof spendingRefusalSchema>,
  keyof z.infer<typeof apiErrorSchema>
>

const overBudget = {
  description: 'A limit that was set on spending has less left; nothing was charged',
  schema: z.extend(apiErrorSchema, {
    code: z.literal('budget_exceeded'),
    budget: nearestBudgetSchema,
    /** The page on which the user asks for more, or raises their own limit; null for a run. */
    ask: z.nullable(z.url()),
  }),
}

/** Of calls that spend or reserve. */
export const spendingErrors = {
  403: overBudget,
  402: {
    description:
      'The payer does not have enough credits, or not until holds have ended or the renewal of the plan is paid; nothing was charged',
    schema: spendingRefusalSchema,
  },
  404: noSeat,
  409: { description: 'The idempotency_key was used before for a different request' },
  422: { description: 'The tokens of this model have no price' },
}

export const reportUsage = endpoint({
  method: 'POST',
  path: '/api/extension/usage',
  summary:
    'Spend credits of a payer, plan credits first, or report a request that failed; a retry with the same key is charged once',
  auth: 'extension',
  limit: 'extension',
  meters: true,
  body: z
    .strictObject({ ...amountFields, ...spendingFields, ...outcomeFields })
    .check(...failureRules, oneAmount, someAmount),
  response: z.object({
    success: z.literal(true),
    /** The credits charged for this report, now or earlier; parts of a credit are charged with a later one. */
    charged: z.int(),
    /** True when the same report was already charged earlier. */
    replayed: z.boolean(),
    /** As it is now. */
    balance: editorBalanceSchema,
  }),
  also: spendingErrors,
})
