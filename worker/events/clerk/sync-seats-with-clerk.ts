import { keepMembershipLimit } from '../../../schema/people/seats/membership-limit.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { adoptInvitations } from './adopt-invitations.ts'

/**
 * After the transaction that changed the number of an organization's seats: open invitations without a seat
 * get one, and Clerk is told how many people it has to let in. The change is done by then, so a failure is
 * only logged: the comparison of seats does both again.
 */
export async function syncSeatsWithClerk(
  deps: Pick<WorkerDependencies, 'db' | 'clerk' | 'log'>,
  { seats_changed_in }: { readonly seats_changed_in?: string | undefined },
): Promise<void> {
  if (seats_changed_in === undefined) return
  try {
    const open = await deps.clerk.listInvitations(seats_changed_in, 'pending')
    await adoptInvitations(deps, seats_changed_in, open)
    await keepMembershipLimit(deps, seats_changed_in)
  } catch (error) {
    const text = 'Clerk and the seats of an organization do not agree yet'
    deps.log.warn({ err: error, organization_id: seats_changed_in }, text)
  }
}
