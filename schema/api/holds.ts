import * as z from 'zod/mini'
import { editorBalanceSchema } from './editor-balance.ts'
import { endpoint } from './endpoint.ts'
import {
  amountFields,
  failureRules,
  oneAmount,
  outcomeFields,
  someAmount,
  spendingErrors,
  spendingFields,
} from './spending.ts'

const holdSchema = z.object({
  id: z.uuid(),
  /** `settled_late`: after it had expired. */
  state: z.enum(['open', 'settled', 'released', 'expired', 'settled_late']),
  /** What is reserved. */
  credits: z.int(),
  expires_at: z.iso.datetime(),
})
export type EditorHold = z.infer<typeof holdSchema>

const holdAnswer = z.object({ success: z.literal(true), hold: holdSchema, balance: editorBalanceSchema })
const params = z.strictObject({ id: z.uuid() })
const minutes = z.int().check(z.minimum(1), z.maximum(60))
const no_hold = { description: 'The caller has no hold with this id' }
const ended = { description: 'The hold has ended in another way' }

export const reserveCredits = endpoint({
  method: 'POST',
  path: '/api/extension/holds',
  summary: 'Reserve credits of a payer for a request; a retry with the same key reserves once',
  auth: 'extension',
  limit: 'extension',
  meters: true,
  body: z
    .strictObject({
      /** Tokens are reserved as whole credits, rounded up. A settlement by tokens counts with the prices of this moment. */
      ...amountFields,
      /** When fewer are available, that many are enough. */
      at_least: z.optional(z.int().check(z.minimum(1))),
      /** In minutes. */
      expires_in: z._default(minutes, 15),
      ...spendingFields,
      /** With a limit: what all holds of the user with this run may take together. */
      run: z.optional(
        z.union([
          spendingFields.run.def.innerType,
          z.strictObject({
            id: spendingFields.run.def.innerType,
            limit: z.int().check(z.minimum(1), z.maximum(1_000_000_000)),
          }),
        ]),
      ),
    })
    .check(
      oneAmount,
      someAmount,
      z.refine(({ credits = 0, at_least }) => at_least === undefined || at_least <= credits, {
        path: ['at_least'],
        error: 'at_least must not be more than credits',
      }),
    ),
  /** The hold as it is now, which may have ended since the first try. */
  response: z.extend(holdAnswer, { replayed: z.boolean() }),
  also: {
    ...spendingErrors,
    429: { description: 'The caller has 50 open holds of this payer, or makes too many calls' },
  },
})

export const getHold = endpoint({
  method: 'GET',
  path: '/api/extension/holds/{id}',
  summary: 'A hold of the caller, as it is now',
  auth: 'extension',
  limit: 'extension',
  meters: true,
  params,
  response: z.object({ success: z.literal(true), hold: holdSchema }),
  also: { 404: no_hold },
})

export const extendHold = endpoint({
  method: 'POST',
  path: '/api/extension/holds/{id}/extend',
  summary: 'Let an open hold expire later: so many minutes from now, until a day after it was opened',
  auth: 'extension',
  limit: 'extension',
  meters: true,
  params,
  body: z.strictObject({ expires_in: minutes }),
  response: holdAnswer,
  also: {
    404: { description: `${no_hold.description}, or no seat in the organization any more` },
    409: ended,
  },
})

export const settleHold = endpoint({
  method: 'POST',
  path: '/api/extension/holds/{id}/settle',
  summary: 'End a hold with what its request cost; the rest of it is available again',
  auth: 'extension',
  limit: 'extension',
  meters: true,
  params,
  body: z.strictObject({ ...amountFields, ...outcomeFields }).check(...failureRules, oneAmount),
  response: z.object({
    success: z.literal(true),
    charged: z.int(),
    /** What was reserved and is not charged. */
    released: z.int(),
    /** What the request cost and is not charged, because it was neither reserved nor available. */
    uncollected: z.int(),
    /** It had expired before, so nothing was reserved any more. */
    late: z.boolean(),
    /** True when the same settlement was made earlier. */
    replayed: z.boolean(),
    balance: editorBalanceSchema,
  }),
  also: {
    404: no_hold,
    409: ended,
    422: { description: 'The hold was opened without a model whose tokens have a price' },
  },
})

export const releaseHold = endpoint({
  method: 'POST',
  path: '/api/extension/holds/{id}/release',
  summary: 'End a hold with nothing: its credits are available again',
  auth: 'extension',
  limit: 'extension',
  meters: true,
  params,
  response: z.object({
    success: z.literal(true),
    released: z.int(),
    /** True when it was released earlier. */
    replayed: z.boolean(),
    balance: editorBalanceSchema,
  }),
  also: { 404: no_hold, 409: ended },
})
