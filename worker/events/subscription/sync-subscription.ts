import { failureOf } from '../../../schema/api/failures.ts'
import {
  attachSession,
  type CheckoutIntent,
  findIntent,
  isTrialUsed,
  lockIntent,
  makeTrialsDue,
} from '../../../schema/billing/checkout/intents.ts'
import { failIntent, recordOutcome } from '../../../schema/billing/checkout/outcomes.ts'
import { saveStripeCustomer } from '../../../schema/billing/customers/customers.ts'
import { nextMonthEdge } from '../../../schema/billing/position/billing-months.ts'
import type { PaidLine } from '../../../schema/billing/position/facts.ts'
import { readUnusedRefund } from '../../../schema/billing/position/unused-refund.ts'
import { replacePlan, saveUnusedRefund } from '../../../schema/billing/subscriptions/replaced.ts'
import {
  lockSubscription,
  savePaidLines,
  saveSubscription,
} from '../../../schema/billing/subscriptions/snapshots.ts'
import {
  findLiveSubscription,
  findSubscription,
  type Subscription,
} from '../../../schema/billing/subscriptions/subscriptions.ts'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import { kindOf } from '../../../schema/ledger/accounts.ts'
import { lockOwner } from '../../../schema/ledger/post/books.ts'
import { findLastExpiry } from '../../../schema/ledger/read/holds.ts'
import { tell } from '../../../schema/mails/mails.ts'
import { isDeleted } from '../../../schema/people/owners/deleted-owners.ts'
import { giveFirstSeat } from '../../../schema/people/seats/first-seat.ts'
import { listActiveSeatHolders } from '../../../schema/people/seats/seats.ts'
import { refreshPlanType } from '../../../schema/people/users/plan-type.ts'
import { findUser } from '../../../schema/people/users/users.ts'
import { ClerkRefusalError } from '../../../schema/vendors/clerk/errors.ts'
import { endSubscription } from '../../../schema/vendors/stripe/end-subscription.ts'
import { idsOf, withTransfers } from '../../../schema/vendors/stripe/log-ids.ts'
import { refundSubscription } from '../../../schema/vendors/stripe/refund-all.ts'
import { type Cause, postPlanDifference } from '../../books/post-difference.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { NotYetError, PermanentError } from '../../errors.ts'
import { findLostSession } from '../../jobs/find-lost-session.ts'
import { foundOrForeign } from '../foreign.ts'
import { doneAlready, ignore, type Nothing, type Outcome } from '../outcome.ts'
import { requirePrice } from '../terms.ts'
import { endIfOwnerIsGone } from './end-if-owner-is-gone.ts'
import { ensureOrganization } from './ensure-organization.ts'
import { type FetchedSubscription, fetchSubscription } from './fetch-subscription.ts'
import { newsOf } from './news.ts'
import { findOwnerOfOrder } from './order.ts'
import { writeOrder } from './write-order.ts'

/**
 * Events that are lost are found by the reader (decision 062), so a subscription without any is only synced
 * once a week.
 */
const dayMs = 24 * 3600 * 1000
const longestWaitMs = 7 * dayMs

export interface SubscriptionToApply {
  readonly of: 'subscription'
  readonly subscription: FetchedSubscription
  /**
   * Another one that is still live by our row of it: it has ended, and its own events have not arrived yet.
   */
  readonly ended: FetchedSubscription | undefined
  /** The one that goes on when this one has ended: a second plan, made by hand, that could not be applied beside it. */
  readonly next: FetchedSubscription | undefined
}

/** The session that led to a subscription, and its checkout. */
interface SessionOfSubscription {
  readonly id: string
  readonly intent_id: string
}

/**
 * Fetches a subscription. If its intent still lacks its session or its organization, they are found or
 * created here, because both need calls.
 */
