import { ClerkRefusalError } from '../../schema/clerk/errors.ts'
import type { ClerkInvitation } from '../../schema/clerk/invitations.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import { attachInvitation, endInvitation, type Invitation } from '../../schema/invitations/invitations.ts'
import type { Dependencies } from '../dependencies.ts'
import { alreadyMember, membershipChanged } from '../errors.ts'

/**
 * Has Clerk send an invitation whose seat is reserved. When Clerk refuses or does not answer, the seat is released before the
 * error is returned; if Clerk did send the invitation and only its answer was lost, the sweep finds out.
 */
export async function sendInvitation(
  deps: Pick<Dependencies, 'db' | 'clerk'>,
  invitation: Invitation,
  options: { readonly lifetime_days: number },
): Promise<Invitation> {
  const sent = await sendOrRelease(deps, invitation, options)
  const attached = await attachInvitation(deps.db, { ...sent, id: invitation.id })
  if (attached?.status === 'pending' || attached?.status === 'accepted') return attached
  throw membershipChanged()
}

async function sendOrRelease(
  deps: Pick<Dependencies, 'db' | 'clerk'>,
  invitation: Invitation,
  options: { readonly lifetime_days: number },
): Promise<ClerkInvitation> {
  try {
    return await sendOrAdopt(deps, invitation, options)
  } catch (error) {
    await retryTransaction(deps.db, (trx) => endInvitation(trx, { id: invitation.id, status: 'revoked' }))
    throw isMember(error) ? alreadyMember(invitation.email) : error
  }
}

/** An invitation that was sent from Clerk's own settings or by a request that crashed is adopted instead of sent again. */
async function sendOrAdopt(
  deps: Pick<Dependencies, 'clerk'>,
  invitation: Invitation,
  { lifetime_days }: { readonly lifetime_days: number },
): Promise<ClerkInvitation> {
  const { id: invitation_id, organization_id, inviter_id, email, role } = invitation
  const order = { invitation_id, organization_id, inviter_id, email, role, lifetime_days }
  try {
    return await deps.clerk.sendInvitation(order)
  } catch (error) {
    if (!(error instanceof ClerkRefusalError && error.code === 'duplicate_record')) throw error
    const existing = await deps.clerk.listInvitations(organization_id)
    const pending = existing.find((found) => found.email === email && found.status === 'pending')
    if (!pending) throw error
    return pending
  }
}

/** The person has joined in the meantime. */
function isMember(error: unknown): boolean {
  return error instanceof ClerkRefusalError && error.code === 'already_a_member_in_organization'
}
