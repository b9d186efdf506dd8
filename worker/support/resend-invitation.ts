import { retryTransaction } from '../../schema/database/retry.ts'
import {
  deliverInvitation,
  invitationLifetimeDays,
} from '../../schema/people/invitations/deliver-invitation.ts'
import {
  detachInvitation,
  findInvitation,
  type Invitation,
  lockInvitation,
} from '../../schema/people/invitations/invitations.ts'
import { ClerkRefusalError } from '../../schema/vendors/clerk/errors.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'
import { lockSeats } from '../events/clerk/apply-member.ts'
import type { DoAct } from './act.ts'

const dayMs = 24 * 3600 * 1000

/**
 * Sends an open invitation once more. Clerk has no call for that, and refuses a second invitation to the same
 * address, so the first one is revoked and a new one sent, which keeps the seat.
 */
export const resendInvitation: DoAct = async (deps, { target_id: id }) => {
  const invitation = await findInvitation(deps.db, id)
  if (!invitation) throw new PermanentError('not_found', { what: 'invitation', id })
  await retryTransaction(deps.db, async (trx) => {
    await lockSeats(trx, invitation.organization_id)
    const locked = await lockInvitation(trx, id)
    if (locked?.status !== 'pending')
      throw new PermanentError('has_state', { what: 'invitation', state: locked?.status ?? 'gone' })
    await revokeAtClerk(deps, locked)
    const expires_at = new Date(deps.now().getTime() + invitationLifetimeDays * dayMs)
    const fresh = await detachInvitation(trx, { id, expires_at })
    await deliverInvitation({ ...deps, db: trx, app_url: deps.appUrl }, fresh)
  })
  return { did: true }
}

export async function revokeAtClerk(
  { clerk }: Pick<WorkerDependencies, 'clerk'>,
  { organization_id, clerk_invitation_id }: Invitation,
): Promise<void> {
  if (!clerk_invitation_id) return
  const key = { organization_id, clerk_invitation_id }
  try {
    await clerk.revokeInvitation(key)
  } catch (error) {
    if (!(error instanceof ClerkRefusalError)) throw error
    const found = await clerk.findInvitation(key)
    const accepted = { what: 'invitation', state: 'accepted' }
    if (found?.status === 'accepted') throw new PermanentError('has_state', accepted, { cause: error })
    // It has ended at Clerk, and the news has not come yet.
    if (found?.status === 'pending') throw error
  }
}