export async function fetchSubscriptionToApply(
  deps: WorkerDependencies,
  id: string,
  session?: SessionOfSubscription,
): Promise<SubscriptionToApply | Nothing> {
  const isKnown = async () => session !== undefined || (await findSubscription(deps.db, id)) !== undefined
  const fetch = () => fetchSubscription(deps, id, session?.intent_id)
  const subscription = await foundOrForeign(id, fetch, isKnown)
  if (!subscription) return ignore('not_sold', { id })
  if ('of' in subscription) return subscription
  const { order } = subscription
  const refused =
    'intent_id' in order ? await completeOrder(deps, subscription, order.intent_id, session) : undefined
  if (refused) return refused
  const other = await findOtherLiveSubscription(deps, subscription)
  const ended = other === undefined ? undefined : await fetchSubscription(deps, other)
  const next = subscription.row.ended_at ? await findNext(deps, subscription) : undefined
  return { of: 'subscription', subscription, ended, next }
}

async function findNext(
  deps: WorkerDependencies,
  { id, customer_id: customer }: FetchedSubscription,
): Promise<FetchedSubscription | undefined> {
  // Without a status, those that have ended are left out: https://docs.stripe.com/api/subscriptions/list
  for (const other of (await deps.stripe.subscriptions.list({ customer, limit: 100 })).data) {
    const isNew = other.id !== id && !(await findSubscription(deps.db, other.id))
    const fetched = isNew ? await fetchSubscription(deps, other.id) : undefined
    if (fetched && 'owner_id' in fetched.order) return fetched
  }
  return undefined
}

/** Writes subscriptions down, and makes plan, seats and books of their owner agree with them. */
export async function applySubscriptions(
  trx: DatabaseTransaction,
  { subscription, ended, next }: SubscriptionToApply,
  cause: Cause,
): Promise<Outcome> {
  if (ended) await applySubscription(trx, ended, cause)
  const outcome = await applySubscription(trx, subscription, cause)
  if (!next) return outcome
  try {
    await applySubscription(trx, next, cause)
    return { ...outcome, reason: failureOf('goes_on', { id: next.id }) }
  } catch (error) {
    // What contradicts is found before anything is written, and keeps no plan from its end.
    if (!(error instanceof PermanentError)) throw error
    return { ...outcome, reason: error.message }
  }
}

/** Finds the session of a subscription's checkout, and makes its organization, if either is missing. */
async function completeOrder(
  deps: WorkerDependencies,
  fetched: FetchedSubscription,
  intentId: string,
  session: SessionOfSubscription | undefined,
): Promise<Nothing | undefined> {
  const intent = await findIntent(deps.db, intentId)
  if (!intent) throw notCommitted(intentId)
  if (!intent.stripe_session_id && !intent.stripe_invoice_id) {
    const sessionId = session?.id ?? (await findLostSession(deps, intent))
    if (sessionId) await attachSession(deps.db, { id: intent.id, stripe_session_id: sessionId })
  }
  if (intent.state === 'settled' || !wasBought(fetched)) return undefined
  if (await isTrialUsed(deps.db, intent)) return refuseTrial(deps, intent, fetched.id)
  if (await endIfOwnerIsGone(deps, intent.owner_id ?? intent.user_id, fetched.id)) {
    await refundSubscription(deps.stripe, fetched.id)
    if (intent.owner_id !== null) return undefined
    throw new PermanentError('has_state', { what: 'owner', state: 'deleted_and_refunded' })
  }
  if (intent.owner_id !== null) return undefined
  // What contradicts the order makes no organization.
  requireTerms(intent, fetched)
  await ensureOrganization(deps, intent).catch(async (error: unknown) => {
    const news = { kind: 'no_team', owner_id: intent.user_id, occasion: intent.id, figures: {} } as const
    if (error instanceof ClerkRefusalError) await tell(deps.db, news)
    throw error
  })
  return undefined
}

/**
 * The trial is given once, and a page that was opened before it was used is paid after that. Its plan ends before
 * anything is charged: the buyer was promised that nothing would be for days, and may buy it again without a trial.
 */
