import { sql } from 'kysely'
import { ClerkRefusalError, ClerkUnavailableError } from '../../schema/clerk/errors.ts'
import { type Invitation, lockInvitation } from '../../schema/invitations/invitations.ts'
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
const longestWaitMs = 3600 * 1000

/**
 * Asks Clerk about invitations that are due: they ran out, or whoever sent them crashed or got no answer. Clerk sends no event
 * when one expires. Returns how many it settled; one that fails is tried again by a later sweep.
 */
export async function syncDueInvitations(deps: WorkerDependencies): Promise<number> {
  const due = await claimDue(deps)
  let settled = 0
  for (const invitation of due) {
    try {
      await settleDue(deps, invitation)
      settled += 1
    } catch (error) {
      deps.log.warn({ err: error, invitation_id: invitation.id }, 'An invitation could not be settled')
      // The others would only wait for the same; and the next sweep of everything else waits for this one.
      if (error instanceof ClerkUnavailableError) break
    }
  }
  deps.metrics.swept.inc({ what: 'invitation' }, settled)
  return settled
}

async function settleDue(deps: WorkerDependencies, invitation: Invitation): Promise<void> {
  const snapshot = await fetchSnapshot(deps, invitation)
  await deps.db.transaction().execute(async (trx) => {
    await lockSeats(trx, invitation.organization_id)
    const locked = await lockInvitation(trx, invitation.id)
    if (locked) await applyInvitation(trx, locked, snapshot)
  })
  if (invitation.status === 'pending') return
  await revokeLeftover(deps, snapshot)
  await deps.db
    .updateTable('team_invitations')
    .set({ sweep_at: null })
    .where('id', '=', invitation.id)
    .where('status', '<>', 'pending')
    .execute()
}

async function fetchSnapshot(deps: WorkerDependencies, invitation: Invitation): Promise<InvitationSnapshot> {
  const { clerk_invitation_id, organization_id } = invitation
  if (clerk_invitation_id) return fetchInvitation(deps, { organization_id, clerk_invitation_id })
  const snapshot = await searchInvitation(deps, invitation)
  // Somebody who invited the same address again may have taken over what this one had Clerk send.
  const isTaken = snapshot.found && (await isAttached(deps, snapshot.found.clerk_invitation_id))
  return isTaken ? { found: null, status: 'revoked', member: null } : snapshot
}

async function isAttached(deps: WorkerDependencies, clerkInvitationId: string): Promise<boolean> {
  const row = await deps.db
    .selectFrom('team_invitations')
    .select('id')
    .where('clerk_invitation_id', '=', clerkInvitationId)
    .executeTakeFirst()
  return row !== undefined
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

async function claimDue(deps: WorkerDependencies): Promise<Invitation[]> {
  return deps.db
    .updateTable('team_invitations')
    .set({
      sweep_at: sql<Date>`${deps.now()}::timestamptz
        + least(${deps.sweepAfterMs} * 2 ^ least(sweeps, 20), ${longestWaitMs}) * interval '1 millisecond'`,
      sweeps: sql<number>`sweeps + 1`,
    })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('team_invitations')
        .select('id')
        .where('sweep_at', '<=', deps.now())
        .orderBy('sweep_at')
        .limit(batchSize)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute()
}
