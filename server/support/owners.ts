import { type Editors, editorOfScheme } from '../../schema/api/redirect-uri.ts'
import type { SupportOwner, SupportPerson } from '../../schema/api/support.ts'
import type { ReadDatabase } from '../../schema/database/connect.ts'
import { isActive, type ListedToken, listTokens } from '../../schema/extension/tokens.ts'
import { isOwnerId, kindOf } from '../../schema/ledger/accounts.ts'
import { findUser, listNames } from '../../schema/people/users/users.ts'
import { findEmails, listCustomers, listRelations, type Relation } from '../../schema/support/relations.ts'
import { maskEmail } from '../../schema/support/timeline-sources.ts'
import { ClerkUnavailableError } from '../../schema/vendors/clerk/errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { clerkLinks, stripeLinks } from './items.ts'

/** Owners as lists show them: people by their address where one has to choose between them, else masked. */
export async function presentOwners(
  db: ReadDatabase,
  owners: readonly (string | null)[],
  addresses: 'whole' | 'masked',
): Promise<(owner_id: string | null) => SupportOwner | null> {
  const people = owners.filter((id) => id !== null).filter((id) => kindOf(id) === 'user')
  const emails = await findEmails(db, people)
  return (owner_id) => {
    if (!owner_id) return null
    const email = emails.get(owner_id)
    const label = email === undefined ? null : addresses === 'whole' ? email : maskEmail(email)
    return { kind: kindOf(owner_id), id: owner_id, label }
  }
}

/** The full profile, for an opened case. Our copy is used while Clerk does not answer. */
export async function presentPerson(
  { db, clerk, now, settings }: Pick<Dependencies, 'db' | 'clerk' | 'now' | 'settings'>,
  owner_id: string,
): Promise<SupportPerson> {
  const isUser = kindOf(owner_id) === 'user'
  const [identity, user, customers, relations, tokens] = await Promise.all([
    identify(clerk, owner_id),
    isUser ? findUser(db, owner_id) : undefined,
    listCustomers(db, owner_id),
    listRelations(db, owner_id),
    isUser ? listTokens(db, { user_id: owner_id, limit: tokensMax }) : [],
  ])
  const organizations = await nameOrganizations(clerk, relations)
  const isKnown = typeof identity === 'object'
  const ourName = [user?.first_name, user?.last_name].filter(Boolean).join(' ')
  return {
    name: isKnown ? identity.name : ourName || null,
    email: isKnown ? identity.email : user?.email || null,
    at_clerk: isKnown ? identity.state : identity,
    member_since: user?.created_at.toISOString() ?? null,
    forgotten_at: user?.forgotten_at?.toISOString() ?? null,
    customers: customers.map(({ customer_id, livemode }) => ({
      id: customer_id,
      links: stripeLinks(settings, customer_id, livemode),
    })),
    related: relations.map(({ email, ...relation }) => ({
      ...relation,
      label: email ? maskEmail(email) : (organizations.get(relation.id) ?? null),
    })),
    editors: tokens.map((token) => presentToken(token, settings.editors, now())),
    links: clerkLinks(settings, owner_id),
  }
}

/** Each is a call of Clerk's. */
const namedMax = 10
const tokensMax = 15

async function nameOrganizations(
  clerk: Dependencies['clerk'],
  relations: readonly Relation[],
): Promise<Map<string, string>> {
  const organizations = relations.filter(({ kind }) => kind === 'organization').slice(0, namedMax)
  const named = await Promise.all(
    organizations.map(async ({ id }) => {
      const identity = await identify(clerk, id)
      return typeof identity === 'object' && identity.name ? [[id, identity.name] as const] : []
    }),
  )
  return new Map(named.flat())
}

function presentToken(token: ListedToken, editors: Editors, now: Date): SupportPerson['editors'][number] {
  const { id, scheme, editor_name, created_at, expires_at, last_used_at, revoked_at } = token
  return {
    id,
    kind: scheme === null ? 'generated' : 'signed_in',
    editor: editorOfScheme(scheme, editors),
    name: editor_name,
    state: revoked_at ? 'revoked' : isActive(token, now) ? 'connected' : 'expired',
    connected_at: created_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
    ends_at: (revoked_at ?? expires_at).toISOString(),
  }
}

export async function identify(clerk: Dependencies['clerk'], owner_id: string) {
  try {
    return (await clerk.identify(owner_id)) ?? 'gone'
  } catch (error) {
    if (error instanceof ClerkUnavailableError) return 'unknown'
    throw error
  }
}

/** A colleague's name; the id itself for `schedule` and unknown actors. */
export type NameOf = (id: string) => string

/** Support staff need no account of the product, so Clerk is asked for unknown ones. */
export async function nameColleagues(
  { db, clerk }: { readonly db: ReadDatabase } & Pick<Dependencies, 'clerk'>,
  ids: readonly (string | null)[],
): Promise<NameOf> {
  const asked = [...new Set(ids)].filter((id) => id !== null)
  const known = new Map<string, { name: string | null; email: string | null }>(await listNames(db, asked))
  const findAtClerk = async (id: string) => {
    const isUser = !known.has(id) && isOwnerId(id) && kindOf(id) === 'user'
    const identity = isUser && (await identify(clerk, id))
    if (identity && typeof identity === 'object') known.set(id, identity)
  }
  await Promise.all(asked.map(findAtClerk))
  return (id) => known.get(id)?.name ?? known.get(id)?.email ?? id
}
