import type Stripe from 'stripe'
import type { Subscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import { isMissing } from '../../schema/vendors/stripe/missing.ts'
import { inThisMode } from '../../schema/vendors/stripe/mode.ts'
import { liveStatuses } from '../../schema/vendors/stripe/statuses.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { cancellationOf, replayOf, rowsOf, type UnconfirmedDifference } from './comparison.ts'

/** Each costs a call to Clerk. */
const subscriptionsPerStep = 20

/**
 * Clerk knows the owner of every live subscription that we have, and Stripe knows the subscription. An event
 * that tells of a deletion ends a plan; this finds the deletions of which no event told, and only reports:
 * with a key of another instance Clerk would know none of the owners. Stripe’s list cannot be asked which of
 * ours it lacks, but every subscription is fetched at least once a week: only those that could not be are
 * asked for once more.
 */
export const liveSubscriptions = rowsOf<Subscription>({
  name: 'live subscriptions',
  list: (db, after) =>
    db
      .selectFrom('subscriptions')
      .selectAll()
      .where('status', 'in', liveStatuses)
      .where(inThisMode('subscriptions'))
      .where('stripe_subscription_id', '>', after)
      .orderBy('stripe_subscription_id')
      .limit(subscriptionsPerStep)
      .execute(),
  idOf: ({ stripe_subscription_id }) => stripe_subscription_id,
  compare: compareLive,
})

export async function compareLive(
  { clerk, stripe }: WorkerDependencies,
  row: Subscription,
): Promise<UnconfirmedDifference[]> {
  const { owner_id, last_error, stripe_subscription_id: id } = row
  const members = kindOf(owner_id) === 'organization' ? await clerk.listMembers(owner_id) : null
  const lacksAdmin = members && !members.some(({ role }) => role === 'admin')
  return [
    ...(lacksAdmin ? [withoutAdmin(row, members)] : []),
    ...(!members && (await clerk.isGone(owner_id)) ? [ownerGone(row)] : []),
    ...(row.lacks_tax_location ? [untaxed(row)] : []),
    ...(last_error !== null && (await isLost(stripe, id)) ? [lost(row)] : []),
  ]
}

function withoutAdmin(row: Subscription, members: readonly unknown[]): UnconfirmedDifference {
  const { stripe_subscription_id: id, owner_id, cancel_at } = row
  return {
    kind: 'organization_without_admin',
    object_id: owner_id,
    owner_id,
    data: { members: members.length, subscription_id: id, cancel_at: cancel_at?.toISOString() ?? null },
    refs: [id, owner_id],
  }
}

function untaxed({ stripe_subscription_id: id, owner_id, intent_id }: Subscription): UnconfirmedDifference {
  return {
    kind: 'subscription_untaxed',
    object_id: id,
    owner_id,
    data: {},
    repair: replayOf('subscription', id),
    refs: [id, intent_id, owner_id],
  }
}

function ownerGone(row: Subscription): UnconfirmedDifference {
  const { stripe_subscription_id: id, owner_id, status, intent_id, last_error } = row
  return {
    kind: 'owner_gone',
    object_id: id,
    owner_id,
    data: { owner_id, status, failure: last_error },
    repair: cancellationOf(id),
    refs: [id, intent_id, owner_id],
  }
}

async function isLost(stripe: Stripe, id: string): Promise<boolean> {
  try {
    await stripe.subscriptions.retrieve(id)
    return false
  } catch (error) {
    if (isMissing(error)) return true
    throw error
  }
}

function lost(row: Subscription): UnconfirmedDifference {
  const { stripe_subscription_id: id, status, seats_total: seats, intent_id, last_error: failure } = row
  return {
    kind: 'subscription_gone',
    object_id: id,
    owner_id: row.owner_id,
    data: { status, seats, plan: row.plan_type, interval: row.billing_frequency, failure },
    refs: [id, intent_id],
  }
}
