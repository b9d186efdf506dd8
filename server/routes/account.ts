import Stripe from 'stripe'
import {
  type AccountPayment,
  type AccountSummary,
  choosePayerCurrency,
  getAccountSummary,
  getNextPayment,
  getOfferedCard,
  type NextPayment,
  paymentTexts,
  payOverdue,
} from '../../schema/api/account.ts'
import { customerDeclineText } from '../../schema/api/declines.ts'
import { chooseMails } from '../../schema/api/mails.ts'
import {
  listRecentPayments,
  type RecentPayment,
  type RecentPaymentState,
} from '../../schema/billing/checkout/recent-payments.ts'
import { chooseCurrency, findCurrency } from '../../schema/billing/customers/currency.ts'
import { findStripeCustomer } from '../../schema/billing/customers/customers.ts'
import {
  findLatestSubscription,
  findLiveSubscription,
  findRenewal,
  hasLapsed,
  isLive,
  isOverdue,
  type Subscription,
} from '../../schema/billing/subscriptions/subscriptions.ts'
import { lowBalanceCredits } from '../../schema/catalogue/credits.ts'
import type { PlanType } from '../../schema/catalogue/plans.ts'
import { currencySchema } from '../../schema/catalogue/schemas.ts'
import { freePlan, planOf } from '../../schema/catalogue/sold-plans.ts'
import type { Database } from '../../schema/database/connect.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import { type Balance, findBalance } from '../../schema/ledger/read/balances.ts'
import { findLatestMonth } from '../../schema/ledger/read/latest-month.ts'
import { lacksAdmin } from '../../schema/people/members/members.ts'
import { findHeldSeat } from '../../schema/people/seats/seats.ts'
import { findUser, switchMails, type UserRecord } from '../../schema/people/users/users.ts'
import { findOfferedCard } from '../checkout/offered-card.ts'
import type { Dependencies } from '../dependencies.ts'
import { currencyBound, refusal, ServerError } from '../errors.ts'
import { stripeFailure } from '../failures.ts'
import { thePayer } from '../rights.ts'
import { route } from '../route.ts'
import { presentSubscription } from '../subscription-answer.ts'

const recentMs = 30 * 24 * 3_600_000
const mostPayments = 20

export const accountRoutes = [
  route(getAccountSummary, {
    rights: thePayer(),
  }).handle(({ query, ...who }, deps) => readAccountSummary(deps, { payer: query.payer, ...who })),

  route(chooseMails, { rights: thePayer() }).handle(async ({ body: { on }, owner_id, user_id }, { db }) => {
    await switchMails(db, { user_id, owner_id, on })
    return { success: true }
  }),

  route(choosePayerCurrency, {
    rights: thePayer({ doing: 'manage billing' }),
  }).handle(async ({ body, owner_id }, { db }) => {
    const currency = await chooseCurrency(db, owner_id, body.currency)
    if (currency.code !== body.currency) throw currencyBound(currency.code)
    return { currency }
  }),

  route(getNextPayment, {
    rights: thePayer({ doing: 'see payments' }),
    failure: stripeFailure('Failed to load the next payment', 'next_payment_unavailable'),
  }).handle(({ owner_id }, deps) => readNextPayment(deps, owner_id)),

  // The same card that the call above names. The plan changes with Stripe's event.
  route(payOverdue, {
    rights: thePayer({ doing: 'manage billing' }),
    failure: stripeFailure('The payment could not be made. Please try again.', 'payment_failed'),
  }).handle(async ({ owner_id }, { db, stripe }) => {
    const live = await findLiveSubscription(db, owner_id)
    if (!live) throw refusal('nothing_overdue')
    const { latest_invoice: invoice } = await stripe.subscriptions.retrieve(live.stripe_subscription_id, {
      expand: ['latest_invoice'],
    })
    if (invoice === null || typeof invoice === 'string') throw refusal('nothing_overdue')
    if (invoice.status === 'paid' && isOverdue(live)) return { success: true }
    if (invoice.status !== 'open') throw refusal('nothing_overdue')
    try {
      // Off session, by default: the bank can ask nothing here (https://docs.stripe.com/api/invoices/pay).
      await stripe.invoices.pay(invoice.id ?? '')
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeCardError)) throw error
      // https://docs.stripe.com/error-codes
      if (error.code === 'invoice_payment_intent_requires_action') {
        const text = 'Your bank asks you to confirm this payment. Confirm it on the page of the invoice.'
        throw new ServerError(402, 'confirmation_required', text, { cause: error })
      }
      const reason = customerDeclineText(error.decline_code ?? error.code ?? null)
      const text = `The card was declined${reason ? `: ${reason}` : ''}. Update the card and try again.`
      throw new ServerError(402, 'card_declined', text, { cause: error })
    }
    return { success: true }
  }),

  route(getOfferedCard, {
    rights: thePayer({ doing: 'see payments' }),
    failure: stripeFailure('Failed to load your card', 'offered_card_unavailable'),
  }).handle(async ({ owner_id }, { db, stripe, now }) => {
    if (isOverdue(await findLiveSubscription(db, owner_id))) return { card: null }
    const customer = await findStripeCustomer(db, owner_id)
    return { card: customer ? await findOfferedCard(stripe, { customer, now: now() }) : null }
  }),
]

