import type { ClerkInvitation, InvitationKey } from '../../../schema/clerk/invitations.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { lookAtMember, type MemberLook } from './member-look.ts'

/** How an invitation stands at Clerk, and whoever accepted it. */
export interface InvitationLook {
  /** Null when Clerk knows no such invitation (any more). */
  readonly found: ClerkInvitation | null
  readonly joined: MemberLook | null
}

type Deps = Pick<WorkerDependencies, 'db' | 'clerk'>

/** Asks Clerk how an invitation stands now. Only the event of its acceptance names the person, so else they are looked up. */
export async function lookAtInvitation(
  deps: Deps,
  key: InvitationKey & { readonly user_id?: string | null | undefined },
): Promise<InvitationLook> {
  return withJoined(deps, await deps.clerk.findInvitation(key), key.user_id)
}

/** The same for an invitation of ours of which we do not know what it became at Clerk. */
export async function lookForInvitation(
  deps: Deps,
  invitation: { id: string; organization_id: string },
): Promise<InvitationLook> {
  const all = await deps.clerk.listInvitations(invitation.organization_id)
  return withJoined(deps, all.find((found) => found.invitation_id === invitation.id) ?? null)
}

async function withJoined(
  deps: Deps,
  found: ClerkInvitation | null,
  acceptedBy?: string | null,
): Promise<InvitationLook> {
  if (found?.status !== 'accepted') return { found, joined: null }
  const { organization_id, email } = found
  const user_id = acceptedBy ?? (await deps.clerk.findMemberByEmail({ organization_id, email }))?.user_id
  if (!user_id) return { found, joined: null }
  const look = await lookAtMember(deps, { organization_id, user_id })
  // Whoever accepted it has shown that they read mail there.
  return { found, joined: { ...look, emails: [...new Set([email, ...look.emails])] } }
}
