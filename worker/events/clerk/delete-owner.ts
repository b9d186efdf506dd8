import { failureOf } from '../../../schema/api/failures.ts'
import { makeCheckoutsDue } from '../../../schema/billing/checkout/intents.ts'
import { findStripeCustomer } from '../../../schema/billing/customers/customers.ts'
import { makeSubscriptionsDue } from '../../../schema/billing/subscriptions/snapshots.ts'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import { deleteSignInsOf } from '../../../schema/extension/sign-ins.ts'
import { revokeTokens } from '../../../schema/extension/tokens.ts'
import { lockOwner } from '../../../schema/ledger/post/books.ts'
import { revokeInvitationsOf } from '../../../schema/people/invitations/invitations.ts'
import { endMembershipsOf, listOrganizationsOf } from '../../../schema/people/members/members.ts'
import { markDeleted } from '../../../schema/people/owners/deleted-owners.ts'
import { endSeatsOf } from '../../../schema/people/seats/seats.ts'
import { refreshPlanType } from '../../../schema/people/users/plan-type.ts'
import { idOf } from '../../../schema/vendors/stripe/events.ts'
import { refundPayment } from '../../../schema/vendors/stripe/refund-all.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import type { DeletedOwner } from '../clerk-subject.ts'
import type { Outcome } from '../outcome.ts'
import { applyMember, lockSeats } from './apply-member.ts'

interface Deletion {
  readonly id: string
  readonly snapshot_order: number
}

/** Clerk sends an event again for a day or two (https://docs.svix.com/retries): an older time is not believed. */
const longestLateMs = 7 * 86_400_000

/**
 * Gives back what an owner was charged between their deletion and the moment in which we hear of it: a payment
 * page that was open, a renewal. Heard in time the page is closed, and the plan ends (`deleteOwner`). Clerk,
 * too, has to say that they are gone, as for every end.
 */
export async function refundPaidAfter(
  { db, clerk, stripe, now }: Pick<WorkerDependencies, 'db' | 'clerk' | 'stripe' | 'now'>,
  { id, deleted_at }: DeletedOwner,
): Promise<void> {
  if (!deleted_at || now().getTime() - deleted_at.getTime() > longestLateMs) return
  const customer = await findStripeCustomer(db, id)
  if (!customer || !(await clerk.isGone(id))) return
  const created = { gt: Math.floor(deleted_at.getTime() / 1000) }
  for await (const { status, payment_intent: paid } of stripe.charges.list({ customer, created, limit: 100 }))
    if (status === 'succeeded' && paid) await refundPayment(stripe, idOf(paid))
}

/**
 * A user closed their account: their seats and the extension's tokens end, and so does a subscription of
 * their own at Stripe. Their row and their ledger stay, because books have to be kept; what they paid before
 * does not go back, because such refunds are decided by people.
 */
export async function deleteUser(
  trx: DatabaseTransaction,
  { id: user_id, snapshot_order }: Deletion,
  now: Date,
): Promise<Outcome> {
  const reason = await deleteOwner(trx, user_id, now)
  for (const organization_id of await listOrganizationsOf(trx, user_id)) {
    await lockSeats(trx, organization_id)
    await applyMember(trx, { organization_id, user_id, snapshot_order, role: null, emails: [] })
    // They may have been its last admin, and the one whom its invoices go to: see `endWithoutAdmin`.
    await makeSubscriptionsDue(trx, { owner_id: organization_id, now })
  }
  // The sign-ins first: this waits for one that is being exchanged, so that its token is revoked with the
  // others.
  await deleteSignInsOf(trx, user_id)
  await revokeTokens(trx, { user_id, now })
  await refreshPlanType(trx, [user_id])
  return { state: 'applied', reason }
}

/**
 * An organization was deleted: all its seats and invitations end, and so does its subscription at Stripe. Its
 * pool of credits stays in the ledger, and what was paid before does not go back: people decide that.
 */
export async function deleteOrganization(
  trx: DatabaseTransaction,
  { id: organization_id, snapshot_order }: Deletion,
  now: Date,
): Promise<Outcome> {
  const reason = await deleteOwner(trx, organization_id, now)
  await lockSeats(trx, organization_id)
  await endMembershipsOf(trx, { organization_id, snapshot_order })
  await revokeInvitationsOf(trx, organization_id)
  await refreshPlanType(trx, await endSeatsOf(trx, organization_id))
  return { state: 'applied', reason }
}

/**
 * Records that an owner was deleted at Clerk, and makes their subscriptions and open checkouts due, which ends
 * them at Stripe: see `endIfOwnerIsGone` and `endForDeleted`. Before anything else is locked. Returns what
 * support reads of it.
 */
async function deleteOwner(trx: DatabaseTransaction, owner_id: string, now: Date): Promise<string | null> {
  await lockOwner(trx, owner_id)
  await markDeleted(trx, owner_id)
  await makeCheckoutsDue(trx, { owner_id, now })
  const ids = await makeSubscriptionsDue(trx, { owner_id, now })
  return ids.length > 0 ? failureOf('ends_at_stripe', { ids: ids.join(', ') }) : null
}