/** An account as its owner sees it, for the owner and for support. */
export async function readAccountSummary(
  { db, now, settings }: Pick<Dependencies, 'db' | 'now' | 'settings'>,
  viewed: {
    readonly payer: string
    readonly owner_id: string
    /** Whose account and seat they are. */
    readonly user_id: string
    readonly member: { readonly organization_name: string } | null
    readonly may_manage: boolean
  },
): Promise<AccountSummary> {
  const { payer, owner_id, user_id, member, may_manage } = viewed
  const as_of = now()
  const since = new Date(as_of.getTime() - recentMs)
  const [user, balance, subscription, currency, payments, seat, lacks_admin] = await Promise.all([
    findUser(db, user_id),
    findBalance(db, owner_id),
    findSubscription(db, owner_id),
    findCurrency(db, owner_id),
    listRecentPayments(db, owner_id, { since, limit: mostPayments }),
    member && findHeldSeat(db, owner_id, { user_id }),
    member !== null && !may_manage && lacksAdmin(db, owner_id),
  ])
  const plan_type = planTypeOf(owner_id, { user, subscription })
  return {
    payer,
    organization_name: member?.organization_name ?? null,
    has_seat: Boolean(seat),
    lacks_admin,
    member_since: user?.created_at.toISOString() ?? null,
    may_manage,
    mails: settings.mails ? !user?.no_mail_of.includes(owner_id) : null,
    balance: presentBalance(balance, plan_type, owner_id),
    plan_month: subscription ? await findPlanMonth(db, subscription, { balance, as_of }) : null,
    credits_on_the_way: payments.reduce(
      (sum, { state, credits }) => sum + (isOnTheWay(state) ? credits : 0),
      0,
    ),
    renewal: await findRenewal(db, subscription, as_of),
    plan_type,
    currency,
    subscription: subscription
      ? {
          ...presentSubscription(subscription),
          trial_end: subscription.trial_end?.toISOString() ?? null,
          lapses_at: subscription.lapses_at?.toISOString() ?? null,
          lacks_tax_location: subscription.lacks_tax_location,
        }
      : null,
    overdue: subscription ? presentOverdue(subscription, { may_manage }) : null,
    payments: may_manage ? payments.map(presentPayment) : [],
    as_of: as_of.toISOString(),
  }
}

export async function readNextPayment(
  { db, stripe }: Pick<Dependencies, 'db' | 'stripe'>,
  owner_id: string,
): Promise<NextPayment> {
  const [customer, live] = await Promise.all([
    findStripeCustomer(db, owner_id),
    findLiveSubscription(db, owner_id),
  ])
  // One in whose place a Teams plan was paid ends within seconds.
  if (!live || live.replaced_by !== null) {
    return {
      payment: null,
      card: presentCard(await findDefaultCard(stripe, customer)),
      card_declined: false,
    }
  }
  const { stripe_subscription_id: id } = live
  const subscription = await stripe.subscriptions.retrieve(id, {
    expand: ['default_payment_method', 'latest_invoice'],
  })
  const [payment, card] = await Promise.all([
    findNextPayment(stripe, subscription),
    // https://docs.stripe.com/api/subscriptions/object#subscription_object-default_payment_method
    subscription.default_payment_method ?? findDefaultCard(stripe, customer),
  ])
  const card_declined = payment?.overdue === true && (await isDeclined(stripe, subscription, card))
  return { payment, card: presentCard(card), card_declined }
}

/** The live subscription, or else the latest one, so that a plan that has ended is shown as ended. */
async function findSubscription(db: Database, owner_id: string): Promise<Subscription | undefined> {
  return (await findLiveSubscription(db, owner_id)) ?? findLatestSubscription(db, owner_id)
}

/**
 * A monthly plan's month ends with the period, which may have been moved since its credits were granted; a
 * yearly plan's within it. A plan that lapses before has no credits after that.
 */
async function findPlanMonth(
  db: Database,
  subscription: Subscription,
  { balance, as_of }: { readonly balance: Balance; readonly as_of: Date },
): Promise<AccountSummary['plan_month']> {
  if (!isLive(subscription) || hasLapsed(subscription, as_of)) return null
  const month = await findLatestMonth(db, subscription)
  const left = balance.plan
  if (!month || left < 0 || left > month.granted) return null
  const { billing_frequency, current_period_end, cancel_at, lapses_at } = subscription
  const period_end = billing_frequency === 'monthly' ? current_period_end : month.ends_at
  const ends_at = lapses_at && lapses_at < period_end ? lapses_at : period_end
  return {
    granted: month.granted,
    used: month.granted - left,
    ends_at: month.ends_at > as_of ? ends_at.toISOString() : null,
    resets: (cancel_at === null || cancel_at > ends_at) && (lapses_at === null || lapses_at > period_end),
  }
}

