import { randomBytes } from 'node:crypto'
import { defined, type Given } from '../../kit/defined.ts'
import { ClerkError } from '../errors.ts'
import type { Service } from '../service.ts'
import {
  createId,
  type InvitationStatus,
  type Organization,
  type OrganizationInvitation,
  type OrganizationMembership,
  type User,
} from '../state.ts'
import { findUserByEmailAddress, sendMail } from './email-address.ts'
import { emit } from './event.ts'
import type { Metadata } from './metadata.ts'
import type { Role } from './role.ts'
import { leaveOrganization } from './session.ts'

type Joining = {
  organization: Organization
  user: User
  role: Role
  public_metadata?: Metadata
  /** The invitation with which the user joins; its place becomes theirs. */
  accepting?: OrganizationInvitation
}

export function createMembership(
  service: Service,
  { organization, user, role, public_metadata = {}, accepting }: Joining,
) {
  if (findMembership(service, { organizationId: organization.id, userId: user.id })) {
    throw new ClerkError(400, {
      code: 'already_a_member_in_organization',
      message: `${user.id} is already a member of the organization.`,
    })
  }
  requireRoom(service, organization, { adding: 1, ...(accepting && { accepting }) })
  const now = Date.now()
  const membership = service.store.memberships.put({
    id: createId('orgmem'),
    organization_id: organization.id,
    user_id: user.id,
    role,
    public_metadata,
    private_metadata: {},
    created_at: now,
    updated_at: now,
  })
  emit(service, 'organizationMembership.created', membership)
  return membership
}

/**
 * Refuses to leave an organization without an admin, as Clerk's API does
 * (`organization_minimum_permissions_needed`, https://clerk.com/docs/errors/organizations).
 */
export function changeRole(service: Service, membership: OrganizationMembership, role: Role) {
  if (role !== 'org:admin') requireAnotherAdmin(service, membership)
  const updated = service.store.memberships.put({ ...membership, role, updated_at: Date.now() })
  emit(service, 'organizationMembership.updated', updated)
  return updated
}

/** A member leaves or is removed. Refuses to leave an organization without an admin. */
export function removeMember(service: Service, membership: OrganizationMembership): void {
  requireAnotherAdmin(service, membership)
  service.store.memberships.remove(membership.id)
  leaveOrganization(service, membership.organization_id, membership.user_id)
  emit(service, 'organizationMembership.deleted', membership)
}

export function findMembership(
  service: Service,
  { organizationId, userId }: { organizationId: string; userId: string },
): OrganizationMembership | undefined {
  return service.store.memberships.find(
    (row) => row.organization_id === organizationId && row.user_id === userId,
  )
}

/**
 * Members and open invitations count together, and 0 is no limit. The error is
 * OrganizationMembershipQuotaExceeded of https://clerk.com/docs/guides/development/errors/backend-api (read
 * on 2026-11-22).
 */
function requireRoom(
  service: Service,
  organization: Organization,
  { adding, accepting }: { adding: number; accepting?: OrganizationInvitation },
): void {
  const { id, max_allowed_memberships: limit } = organization
  const members = service.store.memberships.filter((row) => row.organization_id === id).length
  const invited = pendingInvitations(service, organization).filter((row) => row.id !== accepting?.id).length
  if (limit === 0 || members + invited + adding <= limit) return
  throw new ClerkError(403, {
    code: 'organization_membership_quota_exceeded',
    message: 'organization membership quota exceeded',
    long_message: `You have reached your limit of ${limit} organization memberships, including outstanding invitations.`,
  })
}

function requireAnotherAdmin(service: Service, membership: OrganizationMembership): void {
  if (membership.role !== 'org:admin') return
  const another = service.store.memberships.find(
    (row) =>
      row.organization_id === membership.organization_id &&
      row.role === 'org:admin' &&
      row.id !== membership.id,
  )
  if (another) return
  throw new ClerkError(400, {
    code: 'organization_minimum_permissions_needed',
    message: 'There has to be at least one organization member with the minimum required permissions',
  })
}

/** Nothing happens at the moment an invitation expires; it only counts as expired from then on. */
export function invitationStatus(
  service: Pick<Service, 'nowMs'>,
  invitation: OrganizationInvitation,
): InvitationStatus {
  const isOver = invitation.status === 'pending' && invitation.expires_at < service.nowMs()
  return isOver ? 'expired' : invitation.status
}

export function pendingInvitations(service: Service, organization: Organization): OrganizationInvitation[] {
  return service.store.invitations.filter(
    (row) => row.organization_id === organization.id && invitationStatus(service, row) === 'pending',
  )
}

type NewInvitation = Given<Omit<OrganizationInvitation, 'inviter_user_id'>> &
  Pick<OrganizationInvitation, 'email_address' | 'role' | 'inviter_user_id'> & {
    expires_in_days?: number | undefined
  }

const DAY_MS = 24 * 60 * 60 * 1000

/** All or none: the first address that cannot be invited refuses the whole batch. */
export function createInvitations(
  service: Service,
  organization: Organization,
  wanted: NewInvitation[],
): OrganizationInvitation[] {
  const addresses = wanted.map((row) => row.email_address)
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
    public_metadata: invitation.public_metadata,
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
  { expires_in_days = 30, ...given }: NewInvitation,
): OrganizationInvitation {
  const now = service.nowMs()
  const invitation = service.store.invitations.put({
    id: createId('orginv'),
    organization_id: organization.id,
    status: 'pending',
    public_metadata: {},
    private_metadata: {},
    redirect_url: null,
    ticket: randomBytes(32).toString('base64url'),
    created_at: now,
    updated_at: now,
    expires_at: now + expires_in_days * DAY_MS,
    ...defined(given),
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
