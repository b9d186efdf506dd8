import { sql } from 'kysely'
import { type ClerkEvent, clerkInvitationSchema } from '../../../schema/clerk/events.ts'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import type { Invitation } from '../../../schema/invitations/invitations.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import type { ApplyInTransaction } from '../apply-event.ts'
import { type InvitationLook, lookAtInvitation } from './invitation-look.ts'
import { settleInvitation } from './settle-invitation.ts'
import { lockSeats } from './settle-look.ts'

/**
 * An invitation was sent, accepted or revoked. One that was sent in Clerk's own settings holds no seat and is none of ours. One
 * that was sent although we had given it up is left to the sweep, which revokes it.
 */
export async function planInvitation(
  deps: WorkerDependencies,
  event: ClerkEvent,
): Promise<ApplyInTransaction> {
  const { id, organization_id, user_id } = clerkInvitationSchema.parse(event.data)
  const acceptance = event.type === 'organizationInvitation.accepted' ? { user_id: user_id ?? null } : null
  const look = await lookAtInvitation(deps, { organization_id, clerk_invitation_id: id }, acceptance)
  return async (trx) => {
    await lockSeats(trx, organization_id)
    const invitation = await lockInvitationOf(trx, { clerk_invitation_id: id, look })
    if (!invitation) return { state: 'ignored', reason: 'The invitation was not sent by us' }
    await settleInvitation(trx, invitation, look)
    return { state: 'applied', reason: null }
  }
}

/** Ours by Clerk's id; by the id that we gave it while whoever sent it has not noted the other. Nulls are sorted last. */
async function lockInvitationOf(
  trx: DatabaseTransaction,
  { clerk_invitation_id, look }: { clerk_invitation_id: string; look: InvitationLook },
): Promise<Invitation | undefined> {
  const ours = look.found?.invitation_id ?? null
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
