import type { ClerkClient } from '@clerk/backend'
import { kindOf } from '../../ledger/accounts.ts'
import { askClerk } from './client.ts'

export interface Identity {
  readonly name: string | null
  /** Null for an organization, and for a user who signed up without an e-mail address. */
  readonly email: string | null
  readonly state: 'known' | 'banned' | 'locked'
}

/** Null when Clerk does not have the user or organization (any more). */
export async function identify(api: ClerkClient, owner_id: string): Promise<Identity | null> {
  if (kindOf(owner_id) === 'organization') {
    const call = api.organizations.getOrganization({ organizationId: owner_id })
    const organization = await askClerk('Reading an organization', call)
    return organization && { name: organization.name, email: null, state: 'known' }
  }
  const user = await askClerk('Reading a person', api.users.getUser(owner_id))
  if (!user) return null
  return {
    name: user.fullName,
    email: (user.primaryEmailAddress ?? user.emailAddresses[0])?.emailAddress ?? null,
    state: user.banned ? 'banned' : user.locked ? 'locked' : 'known',
  }
}

/**
 * Whether Clerk answers with 404. A key of another instance makes it answer so for everything, so this alone
 * proves nothing.
 */
export async function isGone(api: ClerkClient, owner_id: string): Promise<boolean> {
  return (await identify(api, owner_id)) === null
}

/**
 * Whether the person is on the support staff: `role` is `support` in their public metadata, which only the
 * operator of the product can write, and they may sign in.
 */
export async function isSupportStaff(api: ClerkClient, userId: string): Promise<boolean> {
  const user = await askClerk('Reading a role', api.users.getUser(userId))
  return user?.publicMetadata.role === 'support' && !user.banned && !user.locked
}

export async function findUserIdsByEmail(api: ClerkClient, email: string): Promise<string[]> {
  const users = await askClerk(
    'Finding a person',
    api.users.getUserList({ emailAddress: [email], limit: 10 }),
  )
  return users?.data.map(({ id }) => id) ?? []
}

/** More than that is no answer to a question about one customer. */
const namesakesMax = 10

/**
 * People and organizations whose name has all words of the text, in upper or lower case. Clerk looks for a
 * text in first and last names one by one (UserListParams.query, GetOrganizationListParams.query), so it is
 * asked for the longest word.
 */
export async function findOwnersByName(
  api: ClerkClient,
  text: string,
): Promise<{ readonly owner_id: string; readonly name: string }[]> {
  const words = text.toLowerCase().split(/\s+/)
  const query = words.reduce((longest, word) => (word.length > longest.length ? word : longest), '')
  const [people, organizations] = await Promise.all([
    askClerk('Finding a person', api.users.getUserList({ query, limit: 100 })),
    askClerk('Finding an organization', api.organizations.getOrganizationList({ query, limit: 100 })),
  ])
  const named = [
    ...(people?.data ?? []).map(({ id, fullName, username }) => ({
      owner_id: id,
      name: fullName ?? username ?? '',
    })),
    ...(organizations?.data ?? []).map(({ id, name }) => ({
      owner_id: id,
      name,
    })),
  ]
  const hasAllWords = ({ name }: { name: string }) => words.every((word) => name.toLowerCase().includes(word))
  return named.filter(hasAllWords).slice(0, namesakesMax)
}

/** Clerk deletes memberships, sessions and the profile with the account (its operation DeleteUser). */
export async function deleteUser(api: ClerkClient, userId: string): Promise<void> {
  await askClerk('Deleting a person', api.users.deleteUser(userId))
}

/** The ids of a person's sessions that are alive, of which a page of Clerk's has 500 at most. */
export async function listSessions(api: ClerkClient, userId: string): Promise<string[]> {
  const asked = api.sessions.getSessionList({ userId, status: 'active', limit: 500 })
  return (await askClerk('Listing sessions', asked))?.data.map(({ id }) => id) ?? []
}

/** Nothing happens when it has ended already. Its token works on for its minute. */
export async function revokeSession(api: ClerkClient, sessionId: string): Promise<void> {
  await askClerk('Ending a session', api.sessions.revokeSession(sessionId))
}
