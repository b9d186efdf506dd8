import type { Seat as PresentedSeat, SeatsSummary } from '../../schema/api/organization-seats.ts'
import type { Seat } from '../../schema/seats/seats.ts'

export function presentSeat(seat: Seat): PresentedSeat {
  return {
    user_id: seat.user_id,
    email: seat.email,
    role: seat.role,
    status: seat.status,
    assigned_at: seat.assigned_at.toISOString(),
    invitation_id: seat.invitation_id,
  }
}

/** What is used and paid for, and what an admin has to know about it. `viewer` is set for members, who see their own seat. */
export function presentSeats(
  seats: readonly Seat[],
  options: { seats_total: number; viewer: string | null },
): SeatsSummary {
  const seats_used = seats.filter(({ status }) => status === 'active' || status === 'pending').length
  const over_limit = seats_used > options.seats_total
  const visible = seats.filter((seat) => options.viewer === null || seat.user_id === options.viewer)
  return {
    seats_used,
    seats_total: options.seats_total,
    seats: visible.map(presentSeat),
    over_limit,
    notice: over_limit && options.viewer === null ? noticeOf(seats_used, options.seats_total) : null,
  }
}

function noticeOf(seats_used: number, seats_total: number): string {
  if (seats_total === 0)
    return 'The subscription has ended. Seats come back to life when you subscribe again.'
  return `${seats_used} seats are in use, but the subscription has ${seats_total}. Nobody loses theirs, and new ones can be given once you buy more seats or revoke some.`
}
