import Stripe from 'stripe'
import { failureOf } from '../../schema/api/failures.ts'
import { findSubscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'
import { syncSubject } from '../events/sync-subject.ts'
import { type ActDone, type DoAct, onceAtStripe } from './act.ts'
import { withAnswers } from './dry-run.ts'
import { subscriptionOf } from './fetch-plan.ts'

type Change = (stripe: Stripe, id: string, options: Stripe.RequestOptions) => Promise<Stripe.Invoice>

/** Charges the card on file, as Stripe's own retries do. A refusal of the card ends the act. */
export const payInvoice: DoAct = (deps, act) =>
  changeOpen(deps, act, {
    to: 'paid',
    change: (stripe, id, options) => stripe.invoices.pay(id, {}, options),
    changed: (invoice) => ({
      ...invoice,
      status: 'paid',
      amount_paid: invoice.amount_due,
      amount_remaining: 0,
      status_transitions: {
        ...invoice.status_transitions,
        paid_at: Math.floor(deps.now().getTime() / 1000),
      },
    }),
  })

/** Gives up the money of an invoice, which Stripe never takes back (https://docs.stripe.com/api/invoices/void). */
export const voidInvoice: DoAct = (deps, act) =>
  changeOpen(deps, act, {
    to: 'void',
    change: (stripe, id, options) => stripe.invoices.voidInvoice(id, {}, options),
    changed: (invoice) => ({ ...invoice, status: 'void' }),
  })

/**
 * Changes an open invoice of a plan of the act's owner at Stripe, then has its subscription fetched and applied like
 * after any event. A try that comes again asks with the key of the first one, so that the answer is the first one's.
 */
async function changeOpen(
  deps: WorkerDependencies,
  act: Parameters<DoAct>[1],
  {
    to,
    change,
    changed,
  }: {
    readonly to: 'paid' | 'void'
    readonly change: Change
    readonly changed: (invoice: Stripe.Invoice) => Stripe.Invoice
  },
): Promise<ActDone> {
  const { target_id: id, owner_id, is_dry_run } = act
  const before = await deps.stripe.invoices.retrieve(id)
  const subscription = subscriptionOf(before)
  const plan = subscription && (await findSubscription(deps.db, subscription))
  if (!plan || plan.owner_id !== owner_id) throw new PermanentError('not_sold', { id })
  if (before.status !== 'open' && before.status !== to) throw new PermanentError(...stateOf(before.status))
  const isOpen = is_dry_run
    ? before.status === 'open'
    : await changeAtStripe(deps.stripe, act, { to, change })
  // Its subscription is active again once the newest invoice is paid
  // (https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses).
  const isPaid = (one: Stripe.Subscription) => to === 'paid' && one.latest_invoice === id && isDue(one)
  const stripe = withAnswers(deps.stripe, {
    invoice: (one) => (one.id === id ? changed(one) : one),
    subscription: (one) => (isPaid(one) ? { ...one, status: 'active' } : one),
  })
  const asked = { of: 'subscription', id: plan.stripe_subscription_id } as const
  const { seats_changed_in: changed_in } = await syncSubject(
    is_dry_run && isOpen ? { ...deps, stripe } : deps,
    asked,
    act.requested_by,
  )
  const invoice = {
    total_minor: before.amount_remaining,
    currency: before.currency.toUpperCase(),
    refusal: null,
  }
  const seats_changed_in = changed_in ? [changed_in] : []
  return isOpen
    ? { did: true, invoice, seats_changed_in }
    : { note: failureOf(...stateOf(to)), seats_changed_in }
}

/** False when someone else was faster. */
async function changeAtStripe(
  stripe: Stripe,
  act: Parameters<DoAct>[1],
  { to, change }: { readonly to: string; readonly change: Change },
): Promise<boolean> {
  const { target_id: id } = act
  try {
    await change(stripe, id, onceAtStripe(act))
    return true
  } catch (error) {
    if (error instanceof Stripe.errors.StripeCardError) {
      const { decline_code, code, message } = error
      const says = `${message} (${decline_code ?? code})`
      throw new PermanentError('stripe_refuses', { says }, { cause: error })
    }
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
    const { status } = await stripe.invoices.retrieve(id)
    if (status === to) return false
    if (status === 'open') throw error
    throw new PermanentError(...stateOf(status), { cause: error })
  }
}

const stateOf = (state: string | null) => ['has_state', { what: 'invoice', state: state ?? 'draft' }] as const

const isDue = ({ status }: Stripe.Subscription) => ['past_due', 'unpaid', 'incomplete'].includes(status)
