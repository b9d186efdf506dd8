import { sql } from 'kysely'
import { type CheckoutIntent, lockIntent, recipientOf } from '../../../schema/checkout/intents.ts'
import { saveStripeCustomer } from '../../../schema/customers/customers.ts'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import type { Owner } from '../../../schema/ledger/accounts.ts'
import { giveFirstSeat } from '../../../schema/seats/first-seat.ts'
import { liveStatuses } from '../../../schema/stripe/statuses.ts'
import type { Subscription } from '../../../schema/subscriptions/subscriptions.ts'
import { refreshPlanType } from '../../../schema/users/plan-type.ts'
import { NotYetError, PermanentError } from '../../errors.ts'
import type { EventOutcome } from '../apply-event.ts'
import { billingMonths } from './billing-months.ts'
import { closeMonth } from './close-month.ts'
import type { SubscriptionFacts } from './facts.ts'
import { grantMonths } from './grant-months.ts'

/** What made us look, and when. */
export interface Cause {
  readonly event_id: string | null
  readonly actor: string
  readonly now: Date
}

/** Nothing is looked at less often than this, so that even a subscription whose events are all lost is right a day later. */
const longestWaitMs = 24 * 3600 * 1000

/**
 * Makes our books agree with a look at Stripe, inside the caller's transaction: the subscription's row, its intent, the grants
 * that are due, the plan of those it concerns. Every event of a subscription ends here and the look holds everything, so
 * neither their order nor how often they come makes a difference; an older look never replaces a newer one.
 *
 * Throws NotYetError when the intent has not been committed yet, PermanentError when Stripe took another sum than promised.
 */
export async function applySubscription(
  trx: DatabaseTransaction,
  facts: SubscriptionFacts,
  cause: Cause,
): Promise<EventOutcome> {
  const intent = await lockIntent(trx, facts.intent_id)
  if (!intent) throw new NotYetError(`Intent ${facts.intent_id} of subscription ${facts.id} is not there yet`)
  const known = await lockSubscription(trx, facts.id)
  if (known && known.snapshot_order >= facts.snapshot_order)
    return { state: 'applied', reason: 'A newer snapshot has been applied' }
  if (!known && !wasBought(facts))
    return { state: 'applied', reason: `It is ${facts.status}: nothing is paid yet` }

  const owner = recipientOf(intent)
  if (!owner) throw new NotYetError(`Intent ${intent.id} has no organization yet`)
  if (!known) checkPromise(intent, facts)
  const subscription = await writeSubscription(trx, { intent, owner, facts, cause })
  if (intent.state !== 'settled') await settleIntent(trx, intent, facts)
  await writePaidFacts(trx, facts)
  if (!known) await saveStripeCustomer(trx, { ...owner, customer_id: facts.customer_id })
  await grantMonths(trx, { subscription, facts, cause })
  if (facts.ended_at) {
    await closeMonth(trx, subscription, {
      name: `${facts.id}/ended`,
      occurred_at: facts.ended_at,
      reason: 'Plan ended',
      cause,
    })
  }
  await followPlan(trx, { intent, owner })
  return { state: 'applied', reason: null }
}

/** When the next billing month begins, or a day from now if that is sooner. */
function nextLook(facts: SubscriptionFacts, now: Date): Date {
  const daily = new Date(now.getTime() + longestWaitMs)
  const months = billingMonths(facts.paid, daily)
  return months.find((month) => month.starts_at > now)?.starts_at ?? daily
}

/** A subscription whose first payment is still open gives nothing, and may never be paid. */
function wasBought(facts: SubscriptionFacts): boolean {
  return facts.status !== 'incomplete' && facts.status !== 'incomplete_expired' && facts.paid.length > 0
}

/** The first invoice must have taken what the buyer was shown: one period, or nothing when it began with a trial. */
function checkPromise(intent: CheckoutIntent, facts: SubscriptionFacts): void {
  const [first] = facts.paid
    .filter((fact) => fact.kind === 'period')
    .toSorted((a, b) => a.starts_at.getTime() - b.starts_at.getTime())
  const promisedMinor = intent.trial_days > 0 ? 0 : intent.amount_minor
  if (first && first.amount_paid_minor !== promisedMinor) {
    throw new PermanentError(
      `Intent ${intent.id} promised ${promisedMinor} ${intent.currency}, invoice ${first.invoice_id} took ${first.amount_paid_minor}`,
    )
  }
}

