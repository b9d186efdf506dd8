import type { Subscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import { inThisMode } from '../../schema/vendors/stripe/mode.ts'
import { liveStatuses } from '../../schema/vendors/stripe/statuses.ts'
import { type Candidate, type Comparison, cancellationOf } from './comparison.ts'

/** Each costs a call to Clerk. */
const ownersPerStep = 20

/**
 * Clerk knows the owner of every live subscription. A deletion that was told of ends it; this finds the ones
 * that no event told of, and only tells: with a key of another instance Clerk would know none of them.
 */
export const subscribers: Comparison = {
  name: 'owners of subscriptions',
  async step({ deps }, after) {
    const rows = await deps.db
      .selectFrom('subscriptions')
      .selectAll()
      .where('status', 'in', liveStatuses)
      .where(inThisMode('subscriptions'))
      .where('stripe_subscription_id', '>', after ?? '')
      .orderBy('stripe_subscription_id')
      .limit(ownersPerStep)
      .execute()
    const differences: Candidate[] = []
    for (const row of rows) {
      const members =
        kindOf(row.owner_id) === 'organization' ? await deps.clerk.listMembers(row.owner_id) : null
      if (members && !members.some(({ role }) => role === 'admin'))
        differences.push(withoutAdmin(row, members))
      else if (!members && (await deps.clerk.isGone(row.owner_id))) differences.push(ownerGone(row))
    }
    return {
      count: rows.length,
      differences,
      next: rows.length < ownersPerStep ? null : (rows.at(-1)?.stripe_subscription_id ?? null),
    }
  },
}

function withoutAdmin(row: Subscription, members: readonly unknown[]): Candidate {
  const { stripe_subscription_id: id, owner_id, cancel_at } = row
  return {
    kind: 'organization_without_admin',
    object_id: owner_id,
    owner_id,
    sentence: 'An organization has a plan and no admin',
    they_say: `None of the ${members.length} members of ${owner_id} is an admin.`,
    we_have: `Subscription ${id} ${cancel_at ? `ends on ${cancel_at.toISOString().slice(0, 10)}` : 'is to be renewed'}.`,
    money: null,
    credits: null,
    repair: null,
    advice: 'Make a member an admin in Clerk’s dashboard: they can resume the plan, which ends otherwise.',
    refs: [id, owner_id],
  }
}

function ownerGone(row: Subscription): Candidate {
  const { stripe_subscription_id: id, owner_id, status, intent_id, last_error } = row
  return {
    kind: 'owner_gone',
    object_id: id,
    owner_id: row.owner_id,
    sentence: 'A plan is charged, and its owner does not exist any more',
    they_say: `Clerk does not have ${owner_id}.`,
    we_have: `Subscription ${id} is ${status}.${last_error ? ` The last try failed: ${last_error}` : ''}`,
    money: null,
    credits: null,
    repair: cancellationOf(id),
    advice:
      'Cancelling it ends it at Stripe without another invoice. When it is found of every owner, our key is one of another instance of Clerk: correct the key.',
    refs: [id, intent_id, owner_id],
  }
}
