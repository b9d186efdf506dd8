import type { ClerkInvitation, InvitationKey } from '../../../schema/clerk/invitations.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { lookAtMember, type MemberLook } from './member-look.ts'

/** How an invitation stands at Clerk, and whoever accepted it. */
export interface InvitationLook {
  /** Null when Clerk knows no such invitation (any more): its organization was deleted, or it was never sent. */
  readonly found: ClerkInvitation | null
  readonly status: ClerkInvitation['status']
  readonly joined: MemberLook | null
}

/** What an event tells that cannot change any more: an invitation that was accepted stays so, and by whom. */
export interface Acceptance {
  readonly user_id: string | null
}

type Deps = Pick<WorkerDependencies, 'db' | 'clerk'>

/** Asks Clerk how an invitation stands now. */
export async function lookAtInvitation(
  deps: Deps,
  key: InvitationKey,
  acceptance: Acceptance | null = null,
): Promise<InvitationLook> {
  const { organization_id } = key
  return withJoined(deps, { organization_id, found: await deps.clerk.findInvitation(key) }, acceptance)
}

/** The same for an invitation of ours of which we do not know what it became at Clerk. */
export async function lookForInvitation(
  deps: Deps,
  { id, organization_id }: { id: string; organization_id: string },
): Promise<InvitationLook> {
  const all = await deps.clerk.listInvitations(organization_id)
  const found = all.find((invitation) => invitation.invitation_id === id) ?? null
  return withJoined(deps, { organization_id, found }, null)
}

/** Only the event of its acceptance names the person who accepted, so else they are looked up by the address. */
async function withJoined(
  deps: Deps,
  { organization_id, found }: { organization_id: string; found: ClerkInvitation | null },
  acceptance: Acceptance | null,
): Promise<InvitationLook> {
  const status = acceptance ? 'accepted' : (found?.status ?? 'revoked')
  if (status !== 'accepted') return { found, status, joined: null }
  const user_id = acceptance?.user_id ?? (found && (await findMemberId(deps, found)))
  if (!user_id) return { found, status, joined: null }
  const look = await lookAtMember(deps, { organization_id, user_id })
  // Whoever accepted it has shown that they read mail there.
  const emails = found ? [...new Set([found.email, ...look.emails])] : look.emails
  return { found, status, joined: { ...look, emails } }
}

async function findMemberId(deps: Deps, { organization_id, email }: ClerkInvitation): Promise<string | null> {
  return (await deps.clerk.findMemberByEmail({ organization_id, email }))?.user_id ?? null
}
