import { randomBytes } from 'node:crypto'
import { ClerkError } from '../errors.ts'
import type { Service } from '../service.ts'
import {
  createId,
  type InvitationStatus,
  type Organization,
  type OrganizationInvitation,
  type User,
} from '../state.ts'
import { findUserByEmailAddress, sendMail } from './email-address.ts'
import { emit } from './event.ts'
import { invitationStatus, pendingInvitations } from './invitation-status.ts'
import { createMembership, findMembership, requireRoom } from './membership.ts'
import type { Metadata } from './metadata.ts'
import type { Role } from './role.ts'

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
  service: Service,
  organization: Organization,
  wanted: NewInvitation[],
): OrganizationInvitation[] {
  const addresses = wanted.map((row) => row.emailAddress)
  for (const address of addresses) requireInvitable(service, organization, address)
  const repeated = addresses.find((address, index) => addresses.indexOf(address) !== index)
  if (repeated) throw duplicateInvitation(repeated)
  requireRoom(service, organization, { adding: wanted.length })
  return wanted.map((row) => createInvitation(service, organization, row))
}

export function acceptInvitation(
  service: Service,
  invitation: OrganizationInvitation,
  user: User,
): OrganizationInvitation {
  requirePending(service, invitation)
  const organization = service.store.organizations.get(invitation.organization_id)
  if (!organization)
    throw new ClerkError(404, { code: 'resource_not_found', message: 'Organization not found' })
  createMembership(service, {
    organization,
    user,
    role: invitation.role,
    publicMetadata: invitation.public_metadata,
    accepting: invitation,
  })
  const accepted = withStatus(service, invitation, 'accepted')
  emit(service, 'organizationInvitation.accepted', { invitation: accepted, user })
  return accepted
}

export function revokeInvitation(
  service: Service,
  invitation: OrganizationInvitation,
): OrganizationInvitation {
  requirePending(service, invitation)
  const revoked = withStatus(service, invitation, 'revoked')
  emit(service, 'organizationInvitation.revoked', revoked)
  return revoked
}

function withStatus(
  { store, nowMs }: Service,
  invitation: OrganizationInvitation,
  status: InvitationStatus,
): OrganizationInvitation {
  return store.invitations.put({ ...invitation, status, updated_at: nowMs() })
}

/** The bearer of a ticket to an open invitation counts as the owner of its address. */
export function invitationByTicket(service: Service, ticket: string): OrganizationInvitation {
  const invitation = service.store.invitations.find((row) => row.ticket === ticket)
  if (invitation && invitationStatus(service, invitation) === 'pending') return invitation
  throw invalidTicket()
}

export function invalidTicket(): ClerkError {
  return new ClerkError(400, {
    code: 'ticket_invalid',
    message: 'This invitation link is not valid any more.',
  })
}

export function invitationUrl(service: Service, invitation: OrganizationInvitation): string {
  return `${service.settings.origin}/__clerk/v1/tickets/accept?ticket=${invitation.ticket}`
}

function createInvitation(
  service: Service,
  organization: Organization,
  wanted: NewInvitation,
): OrganizationInvitation {
  const now = service.nowMs()
  const invitation = service.store.invitations.put({
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
  sendMail(service, {
    to: invitation.email_address,
    subject: `You are invited to join ${organization.name}`,
    url: invitationUrl(service, invitation),
  })
  emit(service, 'organizationInvitation.created', invitation)
  return invitation
}

function requireInvitable(service: Service, organization: Organization, emailAddress: string): void {
  const user = findUserByEmailAddress(service, emailAddress)
  if (user && findMembership(service, { organizationId: organization.id, userId: user.id })) {
    throw new ClerkError(400, {
      code: 'already_a_member_in_organization',
      message: `${emailAddress} is already a member of the organization.`,
    })
  }
  if (pendingInvitations(service, organization).some((row) => row.email_address === emailAddress)) {
    throw duplicateInvitation(emailAddress)
  }
}

function duplicateInvitation(emailAddress: string): ClerkError {
  return new ClerkError(400, {
    code: 'duplicate_record',
    message: 'duplicate invitation',
    meta: { email_addresses: [emailAddress] },
  })
}

function requirePending(service: Service, invitation: OrganizationInvitation): void {
  if (invitationStatus(service, invitation) === 'pending') return
  throw new ClerkError(400, {
    code: 'organization_invitation_not_pending',
    message: `The invitation is not pending any more, it is ${invitationStatus(service, invitation)}.`,
  })
}