function presentOverdue(
  subscription: Subscription,
  { may_manage }: { readonly may_manage: boolean },
): AccountSummary['overdue'] {
  const { needs_confirmation } = subscription
  // Without an open invoice there is nothing to pay: it was voided or given up.
  const isAskedFor = subscription.lapses_at === null || subscription.unpaid_minor !== null
  if (!isOverdue(subscription) || !isAskedFor) return null
  const told = may_manage ? subscription : null
  return {
    needs_confirmation,
    url: told?.unpaid_invoice_url ?? null,
    amount_minor: told?.unpaid_minor ?? null,
    decline_reason: told && customerDeclineText(told.unpaid_decline_code),
    declined_at: told?.unpaid_declined_at?.toISOString() ?? null,
    next_attempt_at: told?.unpaid_next_attempt_at?.toISOString() ?? null,
  }
}

/** A person may have the plan of an organization by a seat, without a subscription of their own. */
function planTypeOf(
  owner_id: string,
  known: { readonly user: UserRecord | undefined; readonly subscription: Subscription | undefined },
): PlanType {
  const { user, subscription } = known
  if (kindOf(owner_id) === 'user') return user?.plan_type ?? freePlan.plan_type
  return subscription && isLive(subscription) ? subscription.plan_type : freePlan.plan_type
}

function presentBalance(
  { plan, purchased, total, held, available, version }: Balance,
  plan_type: PlanType,
  owner_id: string,
): AccountSummary['balance'] {
  const had_credits = version > 0
  // A user with a seat uses the organization's pool, so a low balance of their own is no reason to warn.
  const usesPool = kindOf(owner_id) === 'user' && planOf(plan_type).per_seat
  // What is reserved is not used up: most of it comes back.
  const low = had_credits && available + held < lowBalanceCredits && !usesPool
  return { plan, purchased, total, available: Math.max(0, available), held, low, had_credits }
}

function isOnTheWay(state: RecentPaymentState): boolean {
  return state === 'awaiting_payment' || state === 'paid'
}

function presentPayment({ created_at, ...payment }: RecentPayment): AccountPayment {
  return { ...payment, reason: paymentTexts[payment.state], created_at: created_at.toISOString() }
}

async function findNextPayment(
  stripe: Stripe,
  { id, latest_invoice, cancel_at, items, pause_collection, schedule }: Stripe.Subscription,
): Promise<NextPayment['payment']> {
  if (typeof latest_invoice === 'object' && latest_invoice?.status === 'open') {
    const { amount_remaining, currency, next_payment_attempt } = latest_invoice
    return presentAmount(amount_remaining, currency, { at: next_payment_attempt, overdue: true })
  }
  const period_end = items.data[0]?.current_period_end ?? null
  if (cancel_at !== null && (period_end === null || cancel_at <= period_end)) return null
  // The preview names what would be charged, also while nothing is collected.
  const resumes_at = pause_collection?.resumes_at ?? null
  if (pause_collection && (resumes_at === null || period_end === null || resumes_at > period_end)) return null
  try {
    // A change that waits is the schedule's, which takes the place of the subscription (the SDK:
    // `InvoiceCreatePreviewParams.schedule`).
    const { amount_due, currency } = await stripe.invoices.createPreview(
      schedule ? { schedule: String(schedule) } : { subscription: id },
    )
    return presentAmount(amount_due, currency, { at: period_end, overdue: false })
  } catch (error) {
    // https://docs.stripe.com/error-codes#invoice-upcoming-none
    if (error instanceof Stripe.errors.StripeError && error.code === 'invoice_upcoming_none') return null
    throw error
  }
}

function presentAmount(
  amount_minor: number,
  currency: string,
  { at, overdue }: { readonly at: number | null; readonly overdue: boolean },
): NextPayment['payment'] {
  return {
    amount_minor,
    currency: currencySchema.parse(currency.toUpperCase()),
    at: at === null ? null : new Date(at * 1000).toISOString(),
    overdue,
  }
}

/** The customer's default card, which Stripe charges when a subscription has none. */
async function findDefaultCard(
  stripe: Stripe,
  customerId: string | undefined,
): Promise<string | Stripe.PaymentMethod | null> {
  if (!customerId) return null
  const customer = await stripe.customers.retrieve(customerId, {
    expand: ['invoice_settings.default_payment_method'],
  })
  return customer.deleted ? null : customer.invoice_settings.default_payment_method
}

/** Whether the latest attempt to pay the open invoice failed on this card. */
async function isDeclined(
  stripe: Stripe,
  { latest_invoice }: Stripe.Subscription,
  card: string | Stripe.PaymentMethod | null,
): Promise<boolean> {
  if (card === null || typeof card === 'string' || typeof latest_invoice !== 'object') return false
  const { data } = await stripe.invoicePayments.list({
    invoice: latest_invoice?.id ?? '',
    limit: 1,
    expand: ['data.payment.payment_intent'],
  })
  const intent = data[0]?.payment.payment_intent
  return typeof intent === 'object' && intent.last_payment_error?.payment_method?.id === card.id
}

function presentCard(method: string | Stripe.PaymentMethod | null): NextPayment['card'] {
  if (method === null || typeof method === 'string' || !method.card) return null
  const { brand, last4, exp_month, exp_year } = method.card
  return { brand, last4, exp_month, exp_year }
}
