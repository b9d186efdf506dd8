import { stuckAfterMs } from '../../../schema/api/support.ts'
import { durationText, momentText, type SupportLevel, sentence, type Words } from './words.ts'

const event: Words<'event'> = {
  name: 'Event',
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
        ...(state === 'applied' && reason ? [sentence(reason)] : []),
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
}

const failureMeanings = {
  unavailable: 'Service unavailable; not counted as an attempt.',
  not_yet: 'A prerequisite is missing.',
  contradiction: 'The data contradicts our records, or Stripe or Clerk refuses it; not retried.',
  defect: 'Unexpected error, possibly a defect.',
} as const

const attempt: Words<'attempt'> = {
  name: 'Attempt',
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
}

export const events = { event, attempt }
