import type { ClerkClient, OrganizationInvitation } from '@clerk/backend'
import { askClerk } from './client.ts'
import { ClerkRefusalError } from './errors.ts'
import { type OrganizationRole, roleOf } from './memberships.ts'

/** An invitation to an organization, as Clerk has it at this moment. */
export interface ClerkInvitation {
  readonly clerk_invitation_id: string
  readonly organization_id: string
  /** Lower case. */
  readonly email: string
  readonly role: OrganizationRole
  readonly status: 'pending' | 'accepted' | 'revoked' | 'expired'
  readonly expires_at: Date
  /** Our row's id; null when it was not sent by us. */
  readonly invitation_id: string | null
}

export interface InvitationKey {
  readonly organization_id: string
  readonly clerk_invitation_id: string
}

export interface ClerkInvitationRequest {
  /** Our row's id; kept on the invitation, so that one whose sender crashed is found again. */
  readonly invitation_id: string
  readonly organization_id: string
  /** Null when it is not known. */
  readonly inviter_id: string | null
  readonly email: string
  readonly role: OrganizationRole
  readonly lifetime_days: number
  /** Where the link in the e-mail leads; without one, to pages of Clerk's own. */
  readonly redirect_url: string
}

/** Sends an invitation. Clerk refuses a second one for the same address as `duplicate_record`. */
export async function sendInvitation(
  api: ClerkClient,
  request: ClerkInvitationRequest,
): Promise<ClerkInvitation> {
  const sent = await askClerk(
    'Sending an invitation',
    api.organizations.createOrganizationInvitation({
      organizationId: request.organization_id,
      ...(request.inviter_id && { inviterUserId: request.inviter_id }),
      emailAddress: request.email,
      role: request.role === 'admin' ? 'org:admin' : 'org:member',
      expiresInDays: request.lifetime_days,
      redirectUrl: request.redirect_url,
      privateMetadata: { invitationId: request.invitation_id },
    }),
  )
  if (!sent) throw new ClerkRefusalError('resource_not_found', { cause: undefined })
  return toInvitation(sent, request.organization_id)
}

/** Null when it does not exist (any more), for example because its organization was deleted. */
export async function findInvitation(api: ClerkClient, key: InvitationKey): Promise<ClerkInvitation | null> {
  const found = await askClerk(
    'Reading an invitation',
    api.organizations.getOrganizationInvitation({
      organizationId: key.organization_id,
      invitationId: key.clerk_invitation_id,
    }),
  )
  return found && toInvitation(found, key.organization_id)
}

/** How many invitations of an organization can still be accepted. */
export async function countOpenInvitations(api: ClerkClient, organizationId: string): Promise<number> {
  const page = await askClerk(
    'Counting invitations',
    api.organizations.getOrganizationInvitationList({ organizationId, status: ['pending'], limit: 1 }),
  )
  return page?.totalCount ?? 0
}

/** An organization's invitations, newest first, including ended ones; or only those of one status. */
export async function listInvitations(
  api: ClerkClient,
  organizationId: string,
  status?: ClerkInvitation['status'],
): Promise<ClerkInvitation[]> {
  const all: ClerkInvitation[] = []
  for (;;) {
    const page = await askClerk(
      'Listing invitations',
      api.organizations.getOrganizationInvitationList({
        organizationId,
        ...(status && { status: [status] }),
        limit: pageSize,
        offset: all.length,
      }),
    )
    all.push(...(page?.data ?? []).map((found) => toInvitation(found, organizationId)))
    if (!page || page.data.length < pageSize) return all
  }
}

/** Throws ClerkRefusalError `organization_invitation_not_pending` when it has already ended. */
export async function revokeInvitation(
  api: ClerkClient,
  key: InvitationKey & { requesting_user_id?: string },
): Promise<void> {
  await askClerk(
    'Revoking an invitation',
    api.organizations.revokeOrganizationInvitation({
      organizationId: key.organization_id,
      invitationId: key.clerk_invitation_id,
      ...(key.requesting_user_id && { requestingUserId: key.requesting_user_id }),
    }),
  )
}

const pageSize = 500
/** Clerk's own; its specification allows an invitation that names no end. */
const defaultLifetimeMs = 30 * 24 * 3600 * 1000

function toInvitation(found: OrganizationInvitation, organization_id: string): ClerkInvitation {
  const { invitationId } = found.privateMetadata ?? {}
  return {
    clerk_invitation_id: found.id,
    organization_id,
    email: found.emailAddress.toLowerCase(),
    role: roleOf(found.role),
    status: found.status ?? 'pending',
    expires_at: new Date(found.expiresAt ?? found.createdAt + defaultLifetimeMs),
    invitation_id: typeof invitationId === 'string' ? invitationId : null,
  }
}
