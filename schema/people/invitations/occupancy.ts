/** How full an organization's subscription is. */
export interface Occupancy {
  readonly seats_total: number
  /** Active and pending seats. */
  readonly held: number
  /** Those of them that were given by invitation. */
  readonly invited: number
}

/**
 * How many more people can be invited: one seat is the buyer's, so one less than there are, and never more
 * than are free, because seats are also given to members without an invitation.
 */
export function remainingInvitations({ seats_total, held, invited }: Occupancy): number {
  return Math.max(0, Math.min(seats_total - 1 - invited, seats_total - held))
}
