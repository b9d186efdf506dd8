import { useMutation, useQueryClient } from '@tanstack/react-query'
import { assignSeat } from '../../../schema/api/organization-seats.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { ApiFailure, failureText } from '../../api/failure.ts'
import {
  type OrganizationView,
  organizationPeopleQuery,
  organizationSeatsQuery,
} from '../../api/organizations.ts'
import { toast } from '../../ui/toast.ts'

export interface SeatRequest {
  email: string
  role: 'member' | 'admin'
}

interface Outcomes {
  onAssigned: () => void
  onNoSeats: () => void
}

/** Assigns a seat to a member, or reserves one for a non-member and invites them. */
export function useAssignSeat(view: OrganizationView, { onAssigned, onNoSeats }: Outcomes) {
  const api = useApi()
  const showChange = useSeatsChanged(view)
  return useMutation({
    mutationFn: (person: SeatRequest) =>
      api(assignSeat, { body: { org_id: view.organizationId, ...person } }),
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
export function useSeatsChanged(view: OrganizationView): () => Promise<unknown> {
  const api = useApi()
  const queryClient = useQueryClient()
  return () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: organizationSeatsQuery(api, view).queryKey }),
      queryClient.invalidateQueries({ queryKey: organizationPeopleQuery(api, view).queryKey }),
    ])
}
