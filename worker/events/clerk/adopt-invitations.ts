import { retryTransaction } from '../../../schema/database/retry.ts'
import { adoptInvitation } from '../../../schema/people/invitations/adopt-invitation.ts'
import { listInvitations, lockInvitationAtClerk } from '../../../schema/people/invitations/invitations.ts'
import type { ClerkInvitation } from '../../../schema/vendors/clerk/invitations.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { lockSeats } from './apply-member.ts'

/**
 * Reserves a seat for each of an organization's open invitations that has none, the first one sent first:
 * they were sent from Clerk's own settings before there was a free seat, or their event is lost. Returns how
 * many seats it reserved.
 */
export async function adoptInvitations(
  { db }: Pick<WorkerDependencies, 'db'>,
  organization_id: string,
  /** Newest first, as Clerk lists them. */
  open: readonly ClerkInvitation[],
): Promise<number> {
  if (open.length === 0) return 0
  const ours = await listInvitations(db, { organization_id })
  const known = new Set(ours.flatMap(({ id, clerk_invitation_id }) => [id, clerk_invitation_id]))
  let adopted = 0
  for (const found of open.toReversed()) {
    const { clerk_invitation_id, invitation_id } = found
    if (known.has(clerk_invitation_id) || (invitation_id && known.has(invitation_id))) continue
    adopted += await retryTransaction(db, async (trx) => {
      const subscription = await lockSeats(trx, organization_id)
      if (await lockInvitationAtClerk(trx, { clerk_invitation_id, ours: invitation_id })) return 0
      return typeof (await adoptInvitation(trx, subscription, found)) === 'string' ? 0 : 1
    })
  }
  return adopted
}
