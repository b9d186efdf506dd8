import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import { attachInvitation, endInvitation, type Invitation } from '../../../schema/invitations/invitations.ts'
import { refreshPlanType } from '../../../schema/seats/plan-type.ts'
import { applyMember } from './apply-member.ts'
import type { InvitationSnapshot } from './invitation-snapshot.ts'

/**
 * Makes an invitation of ours and the seat that it holds agree with Clerk; applying the same snapshot twice changes nothing more.
 * The caller has locked the seats, and the invitation after them.
 */
export async function applyInvitation(
  trx: DatabaseTransaction,
  invitation: Invitation,
  { found, status, member }: InvitationSnapshot,
): Promise<void> {
  if (found) await attachInvitation(trx, { ...found, id: invitation.id })
  if (member) await applyMember(trx, member)
  if (status === 'accepted') await closeAccepted(trx, invitation, member?.user_id ?? null)
  else if (status !== 'pending') await endInvitation(trx, { id: invitation.id, status })
  if (member) await refreshPlanType(trx, [member.user_id])
}

/**
 * Acceptance is final, whatever was thought of the invitation before. A seat that nobody took with it is not kept: the person
 * has left since, or has another one.
 */
async function closeAccepted(
  trx: DatabaseTransaction,
  invitation: Invitation,
  user_id: string | null,
): Promise<void> {
  await trx
    .updateTable('team_invitations')
    .set({ status: 'accepted', sweep_at: null, updated_at: sql`now()` })
    .where('id', '=', invitation.id)
    .where('status', '<>', 'accepted')
    .execute()
  await trx
    .updateTable('seats')
    .set({
      status: sql`CASE status WHEN 'pending' THEN 'revoked' ELSE status END`,
      user_id: sql`coalesce(user_id, ${user_id})`,
      updated_at: sql`now()`,
    })
    .where('invitation_id', '=', invitation.id)
    .where('status', '<>', 'active')
    .execute()
}
