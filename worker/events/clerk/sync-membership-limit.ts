import { keepMembershipLimit } from '../../../schema/seats/membership-limit.ts'
import type { WorkerDependencies } from '../../dependencies.ts'

/**
 * Tells Clerk how many people it has to let into an organization, after the transaction that changed the
 * number of its seats. That is done by then, so a failure is only logged: an invitation that finds no room
 * asks for it again, and so does the comparison of seats.
 */
export async function syncMembershipLimit(
  deps: Pick<WorkerDependencies, 'db' | 'clerk' | 'log'>,
  { seats_changed_in }: { readonly seats_changed_in?: string | undefined },
): Promise<void> {
  if (seats_changed_in === undefined) return
  try {
    await keepMembershipLimit(deps, seats_changed_in)
  } catch (error) {
    const text = 'Clerk was not told how many people an organization has room for'
    deps.log.warn({ err: error, organization_id: seats_changed_in }, text)
  }
}
