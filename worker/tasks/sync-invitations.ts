import { retryTransaction } from '../../schema/database/retry.ts'
import { claimDue } from '../../schema/inbox/claim/claim-due.ts'
import { deliverInvitation, refusalCodeOf } from '../../schema/people/invitations/deliver-invitation.ts'
import {
  claimableInvitations,
  endInvitation,
  failInvitationSync,
  findInvitation,
  findInvitationAtClerk,
  type Invitation,
  lockInvitation,
  stopClaims,
} from '../../schema/people/invitations/invitations.ts'
import { ClerkRefusalError } from '../../schema/vendors/clerk/errors.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { applyInvitation } from '../events/clerk/apply-invitation.ts'
import { lockSeats } from '../events/clerk/apply-member.ts'
import {
  fetchInvitation,
  type InvitationSnapshot,
  searchInvitation,
} from '../events/clerk/invitation-snapshot.ts'
import { kindOf } from '../failures.ts'
import { tryRow } from '../jobs/try-row.ts'

/** Each needs at least one call to Clerk, so a claim takes only a few and the next one continues. */
const batchSize = 20

/**
 * Syncs the invitations that are due: they expired, for which Clerk sends no event, their sender crashed or
 * got no answer, or Clerk asked to send them later. Returns how many it synced.
 */
export async function syncDueInvitations(deps: WorkerDependencies): Promise<number> {
  const due = await claimDue(deps.db, claimableInvitations, {
    now: deps.now(),
    first_wait_ms: deps.claimAfterMs,
    limit: batchSize,
  })
  let synced = 0
  for (const { id } of due) {
    const invitation = await findInvitation(deps.db, id)
    if (!invitation) continue
    const row = {
      what: 'invitation',
      rows: claimableInvitations,
      key: { id },
      ids: { invitation_id: id, organization_id: invitation.organization_id },
      subject: invitation.organization_id,
      record: invitation,
      isScheduled: true,
      giveUp: (reason: string) => failInvitationSync(deps.db, { id, reason, now: deps.now() }),
    } as const
    try {
      await tryRow(deps, row, () => syncInvitation(deps, invitation))
      synced += 1
    } catch (error) {
      // The others would fail in the same way, and the next claim of everything else waits for this one.
      if (kindOf(error) === 'unavailable') break
    }
  }
  deps.metrics.claimed.inc({ what: 'invitation' }, synced)
  return synced
}

/** Sends one that had to wait, or makes ours agree with Clerk's; one that has ended is ended there too. */
export async function syncInvitation(deps: WorkerDependencies, invitation: Invitation): Promise<void> {
  if (invitation.status === 'pending' && invitation.send_at) return sendWaiting(deps, invitation)
  const snapshot = await fetchSnapshot(deps, invitation)
  await retryTransaction(deps.db, async (trx) => {
    await lockSeats(trx, invitation.organization_id)
    const locked = await lockInvitation(trx, invitation.id)
    if (locked) await applyInvitation(trx, locked, snapshot, deps.now())
  })
  if (invitation.status === 'pending') return
  await revokeLeftover(deps, snapshot)
  await stopClaims(deps.db, invitation.id)
}

/** Sends what Clerk asked to send later. When it refuses now, the reserved seat is free again. */
async function sendWaiting(deps: WorkerDependencies, invitation: Invitation): Promise<void> {
  const { id, organization_id } = invitation
  try {
    const delivered = await deliverInvitation({ ...deps, app_url: deps.appUrl }, invitation)
    deps.log.info(
      { invitation_id: id, send_at: delivered?.send_at },
      'An invitation that had to wait was tried',
    )
  } catch (error) {
    if (!(error instanceof ClerkRefusalError)) throw error
    deps.log.error({ err: error, invitation_id: id, organization_id }, 'Clerk refused a late invitation')
    const refused = { id, status: 'revoked', refusal_code: refusalCodeOf(error) } as const
    await retryTransaction(deps.db, (trx) => endInvitation(trx, refused))
  }
}

async function fetchSnapshot(deps: WorkerDependencies, invitation: Invitation): Promise<InvitationSnapshot> {
  const { clerk_invitation_id, organization_id } = invitation
  if (clerk_invitation_id) return fetchInvitation(deps, { organization_id, clerk_invitation_id })
  const snapshot = await searchInvitation(deps, invitation)
  // A later invitation to the same address may have taken over what Clerk sent for this one.
  const isTaken =
    snapshot.found && (await findInvitationAtClerk(deps.db, snapshot.found.clerk_invitation_id)) !== undefined
  return isTaken ? { found: null, status: 'revoked', member: null } : snapshot
}

/** An invitation that we gave up, and that Clerk sent after all, must not be accepted. */
async function revokeLeftover(deps: WorkerDependencies, { found }: InvitationSnapshot): Promise<void> {
  if (found?.status !== 'pending') return
  try {
    await deps.clerk.revokeInvitation(found)
  } catch (error) {
    // It has just ended at Clerk.
    if (!(error instanceof ClerkRefusalError)) throw error
  }
}
