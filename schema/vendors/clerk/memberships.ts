import type { ClerkClient, OrganizationMembership } from '@clerk/backend'
import { askClerk } from './client.ts'

export type OrganizationRole = 'admin' | 'member'

/** A person's membership in an organization, as Clerk has it at this moment. */
export interface Membership {
  readonly organization_id: string
  readonly organization_name: string
  readonly user_id: string
  /** Null when the person has given none. */
  readonly name: string | null
  /** Lower case. Null when Clerk identifies the person by a user name or phone number, or not at all. */
  readonly email: string | null
  readonly role: OrganizationRole
  /** How many people Clerk lets into the organization, open invitations included; 0 is no limit. */
  readonly membership_limit: number
  /** When the membership came about, or its role changed. */
  readonly updated_at: Date
}

export interface MemberKey {
  readonly organization_id: string
  readonly user_id: string
}

/** Null when the person is not a member, or either of the two does not exist (any more). */
export async function findMembership(api: ClerkClient, key: MemberKey): Promise<Membership | null> {
  return findOne(api, { organizationId: key.organization_id, userId: [key.user_id] }, (found) => {
    return found.publicUserData?.userId === key.user_id
  })
}

/** The member with that address, primary or not. An unverified address does not count. */
export async function findMemberByEmail(
  api: ClerkClient,
  key: { organization_id: string; email: string },
): Promise<Membership | null> {
  const filter = { organizationId: key.organization_id, emailAddress: [key.email] }
  const member = await findOne(api, filter, () => true)
  if (!member) return null
  return (await listEmailAddresses(api, member.user_id)).includes(key.email) ? member : null
}

/** All members of an organization; null when it does not exist (any more). */
export async function listMembers(api: ClerkClient, organizationId: string): Promise<Membership[] | null> {
  const all: Membership[] = []
  for (let offset = 0; ; offset += pageSize) {
    const call = api.organizations.getOrganizationMembershipList({ organizationId, limit: pageSize, offset })
    const page = await askClerk('Listing memberships', call)
    if (!page) return null
    all.push(...page.data.flatMap((found) => toMembership(found) ?? []))
    if (page.data.length < pageSize) return all
  }
}

/** A person's memberships, as many as Clerk gives at once; none when Clerk does not know them (any more). */
export async function listMembershipsOf(api: ClerkClient, userId: string): Promise<Membership[]> {
  const call = api.users.getOrganizationMembershipList({ userId, limit: pageSize })
  const found = await askClerk('Listing the memberships of a person', call)
  return found?.data.flatMap((membership) => toMembership(membership) ?? []) ?? []
}

/** As many as Clerk gives at once. */
const pageSize = 500

async function findOne(
  api: ClerkClient,
  filter: { organizationId: string; userId?: string[]; emailAddress?: string[] },
  isWanted: (found: OrganizationMembership) => boolean,
): Promise<Membership | null> {
  // The id becomes part of a URL, where other characters than these could lead elsewhere.
  if (!/^[A-Za-z0-9_]+$/.test(filter.organizationId)) return null
  const call = api.organizations.getOrganizationMembershipList({ ...filter, limit: 10 })
  const found = (await askClerk('Reading a membership', call))?.data.find(isWanted)
  return found ? toMembership(found) : null
}

/** Null when the membership has no user, which Clerk's types allow. */
function toMembership(found: OrganizationMembership): Membership | null {
  if (!found.publicUserData) return null
  const { firstName, lastName } = found.publicUserData
  return {
    organization_id: found.organization.id,
    organization_name: found.organization.name,
    user_id: found.publicUserData.userId,
    name: [firstName, lastName].filter(Boolean).join(' ') || null,
    email: emailOf(found.publicUserData.identifier),
    role: roleOf(found.role),
    membership_limit: found.organization.maxAllowedMemberships,
    updated_at: new Date(found.updatedAt),
  }
}

/**
 * The library's type is a string; the specification (Backend API of 2026-05-12,
 * OrganizationMembershipPublicUserData) allows null.
 */
function emailOf(identifier: string | null): string | null {
  return identifier?.includes('@') ? identifier.toLowerCase() : null
}

/** Clerk's `org:admin` is an admin, every other role a member. */
export function roleOf(clerkRole: string): OrganizationRole {
  return clerkRole === 'org:admin' ? 'admin' : 'member'
}

/** The verified addresses of a person, lower case; none when Clerk does not know them (any more). */
export async function listEmailAddresses(api: ClerkClient, userId: string): Promise<string[]> {
  const user = await askClerk('Reading a person', api.users.getUser(userId))
  return (user?.emailAddresses ?? [])
    .filter((address) => address.verification?.status === 'verified')
    .map((address) => address.emailAddress.toLowerCase())
}
