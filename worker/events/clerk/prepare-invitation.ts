import { sql } from 'kysely'
import { type ClerkEvent, clerkInvitationSchema } from '../../../schema/clerk/events.ts'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import type { Invitation } from '../../../schema/invitations/invitations.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import type { ApplyInTransaction } from '../event-needs.ts'
import { applyInvitation } from './apply-invitation.ts'
import { lockSeats } from './apply-member.ts'
import { fetchInvitation, type InvitationSnapshot } from './invitation-snapshot.ts'

/**
 * An invitation was sent, accepted or revoked. One that was sent from Clerk's own settings holds no seat and
 * is not ours. One that was sent although we had given it up is left to the claim, which revokes it.
 */
export async function prepareInvitation(
  deps: WorkerDependencies,
  event: ClerkEvent,
): Promise<ApplyInTransaction> {
  const { id, organization_id, user_id } = clerkInvitationSchema.parse(event.data)
  const acceptance = event.type === 'organizationInvitation.accepted' ? { user_id: user_id ?? null } : null
  const snapshot = await fetchInvitation(deps, { organization_id, clerk_invitation_id: id }, acceptance)
  return async (trx) => {
    await lockSeats(trx, organization_id)
    const invitation = await lockInvitationOf(trx, { clerk_invitation_id: id, snapshot })
    if (!invitation) return { state: 'ignored', reason: 'The invitation was not sent by us' }
    await applyInvitation(trx, invitation, snapshot, deps.now())
    return { state: 'applied', reason: null }
  }
}

/**
 * Ours by Clerk's id, or by the id that we gave it while its sender has not recorded Clerk's yet. Nulls are
 * sorted last.
 */
async function lockInvitationOf(
  trx: DatabaseTransaction,
  { clerk_invitation_id, snapshot }: { clerk_invitation_id: string; snapshot: InvitationSnapshot },
): Promise<Invitation | undefined> {
  const ours = snapshot.found?.invitation_id ?? null
  return trx
    .selectFrom('team_invitations')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('clerk_invitation_id', '=', clerk_invitation_id),
        eb.and([eb(sql<string>`id::text`, '=', ours), eb('clerk_invitation_id', 'is', null)]),
      ]),
    )
    .orderBy('clerk_invitation_id')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
}
