import { randomBytes } from 'node:crypto'
import type { Clerk } from '../clerk.ts'
import { ClerkError } from '../errors.ts'
import { backendAcceptedInvitation, backendInvitation } from '../wire/invitation.ts'
import { findUserByEmailAddress } from './email-address.ts'
import { createId } from './id.ts'
import { sendMail } from './mail.ts'
import { createMembership, findMembership, membershipQuotaExceeded } from './membership.ts'
import type { Metadata } from './metadata.ts'
import type { Organization } from './organization.ts'
import type { Role } from './role.ts'
import type { User } from './user.ts'

export type InvitationStatus = 'pending' | 'accepted' | 'revoked' | 'expired'

export type OrganizationInvitation = {
  id: string
  organization_id: string
  email_address: string
  role: Role
  status: InvitationStatus
  public_metadata: Metadata
  private_metadata: Metadata
  inviter_user_id: string | null
  redirect_url: string | null
  /** What the link in the mail carries: whoever has it owns the address. */
  ticket: string
  created_at: number
  updated_at: number
  expires_at: number
}

export type NewInvitation = {
  emailAddress: string
  role: Role
  inviterUserId: string | null
  redirectUrl?: string | null | undefined
  expiresInDays?: number | undefined
  publicMetadata?: Metadata | undefined
  privateMetadata?: Metadata | undefined
}

const DAY_MS = 24 * 60 * 60 * 1000

/** All or none: the first address that cannot be invited refuses the whole batch. */
export function createInvitations(
  clerk: Clerk,
  organization: Organization,
  wanted: NewInvitation[],
): OrganizationInvitation[] {
  const addresses = wanted.map((row) => row.emailAddress)
  for (const address of addresses) requireInvitable(clerk, organization, address)
  const repeated = addresses.find((address, index) => addresses.indexOf(address) !== index)
  if (repeated) throw duplicateInvitation(repeated)
  requireRoom(clerk, organization, wanted.length)
  return wanted.map((row) => createInvitation(clerk, organization, row))
}

export function acceptInvitation(
  clerk: Clerk,
  invitation: OrganizationInvitation,
  user: User,
): OrganizationInvitation {
  requirePending(invitation)
  const organization = clerk.store.organizations.get(invitation.organization_id)
  if (!organization)
    throw new ClerkError(404, { code: 'resource_not_found', message: 'Organization not found' })
  createMembership(clerk, {
    organization,
    user,
    role: invitation.role,
    publicMetadata: invitation.public_metadata,
  })
  invitation.status = 'accepted'
  invitation.updated_at = Date.now()
  clerk.outbox.emit('organizationInvitation.accepted', backendAcceptedInvitation(clerk, invitation, user))
  return invitation
}

export function revokeInvitation(clerk: Clerk, invitation: OrganizationInvitation): OrganizationInvitation {
  requirePending(invitation)
  invitation.status = 'revoked'
  invitation.updated_at = Date.now()
  clerk.outbox.emit('organizationInvitation.revoked', backendInvitation(clerk, invitation))
  return invitation
}

/** Nothing happens at the moment an invitation expires; it just counts as expired from then on. */
export function invitationStatus(invitation: OrganizationInvitation): InvitationStatus {
  return invitation.status === 'pending' && invitation.expires_at < Date.now() ? 'expired' : invitation.status
}

export function invitationUrl(clerk: Clerk, invitation: OrganizationInvitation): string {
  return `${clerk.settings.origin}/__clerk/v1/tickets/accept?ticket=${invitation.ticket}`
}

function createInvitation(
  clerk: Clerk,
  organization: Organization,
  wanted: NewInvitation,
): OrganizationInvitation {
  const now = Date.now()
  const invitation = clerk.store.invitations.add({
    id: createId('orginv'),
    organization_id: organization.id,
    email_address: wanted.emailAddress,
    role: wanted.role,
    status: 'pending',
    public_metadata: wanted.publicMetadata ?? {},
    private_metadata: wanted.privateMetadata ?? {},
    inviter_user_id: wanted.inviterUserId,
    redirect_url: wanted.redirectUrl ?? null,
    ticket: randomBytes(32).toString('base64url'),
    created_at: now,
    updated_at: now,
    expires_at: now + (wanted.expiresInDays ?? 30) * DAY_MS,
  })
  sendMail(clerk, {
    to: invitation.email_address,
    subject: `You are invited to join ${organization.name}`,
    url: invitationUrl(clerk, invitation),
  })
  clerk.outbox.emit('organizationInvitation.created', backendInvitation(clerk, invitation))
  return invitation
}

function requireInvitable(clerk: Clerk, organization: Organization, emailAddress: string): void {
  const user = findUserByEmailAddress(clerk, emailAddress)
  if (user && findMembership(clerk, { organizationId: organization.id, userId: user.id })) {
    throw new ClerkError(400, {
      code: 'already_a_member_in_organization',
      message: `${emailAddress} is already a member of the organization.`,
    })
  }
  if (pendingInvitations(clerk, organization).some((row) => row.email_address === emailAddress)) {
    throw duplicateInvitation(emailAddress)
  }
}

function requireRoom(clerk: Clerk, organization: Organization, count: number): void {
  if (!organization.max_allowed_memberships) return
  const members = clerk.store.memberships.filter((row) => row.organization_id === organization.id).length
  const taken = members + pendingInvitations(clerk, organization).length
  if (taken + count > organization.max_allowed_memberships) throw membershipQuotaExceeded(organization)
}

export function pendingInvitations(clerk: Clerk, organization: Organization): OrganizationInvitation[] {
  return clerk.store.invitations.filter(
    (row) => row.organization_id === organization.id && invitationStatus(row) === 'pending',
  )
}

function duplicateInvitation(emailAddress: string): ClerkError {
  return new ClerkError(400, {
    code: 'duplicate_record',
    message: 'duplicate invitation',
    meta: { email_addresses: [emailAddress] },
  })
}

function requirePending(invitation: OrganizationInvitation): void {
  if (invitationStatus(invitation) === 'pending') return
  throw new ClerkError(400, {
    code: 'organization_invitation_not_pending',
    message: `The invitation is not pending any more, it is ${invitationStatus(invitation)}.`,
  })
}
