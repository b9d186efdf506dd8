import type { Kysely } from 'kysely'
import type { DB } from '../../database/types.ts'
import type { ClerkDirectory } from '../../vendors/clerk/directory.ts'
import { ClerkRateLimitError, ClerkRefusalError } from '../../vendors/clerk/errors.ts'
import type { ClerkInvitation, ClerkInvitationRequest } from '../../vendors/clerk/invitations.ts'
import { keepMembershipLimit } from '../seats/membership-limit.ts'
import {
  attachInvitation,
  findInvitation,
  findInvitationAtClerk,
  type Invitation,
  postponeInvitation,
} from './invitations.ts'

/** The same at Clerk and in our row: people can accept for as long as the seat is held, and no longer. */
export const invitationLifetimeDays = 30

export interface DeliveryDependencies {
  readonly db: Kysely<DB>
  readonly clerk: Pick<
    ClerkDirectory,
    'sendInvitation' | 'listInvitations' | 'revokeInvitation' | 'findOccupancy' | 'setMembershipLimit'
  >
  /** The application's address, to which the link in the e-mail leads. */
  readonly app_url: string
  readonly now: () => Date
}

/**
 * Has Clerk send an invitation whose seat is reserved, and records it. When Clerk asks to send it later, it
 * keeps its seat and is sent by the worker at `send_at`. Its row may have ended in the meantime. Throws
 * ClerkRefusalError and ClerkUnavailableError; then nothing is recorded, but after the latter Clerk may have
 * sent it.
 */
export async function deliverInvitation(
  { app_url, now, ...deps }: DeliveryDependencies,
  invitation: Invitation,
): Promise<Invitation | undefined> {
  const { id, organization_id, inviter_id, email, role } = invitation
  const request = {
    invitation_id: id,
    organization_id,
    inviter_id,
    email,
    role,
    lifetime_days: invitationLifetimeDays,
    redirect_url: `${app_url}/invite/${organization_id}/${id}`,
  }
  try {
    const sent = await sendWithRoom(deps, request)
    return await attachInvitation(deps.db, { ...sent, id, now: now() })
  } catch (error) {
    if (!(error instanceof ClerkRateLimitError)) throw error
    const send_at = new Date(now().getTime() + error.retry_after_ms)
    return (await postponeInvitation(deps.db, { id, send_at })) ?? findInvitation(deps.db, id)
  }
}

/**
 * Clerk's limit is kept as seats change, but never in the same moment; so a refusal is answered by keeping it
 * now.
 */
async function sendWithRoom(
  deps: Pick<DeliveryDependencies, 'db' | 'clerk'>,
  request: ClerkInvitationRequest,
): Promise<ClerkInvitation> {
  try {
    return await sendOrAdopt(deps, request)
  } catch (error) {
    if (!isOrganizationFull(error)) throw error
    if (!(await makeRoom(deps, request.organization_id))) throw error
    return sendOrAdopt(deps, request)
  }
}

/** False when there is no more room to be had: Clerk's own plan limits it too. */
async function makeRoom(
  deps: Pick<DeliveryDependencies, 'db' | 'clerk'>,
  organizationId: string,
): Promise<boolean> {
  try {
    return await keepMembershipLimit(deps, organizationId)
  } catch (error) {
    if (error instanceof ClerkRefusalError) return false
    throw error
  }
}

/**
 * An invitation that was sent from Clerk's own settings or by a request that crashed is adopted instead of
 * sent again. One of another row is left over: a person who was added at Clerk without accepting it has left
 * since, and Clerk keeps it open. It ends there.
 */
async function sendOrAdopt(
  { db, clerk }: Pick<DeliveryDependencies, 'db' | 'clerk'>,
  request: ClerkInvitationRequest,
): Promise<ClerkInvitation> {
  try {
    return await clerk.sendInvitation(request)
  } catch (error) {
    if (!(error instanceof ClerkRefusalError && error.code === 'duplicate_record')) throw error
    const existing = await clerk.listInvitations(request.organization_id)
    const pending = existing.find((found) => found.email === request.email && found.status === 'pending')
    if (!pending) throw error
    const known = await findInvitationAtClerk(db, pending.clerk_invitation_id)
    if (!known || known.id === request.invitation_id) return pending
    await clerk.revokeInvitation(pending)
    return clerk.sendInvitation(request)
  }
}

/** Clerk has no room for another person in the organization. */
export function isOrganizationFull(error: unknown): boolean {
  return error instanceof ClerkRefusalError && error.code === 'organization_membership_quota_exceeded'
}

/** Why Clerk did not send an invitation, as its row keeps it. */
export function refusalCodeOf(error: unknown): string {
  return error instanceof ClerkRefusalError ? error.code.slice(0, 100) || 'refused' : 'unavailable'
}
