import * as z from 'zod/mini'
import { stuckAfterMs } from '../../../schema/api/support.ts'
import { currencySchema } from '../../../schema/catalogue/schemas.ts'
import { reasonText } from './failures.ts'
import {
  dayText,
  durationText,
  maybe,
  momentText,
  notice,
  type SupportLevel,
  sentence,
  time,
  tried,
  wordsOf,
} from './words.ts'

export const eventWords = wordsOf({
  kind: 'event',
  data: z.object({
    ...tried,
    source: z.enum(['stripe', 'clerk']),
    type: z.string(),
    state: z.enum(['received', 'applied', 'ignored', 'failed']),
    reason: maybe.text,
    unavailable_since: maybe.time,
    occurred_at: time,
    received_via: z.enum(['webhook', 'reader']),
    is_stored: z.boolean(),
    /** From here on the fields are the sender's. */
    object_id: maybe.text,
    /** The object's checkout, if it names one. */
    intent_id: maybe.text,
    /** The amount of a session, invoice, refund, dispute or charge, in minor units. */
    amount_minor: z.catch(maybe.int, null),
    currency: z.catch(z.nullable(currencySchema), null),
  }),
  describe({ data, at }, { as_of }) {
    const { state, source, type, last_error, reason, amount_minor, currency, object_id, intent_id } = data
    const isWaiting = state === 'received'
    const isUntried = isWaiting && last_error === null
    const isLate = isUntried && Date.parse(at) < Date.parse(as_of) - stuckAfterMs
    const levels: Record<typeof state, SupportLevel> = {
      applied: 'done',
      ignored: 'ignored',
      failed: 'problem',
      received: isUntried && !isLate ? 'waiting' : 'problem',
    }
    return {
      title: `${type} of ${source === 'stripe' ? 'Stripe' : 'Clerk'}`,
      level: levels[state],
      state,
      error: isLate
        ? `Not processed for ${durationText(at, as_of)}: is a worker running?`
        : isWaiting
          ? last_error
          : state === 'applied'
            ? null
            : reason,
      details: [
        ...(state === 'applied' && reason ? [sentence(reasonText(reason))] : []),
        ...(data.received_via === 'reader'
          ? ['Not received by webhook; found in Stripe’s list of events.']
          : []),
        ...(data.unavailable_since && isWaiting ? ['Service unavailable; not counted as an attempt.'] : []),
        ...(data.is_stored ? [] : ['The payload has been deleted, or could not be stored.']),
      ],
      money: amount_minor !== null && currency ? { amount_minor, currency } : null,
      attempts: data.attempts,
      next_try_at: isWaiting ? data.next_try_at : null,
      caused_by: [
        ...(object_id?.startsWith('cs_') ? [`session:${object_id}`] : []),
        ...(intent_id ? [`intent:${intent_id}`] : []),
      ],
    }
  },
  notices({ key, data }) {
    const day = dayText(data.occurred_at)
    return [
      notice('problem', {
        sentence: `A refund failed on ${day}: the money is still with us, and the credits are back.`,
        tell: `Your bank did not take our refund of ${day}. Your credits are available again. Please tell us how we can return the money instead.`,
        item_key: key,
      }),
    ]
  },
})

const failureMeanings = {
  unavailable: 'Service unavailable; not counted as an attempt.',
  not_yet: 'A prerequisite is missing.',
  contradiction: 'The data contradicts our records, or Stripe or Clerk refuses it; not retried.',
  defect: 'Unexpected error, possibly a defect.',
} as const

const attemptWords = wordsOf({
  kind: 'attempt',
  data: z.object({
    /** The key of the row that failed. */
    of: z.string(),
    kind: z.enum(['unavailable', 'not_yet', 'contradiction', 'defect']),
    error: z.string(),
    tries: z.int(),
    last_at: time,
  }),
  describe({ data, at }) {
    const { kind, tries, last_at } = data
    const isRepeated = tries > 1 && Date.parse(at) < Date.parse(last_at)
    return {
      title: tries === 1 ? 'A try failed' : `${tries} tries failed in the same way`,
      level: kind === 'unavailable' || kind === 'not_yet' ? 'waiting' : 'problem',
      state: kind,
      error: data.error,
      details: [
        failureMeanings[kind],
        ...(isRepeated ? [`The last of them was on ${momentText(last_at)}.`] : []),
      ],
      attempts: tries,
      caused_by: [data.of],
    }
  },
})

export const events = [eventWords, attemptWords]