function lockSubscription(trx: DatabaseTransaction, id: string): Promise<Subscription | undefined> {
  return trx
    .selectFrom('subscriptions')
    .selectAll()
    .where('stripe_subscription_id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

function writeSubscription(
  trx: DatabaseTransaction,
  {
    intent,
    owner,
    facts,
    cause,
  }: { intent: CheckoutIntent; owner: Owner; facts: SubscriptionFacts; cause: Cause },
): Promise<Subscription> {
  const { plan_type, credits_per_seat } = intent
  if (!plan_type || !credits_per_seat) throw new PermanentError(`Intent ${intent.id} promises no plan`)
  const changing = {
    billing_frequency: facts.billing_frequency,
    status: facts.status,
    seats_total: facts.seats,
    current_period_start: facts.current_period_start,
    current_period_end: facts.current_period_end,
    trial_end: facts.trial_end,
    cancel_at: facts.cancel_at,
    ended_at: facts.ended_at,
    snapshot_order: facts.snapshot_order,
    sweep_at: nextLook(facts, cause.now),
    sweeps: 0,
  }
  return trx
    .insertInto('subscriptions')
    .values({
      stripe_subscription_id: facts.id,
      intent_id: intent.id,
      user_id: intent.user_id,
      ...owner,
      plan_type,
      currency: intent.currency,
      credits_per_seat,
      ...changing,
    })
    .onConflict((conflict) =>
      conflict.column('stripe_subscription_id').doUpdateSet({ ...changing, updated_at: sql`now()` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

async function settleIntent(
  trx: DatabaseTransaction,
  intent: CheckoutIntent,
  facts: SubscriptionFacts,
): Promise<void> {
  if (!intent.stripe_session_id) {
    throw new NotYetError(`Intent ${intent.id} of subscription ${facts.id} does not know its session yet`)
  }
  await trx
    .updateTable('checkout_intents')
    .set({
      state: 'settled',
      settled_at: sql`clock_timestamp()`,
      failure_reason: null,
      updated_at: sql`now()`,
    })
    .where('id', '=', intent.id)
    .execute()
}

async function writePaidFacts(trx: DatabaseTransaction, facts: SubscriptionFacts): Promise<void> {
  if (facts.paid.length === 0) return
  const rows = facts.paid.map((fact) => ({
    stripe_invoice_id: fact.invoice_id,
    stripe_subscription_id: facts.id,
    kind: fact.kind,
    starts_at: fact.starts_at,
    ends_at: fact.ends_at,
    seats_before: fact.kind === 'seats' ? fact.seats_before : null,
    seats: fact.seats,
    amount_paid_minor: fact.amount_paid_minor,
    paid_at: fact.paid_at,
  }))
  await trx
    .insertInto('subscription_invoices')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['stripe_invoice_id', 'kind', 'starts_at']).doNothing())
    .execute()
}

/** The plan shown to people: the buyer's, and in an organization everybody's who has a seat. */
async function followPlan(
  trx: DatabaseTransaction,
  { intent, owner }: { intent: CheckoutIntent; owner: Owner },
): Promise<void> {
  const people = [intent.user_id]
  if (owner.owner_kind === 'organization') {
    const live = await trx
      .selectFrom('subscriptions')
      .innerJoin('users', 'users.clerk_id', 'subscriptions.user_id')
      .select(['subscriptions.created_at', 'users.email'])
      .where('owner_kind', '=', 'organization')
      .where('owner_id', '=', owner.owner_id)
      .where('status', 'in', liveStatuses)
      .executeTakeFirst()
    if (live) {
      await giveFirstSeat(trx, {
        organization_id: owner.owner_id,
        user_id: intent.user_id,
        email: live.email,
        role: 'admin',
      })
    }
    const seats = await trx
      .selectFrom('seats')
      .select('user_id')
      .where('organization_id', '=', owner.owner_id)
      .where('status', '=', 'active')
      .execute()
    people.push(...seats.flatMap((seat) => seat.user_id ?? []))
  }
  await refreshPlanType(trx, people)
}
