import { useMutation, useQueryClient } from '@tanstack/react-query'
import { assignSeat, type SeatsSummary } from '../../../schema/api/organization-seats.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import type { PayerView } from '../../api/account.ts'
import { ApiFailure, failureText } from '../../api/failure.ts'
import { organizationPeopleQuery, organizationSeatsQuery } from '../../api/organizations.ts'
import { toast } from '../../ui/toast.ts'

interface SeatNotice {
  tone: 'critical' | 'caution'
  title?: string
  text: string
}

interface Seats {
  free: number
  isFull: boolean
  /** After the subscription has ended there is nothing to add seats to. */
  isBuyable: boolean
  /** Seats that stay in use after the plan has ended are still to be seen. */
  hasPlan: boolean
  notice: SeatNotice | null
}

/** Above this share of its seats an organization is told before the next person joins. */
const nearLimit = 0.8

/** What an admin can do about the seats, and should know of them. */
export function seatsOf(summary: SeatsSummary, { maximum_seats }: { maximum_seats: number }): Seats {
  const { seats_used, seats_total } = summary
  const free = Math.max(seats_total - seats_used, 0)
  return {
    free,
    isFull: free === 0,
    isBuyable: seats_total > 0 && seats_total < maximum_seats,
    hasPlan: seats_total > 0 || seats_used > 0,
    notice: noticeOf(summary, free),
  }
}

function noticeOf(
  { seats_used, seats_total, over_limit, notice }: SeatsSummary,
  free: number,
): SeatNotice | null {
  if (over_limit && notice) return { tone: 'caution', text: notice }
  if (free === 0) {
    return {
      tone: 'critical',
      title: 'All Seats Used',
      text: 'No available seats. Upgrade your subscription to add more members.',
    }
  }
  if (seats_used <= seats_total * nearLimit) return null
  const left = free === 1 ? 'One seat is' : `${free} seats are`
  return {
    tone: 'caution',
    title: 'Approaching Seat Limit',
    text: `${left} left. Add more before the next person joins.`,
  }
}

export interface SeatRequest {
  email: string
  role: 'member' | 'admin'
}

interface Outcomes {
  onAssigned: () => void
  onNoSeats: () => void
}

/** Assigns a seat to a member, or reserves one for a non-member and invites them. */
export function useAssignSeat(payer: PayerView, { onAssigned, onNoSeats }: Outcomes) {
  const api = useApi()
  const showChange = useSeatsChanged(payer)
  return useMutation({
    mutationFn: (person: SeatRequest) => api(assignSeat, { body: { org_id: payer.payer, ...person } }),
    onSuccess: ({ seat, message }) => {
      toast.success(seat.status === 'active' ? 'Seat Assigned!' : 'Seat assigned', { description: message })
      onAssigned()
    },
    onError: (error) => {
      if (hasNoSeats(error)) onNoSeats()
      else toast.error('Error', { description: failureText(error, 'Failed to assign seat') })
    },
    // Also after a refusal, which often means that the seats have changed elsewhere.
    onSettled: showChange,
  })
}

/** 402 also means that there is no subscription, where buying seats would not help. */
export function hasNoSeats(error: unknown): boolean {
  return error instanceof ApiFailure && error.status === 402 && error.code === 'no_seats_left'
}

/** Asks again for the seats and the people who have them. */
export function useSeatsChanged(payer: PayerView): () => Promise<unknown> {
  const api = useApi()
  const queryClient = useQueryClient()
  return () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: organizationSeatsQuery(api, payer).queryKey }),
      queryClient.invalidateQueries({ queryKey: organizationPeopleQuery(api, payer).queryKey }),
    ])
}
