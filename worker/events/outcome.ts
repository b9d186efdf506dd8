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

export function ignore(reason: string): Nothing {
  return { of: 'nothing', state: 'ignored', reason }
}
