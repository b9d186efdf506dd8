import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import type { Renewal } from '../../api/account.ts'
import { findRow } from '../../database/find-rows.ts'
import type { DB, Subscriptions } from '../../database/types.ts'
import type { Claimable } from '../../inbox/claim/claimable.ts'
import { inThisMode } from '../../vendors/stripe/mode.ts'
import { liveStatuses } from '../../vendors/stripe/statuses.ts'

export type Subscription = Selectable<Subscriptions>

export const claimableSubscriptions = {
  table: 'subscriptions',
  key: ['stripe_subscription_id'],
  unfinished: sql<SqlBool>`is_unfinished AND sync_failed_at IS NULL`,
} as const satisfies Claimable

export function isLive(subscription: Pick<Subscription, 'status'>): boolean {
  return liveStatuses.includes(subscription.status)
}

/** A payment was declined, and Stripe tries it again or has given up. */
export function isOverdue(subscription: { readonly status: string } | undefined): boolean {
  return subscription?.status === 'past_due' || subscription?.status === 'unpaid'
}

export async function findLiveSubscription(
  db: Kysely<DB>,
  owner_id: string,
): Promise<Subscription | undefined> {
  return selectLiveSubscription(db, owner_id).executeTakeFirst()
}

/** The same, locked: it does not change, nor do its seats, until the transaction ends. */
export async function lockLiveSubscription(
  db: Kysely<DB>,
  owner_id: string,
): Promise<Subscription | undefined> {
  return selectLiveSubscription(db, owner_id).forUpdate().executeTakeFirst()
}

function selectLiveSubscription(db: Kysely<DB>, owner_id: string) {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('owner_id', '=', owner_id)
    .where('status', 'in', liveStatuses)
    .where(inThisMode('subscriptions'))
}

/** Whether its plan brings nothing any more although it is live at Stripe: nothing is paid or on its way. */
export function hasLapsed({ lapses_at }: Pick<Subscription, 'lapses_at'>, now: Date): boolean {
  return lapses_at !== null && lapses_at <= now
}

const renewalUsualMs = 3600 * 1000
const renewalMaxMs = 3 * 24 * 3600 * 1000

/**
 * The renewal of a subscription: its last paid period is over, and what follows is not known to be paid.
 * Stripe keeps the invoice as a draft for about an hour, or for up to three days while `invoice.created` is
 * not answered (docs.stripe.com/billing/subscriptions/webhooks). The end of a trial is a renewal too.
 */
export async function findRenewal(
  db: Kysely<DB>,
  live: Subscription | undefined,
  now: Date,
): Promise<Renewal | null> {
  if (!live || hasLapsed(live, now) || (live.status !== 'active' && live.status !== 'trialing')) return null
  const paid = await db
    .selectFrom('paid_invoice_lines')
    .select('ends_at')
    .where('owner_id', '=', live.owner_id)
    .where('stripe_subscription_id', '=', live.stripe_subscription_id)
    .where('kind', '=', 'period')
    .orderBy('starts_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!paid || paid.ends_at > now) return null
  const age_ms = now.getTime() - paid.ends_at.getTime()
  if (age_ms >= renewalMaxMs || (live.cancel_at && live.cancel_at <= paid.ends_at)) return null
  // Where the period was moved without an invoice, the next one comes when Stripe's period ends.
  const isUnderWay = live.current_period_start >= paid.ends_at || live.current_period_end <= now
  if (!isUnderWay) return null
  return age_ms > renewalUsualMs ? 'late' : 'usual'
}

/** The latest subscription of an owner, live or ended, for the overview. */
export async function findLatestSubscription(
  db: Kysely<DB>,
  owner_id: string,
): Promise<Subscription | undefined> {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('owner_id', '=', owner_id)
    .where(inThisMode('subscriptions'))
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** An owner's subscriptions, live or ended, the oldest first. */
export async function listSubscriptionsOfOwner(
  db: Kysely<DB>,
  owner_id: string,
  { limit }: { readonly limit: number },
): Promise<Subscription[]> {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('owner_id', '=', owner_id)
    .where(inThisMode('subscriptions'))
    .orderBy('created_at')
    .limit(limit)
    .execute()
}

/** A live subscription that the person bought for an organization. */
export async function findLiveTeam(db: Kysely<DB>, buyerId: string): Promise<Subscription | undefined> {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('user_id', '=', buyerId)
    .where('owner_id', '<>', buyerId)
    .where('status', 'in', liveStatuses)
    .where(inThisMode('subscriptions'))
    .executeTakeFirst()
}

export function findSubscriptionOfIntent(db: Kysely<DB>, id: string): Promise<Subscription | undefined> {
  return findRow(db, 'subscriptions', 'intent_id', id)
}

export function findSubscription(db: Kysely<DB>, id: string): Promise<Subscription | undefined> {
  return findRow(db, 'subscriptions', 'stripe_subscription_id', id)
}
