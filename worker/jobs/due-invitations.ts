import { ClerkRefusalError, ClerkUnavailableError } from '../../schema/clerk/errors.ts'
import {
  findInvitation,
  findInvitationAtClerk,
  type Invitation,
  lockInvitation,
  stopSweeping,
} from '../../schema/invitations/invitations.ts'
import { claimDue } from '../../schema/sweep/claim-due.ts'
import { applyInvitation } from '../apply/clerk/apply-invitation.ts'
import { lockSeats } from '../apply/clerk/apply-member.ts'
import {
  fetchInvitation,
  type InvitationSnapshot,
  searchInvitation,
} from '../apply/clerk/invitation-snapshot.ts'
import type { WorkerDependencies } from '../dependencies.ts'

/** Each asks Clerk at least one question, so a sweep takes few and the next one goes on. */
const batchSize = 20

/**
 * Asks Clerk about invitations that are due: they ran out, or whoever sent them crashed or got no answer. Clerk sends no event
 * when one expires. Returns how many it settled; one that fails is tried again by a later sweep.
 */
export async function syncDueInvitations(deps: WorkerDependencies): Promise<number> {
  const due = await claimDue(deps.db, 'team_invitations', {
    now: deps.now(),
    first_wait_ms: deps.sweepAfterMs,
    limit: batchSize,
  })
  let settled = 0
  for (const { id } of due) {
    try {
      await syncInvitation(deps, id)
      settled += 1
    } catch (error) {
      deps.log.warn({ err: error, invitation_id: id }, 'An invitation could not be settled')
      // The others would only wait for the same; and the next sweep of everything else waits for this one.
      if (error instanceof ClerkUnavailableError) break
    }
  }
  deps.metrics.swept.inc({ what: 'invitation' }, settled)
  return settled
}

async function syncInvitation(deps: WorkerDependencies, id: string): Promise<void> {
  const invitation = await findInvitation(deps.db, id)
  if (!invitation) return
  const snapshot = await fetchSnapshot(deps, invitation)
  await deps.db.transaction().execute(async (trx) => {
    await lockSeats(trx, invitation.organization_id)
    const locked = await lockInvitation(trx, invitation.id)
    if (locked) await applyInvitation(trx, locked, snapshot)
  })
  if (invitation.status === 'pending') return
  await revokeLeftover(deps, snapshot)
  await stopSweeping(deps.db, invitation.id)
}

async function fetchSnapshot(deps: WorkerDependencies, invitation: Invitation): Promise<InvitationSnapshot> {
  const { clerk_invitation_id, organization_id } = invitation
  if (clerk_invitation_id) return fetchInvitation(deps, { organization_id, clerk_invitation_id })
  const snapshot = await searchInvitation(deps, invitation)
  // Somebody who invited the same address again may have taken over what this one had Clerk send.
  const isTaken =
    snapshot.found && (await findInvitationAtClerk(deps.db, snapshot.found.clerk_invitation_id)) !== undefined
  return isTaken ? { found: null, status: 'revoked', member: null } : snapshot
}

/** An invitation that we gave up, and that Clerk sent after all, must not bring anybody in. */
async function revokeLeftover(deps: WorkerDependencies, { found }: InvitationSnapshot): Promise<void> {
  if (found?.status !== 'pending') return
  try {
    await deps.clerk.revokeInvitation(found)
  } catch (error) {
    // It ended in this very moment.
    if (!(error instanceof ClerkRefusalError)) throw error
  }
}
