import { type Failure, failureOf } from '../../schema/api/failures.ts'
import type { LogIds } from '../../schema/vendors/stripe/log-ids.ts'

/** What came of a subject: it was applied, or nothing follows from it and `reason` says why. */
export interface Outcome {
  readonly state: 'applied' | 'ignored'
  readonly reason: string | null
  /** What the event does not name itself, for the log. */
  readonly ids?: LogIds
  /** An organization that has more or fewer seats now: see `syncSeatsWithClerk`. */
  readonly seats_changed_in?: string
}

/** A subject of which nothing has to be written. */
export interface Nothing extends Pick<Outcome, 'state' | 'reason'> {
  readonly of: 'nothing'
}

export function ignore(...failure: Failure): Nothing {
  return { of: 'nothing', state: 'ignored', reason: failureOf(...failure) }
}

export const doneAlready: Outcome = { state: 'applied', reason: failureOf('done_already') }
