import { ClerkUnavailableError } from '../../schema/clerk/errors.ts'
import type { MemberKey, Membership } from '../../schema/clerk/memberships.ts'
import type { Dependencies } from '../dependencies.ts'
import { notAdmin, organizationNotFound, signInUnavailable } from '../errors.ts'

type ClerkDependency = { readonly clerk: Pick<Dependencies['clerk'], 'findMembership'> }

/**
 * The caller's place in the organization, as Clerk has it now. A session token's own claim names only the active organization
 * and may be a minute old, so a removed admin could still act with it: see decision 040. 404 when the caller is no member.
 */
export async function requireMembership(deps: ClerkDependency, caller: MemberKey): Promise<Membership> {
  const membership = await deps.clerk.findMembership(caller).catch((error: unknown) => {
    throw error instanceof ClerkUnavailableError ? signInUnavailable(error) : error
  })
  if (!membership) throw organizationNotFound()
  return membership
}

/** The same for what only admins may do; a member is told so with `doing`, e.g. `manage seats`. */
export async function requireAdmin(
  deps: ClerkDependency,
  caller: MemberKey,
  { doing }: { doing: string },
): Promise<Membership> {
  const membership = await requireMembership(deps, caller)
  if (membership.role !== 'admin') throw notAdmin(doing)
  return membership
}
