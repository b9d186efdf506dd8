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
    sentence: 'An organization has a plan and no admin',
    they_say: `None of the ${members.length} members of ${owner_id} is an admin.`,
    we_have: `Subscription ${id} ${cancel_at ? `ends on ${cancel_at.toISOString().slice(0, 10)}` : 'is to be renewed'}.`,
    advice: 'Make a member an admin in Clerk’s dashboard: the plan, which ends otherwise, goes on then.',
    refs: [id, owner_id],
  }
}

function untaxed({ stripe_subscription_id: id, owner_id, intent_id }: Subscription): UnconfirmedDifference {
  return {
    kind: 'subscription_untaxed',
    object_id: id,
    owner_id,
    sentence: 'The tax of a plan cannot be worked out',
    they_say: `Subscription ${id} has its tax switched off, or its invoice waits: the customer has no address.`,
    we_have: 'Its customer is asked for one on the billing page.',
    money: null,
    credits: null,
    repair: replayOf('subscription', id),
    advice:
      'Add the address to the customer in Stripe’s dashboard. A replay then switches the tax on; an invoice that has gone out without it is corrected there by a credit note.',
    refs: [id, intent_id, owner_id],
  }
}

function ownerGone(row: Subscription): UnconfirmedDifference {
  const { stripe_subscription_id: id, owner_id, status, intent_id, last_error } = row
  return {
    kind: 'owner_gone',
    object_id: id,
    owner_id: row.owner_id,
    sentence: 'A plan is charged, and its owner does not exist any more',
    they_say: `Clerk does not have ${owner_id}.`,
    we_have: `Subscription ${id} is ${status}.${last_error ? ` The last try failed: ${last_error}` : ''}`,
    repair: cancellationOf(id),
    advice:
      'Cancelling it ends it at Stripe without another invoice. When it is found of every owner, our key is one of another instance of Clerk: correct the key.',
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
  const { stripe_subscription_id: id, status, seats_total, plan_type, billing_frequency, intent_id } = row
  return {
    kind: 'subscription_gone',
    object_id: id,
    owner_id: row.owner_id,
    sentence: `A plan that is ${status} here is not known to Stripe`,
    they_say: `There is no subscription ${id}.`,
    we_have: `It is ${status}: ${plan_type}, ${billing_frequency}, ${seats_total} ${seats_total === 1 ? 'seat' : 'seats'}. The last try to fetch it failed: ${row.last_error}`,
    advice:
      'Stripe deletes no subscription. Look first whether our key is one of the account that sold it. If it is, no customer pays for this plan: find out who wrote the row, and sell the customer a new plan, or take its credits back.',
    refs: [id, intent_id],
  }
}
