import type { ClerkInvitation, InvitationKey } from '../../../schema/vendors/clerk/invitations.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { fetchMember, type MemberSnapshot } from './member-snapshot.ts'

/** An invitation as Clerk has it, and the person who accepted it. */
export interface InvitationSnapshot {
  /**
   * Null when Clerk has no such invitation (any more): its organization was deleted, or it was never sent.
   */
  readonly found: ClerkInvitation | null
  readonly status: ClerkInvitation['status']
  readonly member: MemberSnapshot | null
}

/** What an event says that cannot change any more: the invitation was accepted, and by whom. */
export interface Acceptance {
  readonly user_id: string | null
}

type Deps = Pick<WorkerDependencies, 'db' | 'clerk'>

export async function fetchInvitation(
  deps: Deps,
  key: InvitationKey,
  acceptance: Acceptance | null = null,
): Promise<InvitationSnapshot> {
  const { organization_id } = key
  return toSnapshot(deps, { organization_id, found: await deps.clerk.findInvitation(key) }, acceptance)
}

/** For one whose id at Clerk we do not know. */
export async function searchInvitation(
  deps: Deps,
  { id, organization_id }: { id: string; organization_id: string },
): Promise<InvitationSnapshot> {
  const all = await deps.clerk.listInvitations(organization_id)
  const found = all.find((invitation) => invitation.invitation_id === id) ?? null
  return toSnapshot(deps, { organization_id, found }, null)
}

/**
 * Only the event of its acceptance names the person who accepted, so otherwise the member is found by the
 * address.
 */
async function toSnapshot(
  deps: Deps,
  { organization_id, found }: { organization_id: string; found: ClerkInvitation | null },
  acceptance: Acceptance | null,
): Promise<InvitationSnapshot> {
  const status = acceptance ? 'accepted' : (found?.status ?? 'revoked')
  if (status !== 'accepted') return { found, status, member: null }
  const user_id = acceptance?.user_id ?? (found && (await findMemberId(deps, found)))
  if (!user_id) return { found, status, member: null }
  const member = await fetchMember(deps, { organization_id, user_id })
  // Accepting it has proven that the user receives mail there.
  const emails = found ? [...new Set([found.email, ...member.emails])] : member.emails
  return { found, status, member: { ...member, emails } }
}

async function findMemberId(deps: Deps, { organization_id, email }: ClerkInvitation): Promise<string | null> {
  return (await deps.clerk.findMemberByEmail({ organization_id, email }))?.user_id ?? null
}