async function refuseTrial(
  { db, stripe }: WorkerDependencies,
  { id }: CheckoutIntent,
  subscriptionId: string,
): Promise<Nothing> {
  await endSubscription(stripe, subscriptionId, 'The free trial is given once')
  await failIntent(db, { id, failure_code: 'trial_used', failure_reason: failureOf('trial_used') })
  return ignore('trial_used')
}

const notCommitted = (id: string) => new NotYetError('not_found', { what: 'checkout', id })

/** The owner's live subscription, when it is another one: it must have ended, or Stripe would have two. */
async function findOtherLiveSubscription(
  deps: Pick<WorkerDependencies, 'db'>,
  fetched: FetchedSubscription,
): Promise<string | undefined> {
  const owner_id = await findOwnerOfOrder(deps.db, fetched.order)
  const live = owner_id ? await findLiveSubscription(deps.db, owner_id) : undefined
  return live?.stripe_subscription_id === fetched.id ? undefined : live?.stripe_subscription_id
}

/**
 * Writes down what Stripe says of a subscription and makes the owner's books, plan and seats agree with it,
 * inside the caller's transaction. The snapshot holds everything, so neither the order of events nor how
 * often they come makes a difference; an older snapshot never replaces a newer one.
 *
 * Throws PermanentError when Stripe took another amount than the terms, when its price is of another plan, or
 * when the owner has another live subscription.
 */
async function applySubscription(
  trx: DatabaseTransaction,
  fetched: FetchedSubscription,
  cause: Cause,
): Promise<Outcome> {
  // The owner before everything else that one transaction locks: it may sync two subscriptions, and it posts
  // transfers that belong to intents which it does not hold.
  const owner_id = await findOwnerOfOrder(trx, fetched.order)
  if (owner_id) await lockOwner(trx, owner_id)
  const ordered = await lockOrdered(trx, fetched)
  const known = await lockSubscription(trx, fetched.id)
  if (known && known.snapshot_order >= fetched.row.snapshot_order) {
    return doneAlready
  }
  if (!known && !wasBought(fetched)) return applyUnpaid(trx, ordered, fetched)

  if (!owner_id) throw new NotYetError('lacks', { what: 'organization' })
  await requireNoOther(trx, owner_id, fetched)
  const intent = ordered ?? (await writeOrder(trx, owner_id, fetched, cause.now))
  if (!known && (await isTrialUsed(trx, intent))) throw new NotYetError('trial_used')
  const terms = termsOf(intent, owner_id)
  if (!known) requireTerms(intent, fetched)
  requirePlan(terms, fetched)
  const is_gone = await isDeleted(trx, owner_id)
  const isBeingReplaced = known?.replaced_by != null && known.is_unfinished
  const saved = await saveSubscription(trx, terms, {
    ...fetched.row,
    lapses_at: keptLapse(fetched, known, cause.now),
    // It ends, or is given back in part, as soon as a worker has it: see `processSubscriptionSync`.
    next_try_at: is_gone || isBeingReplaced ? cause.now : nextSync(fetched, cause.now),
  })
  await savePaidLines(trx, linesOf(fetched, owner_id))
  const payer = { owner_id, currency: intent.currency, now: cause.now }
  for (const news of newsOf(fetched, payer)) await tell(trx, news)
  if (intent.state !== 'settled') {
    if (!intent.stripe_session_id) throw new NotYetError('lacks', { what: 'session' })
    const { id, stripe_session_id } = intent
    await recordOutcome(trx, { id, stripe_session_id, state: 'settled' })
    await replacePlan(trx, intent, cause.now)
    await makeTrialsDue(trx, { user_id: intent.user_id, now: cause.now })
  }
  if (!known) await saveStripeCustomer(trx, { owner_id, customer_id: fetched.customer_id })
  const transfer_ids = await postPlanDifference(trx, owner_id, cause)
  await decideUnusedRefund(trx, saved, cause.now)
  await refreshPlanAndSeats(trx, { owner_id, fetched, buyer_id: is_gone ? null : intent.user_id })
  const isRoomChanged = kindOf(owner_id) === 'organization' && known?.seats_total !== fetched.row.seats_total
  const { id: intent_id, stripe_session_id: session_id } = intent
  return {
    state: 'applied',
    reason: null,
    ids: withTransfers(idsOf({ intent_id, session_id, subscription_id: fetched.id }), transfer_ids),
    ...(isRoomChanged && { seats_changed_in: owner_id }),
  }
}

/**
 * What goes back to the card when a plan ends in whose place a Teams plan was paid, in the transaction that
 * closes its last month: nothing can use its credits in between. While some of them are held, it is not known
 * what is unused, and the subscription is synced again when these holds are resolved.
 */
async function decideUnusedRefund(trx: DatabaseTransaction, saved: Subscription, now: Date): Promise<void> {
  if (saved.replaced_by === null || !saved.ended_at || saved.unused_refund_minor !== null) return
  const held_until = await findLastExpiry(trx, saved)
  if (held_until) {
    const next_try_at = new Date(Math.max(held_until.getTime(), now.getTime() + 60_000))
    return saveUnusedRefund(trx, saved, { next_try_at })
  }
  const refund = await readUnusedRefund(trx, saved, now)
  await saveUnusedRefund(trx, saved, {
    unused_refund_minor: refund?.amount_minor ?? 0,
    unused_refund_invoice: refund?.invoice_id ?? null,
    next_try_at: now,
  })
}

/** The checkout that it was ordered with, or the order that was written down for it before. */
async function lockOrdered(
  trx: DatabaseTransaction,
  fetched: FetchedSubscription,
): Promise<CheckoutIntent | undefined> {
  const { order, id } = fetched
  const intentId = 'intent_id' in order ? order.intent_id : (await findSubscription(trx, id))?.intent_id
  if (!intentId) return undefined
  const intent = await lockIntent(trx, intentId)
  if (!intent) throw notCommitted(intentId)
  return intent
}

/** A subscription whose first payment is still open gives nothing, and may never be paid. */
function wasBought({ row: { status }, invoices }: FetchedSubscription): boolean {
  const isOpen = status === 'incomplete' || status === 'incomplete_expired'
  return !isOpen && invoices.some(({ lines }) => lines.some(isPeriod))
}

function isPeriod({ kind }: PaidLine): boolean {
  return kind === 'period'
}

/** When the bank refused the first payment for good, the checkout has failed and a new one may be opened. */
async function applyUnpaid(
  trx: DatabaseTransaction,
  intent: CheckoutIntent | undefined,
  fetched: FetchedSubscription,
): Promise<Outcome> {
  const { status } = fetched.row
  if (status !== 'incomplete_expired' && status !== 'canceled') {
    return { state: 'applied', reason: failureOf('nothing_paid') }
  }
  const failure_reason = failureOf('payment_failed')
  if (intent) await failIntent(trx, { id: intent.id, failure_code: 'first_payment_failed', failure_reason })
  return { state: 'applied', reason: failure_reason }
}

/**
 * The first period must have cost what the buyer was shown, or nothing when it was a trial of the promised
 * length. A discount, a credit balance that paid a part of it, and other lines of the same invoice do not
 * change the terms.
 */
function requireTerms(intent: CheckoutIntent, fetched: FetchedSubscription): void {
  // Of what was made by hand the terms name only the plan.
  if (intent.stripe_invoice_id) return
  const [first] = fetched.invoices
    .flatMap(({ id, currency, lines }) =>
      lines
        .filter(isPeriod)
        .map(({ starts_at, ends_at, amount_minor }) => ({ id, currency, starts_at, ends_at, amount_minor })),
    )
    .toSorted((a, b) => a.starts_at.getTime() - b.starts_at.getTime())
  if (!first) return
  const { trial_days } = intent
  const days = Math.round((first.ends_at.getTime() - first.starts_at.getTime()) / dayMs)
  if (trial_days > 0 && days > trial_days) {
    const figures = { id: first.id, in: 'trial_days', expected: `${trial_days}`, found: `${days}` } as const
    throw new PermanentError('differs', figures)
  }
  requirePrice(trial_days > 0 ? { ...intent, amount_minor: 0 } : intent, first)
}

/**
 * A price of another plan would be sold with the credits, seats and pages of this one. Another period of the
 * same plan is no contradiction. One that has ended ends here too, whatever its price.
 */
function requirePlan({ plan_type }: { readonly plan_type: string }, fetched: FetchedSubscription): void {
  if (fetched.row.ended_at || fetched.plan_type === null || fetched.plan_type === plan_type) return
  const { id, plan_type: found } = fetched
  throw new PermanentError('differs', { id, in: 'plan', expected: plan_type, found })
}

async function requireNoOther(
  trx: DatabaseTransaction,
  owner_id: string,
  fetched: FetchedSubscription,
): Promise<void> {
  const live = await findLiveSubscription(trx, owner_id)
  if (!live || live.stripe_subscription_id === fetched.id || fetched.row.ended_at) return
  const other_id = live.stripe_subscription_id
  throw new PermanentError('second_one', { of: owner_id, id: fetched.id, other_id })
}

/**
 * A plan that has lapsed stays so until a later period is paid, also when its payment is asked for again: its
 * months are closed, and what was left of them has expired.
 */
function keptLapse(
  { row: { lapses_at }, invoices }: FetchedSubscription,
  known: Subscription | undefined,
  now: Date,
) {
  const since = known?.lapses_at ?? null
  const isPaid = invoices.some(({ lines }) =>
    lines.some((line) => isPeriod(line) && since && line.ends_at > since),
  )
  return lapses_at ?? (since && since <= now && !isPaid ? since : null)
}

function nextSync({ invoices, row }: FetchedSubscription, now: Date): Date {
  // Those that were synced together are not all synced together again.
  const latest = new Date(now.getTime() + longestWaitMs * (1 - Math.random() / 4))
  const lines = invoices.flatMap((invoice) => invoice.lines)
  // No event tells that the customer has an address now.
  const until = row.lacks_tax_location ? new Date(now.getTime() + dayMs / 24) : latest
  return nextMonthEdge(lines, { after: now, until }) ?? until
}

function termsOf(intent: CheckoutIntent, owner_id: string) {
  const { plan_type, credits_per_seat } = intent
  if (!plan_type || !credits_per_seat) throw new PermanentError('lacks', { what: 'plan' })
  const { currency, user_id } = intent
  return { intent_id: intent.id, user_id, owner_id, plan_type, currency, credits_per_seat }
}

function linesOf(fetched: FetchedSubscription, owner_id: string) {
  return fetched.invoices.flatMap(({ id, total_minor, amount_paid_minor, lines }) =>
    lines.map(({ invoice_id: _, ...line }) => ({
      ...line,
      owner_id,
      stripe_invoice_id: id,
      stripe_subscription_id: fetched.id,
      total_minor,
      amount_paid_minor,
    })),
  )
}

/**
 * The plan shown to people: the buyer's, and in an organization everybody's who has a seat. The first seat
 * goes to the buyer of the live subscription; one that has ended gives none, even if later events arrive for
 * it, nor does one of an organization that was deleted (no buyer).
 */
async function refreshPlanAndSeats(
  trx: DatabaseTransaction,
  {
    owner_id,
    fetched,
    buyer_id,
  }: { owner_id: string; fetched: FetchedSubscription; buyer_id: string | null },
): Promise<void> {
  if (kindOf(owner_id) === 'user') return refreshPlanType(trx, [owner_id])
  const organization_id = owner_id
  const live = await findLiveSubscription(trx, owner_id)
  const buyer =
    buyer_id !== null && live?.stripe_subscription_id === fetched.id && (await findUser(trx, buyer_id))
  if (buyer) {
    const { clerk_id: user_id, email } = buyer
    await giveFirstSeat(trx, { organization_id, user_id, email, role: 'admin' })
  }
  const holders = await listActiveSeatHolders(trx, organization_id)
  await refreshPlanType(trx, buyer_id === null ? holders : [buyer_id, ...holders])
}
