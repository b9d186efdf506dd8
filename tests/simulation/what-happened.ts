import type Stripe from 'stripe'
import type { FaultyProduct } from './faulty-product.ts'
import type { Life, Payment, Period, Purchase, Subscription } from './model.ts'
import type { InvoiceFacts, Owner } from './owner.ts'
import { withoutFaults } from './play.ts'

/** Stripe's objects, and the player's own knowledge. */
type World = Pick<FaultyProduct, 'stripe'>
type Player = Pick<
  Owner,
  'kind' | 'sessions' | 'customers' | 'seatChanges' | 'usages' | 'adjustments' | 'colleagues' | 'paidInvoices'
>

/** An owner's past in the model's terms: from Stripe's objects and the player's own steps. */
export function whatHappened(product: World, owner: Player): Promise<Life> {
  return withoutFaults(product, async () => {
    const stripe = product.stripe.client
    const sessions = await Promise.all(
      owner.sessions.map(async ({ id, buys }) =>
        buys === 'made_by_hand' ? null : stripe.checkout.sessions.retrieve(id),
      ),
    )
    for (const session of sessions) if (session?.customer) owner.customers.add(String(session.customer))
    const charges = await chargesOf(product, owner)
    const purchases: Purchase[] = []
    const subscriptions: Subscription[] = []
    for (const [index, session] of sessions.entries()) {
      const started = owner.sessions[index]
      if (!session) {
        const subscription = await stripe.subscriptions.retrieve(started?.id ?? '')
        subscriptions.push(await subscriptionOf(product, owner, { session: null, subscription, charges }))
      } else if (started?.buys === 'credits') {
        const isPaid = session.payment_status === 'paid'
        const payment = {
          id: session.id,
          total: session.amount_total ?? 0,
          paid_at: isPaid ? session.created : null,
          taken_back: takenBack(charges, [String(session.payment_intent)]),
        }
        purchases.push({ session: session.id, credits: started.credits, payment })
      } else if (session.subscription && started) {
        const subscription = await stripe.subscriptions.retrieve(String(session.subscription))
        subscriptions.push(await subscriptionOf(product, owner, { session, subscription, charges }))
      }
    }
    const colleagues = owner.kind === 'team' ? owner.colleagues.length : null
    const { usages, adjustments } = owner
    return { purchases, subscriptions, usages, adjustments, colleagues }
  })
}

type Charges = readonly { payment_intent: string; taken_back: number }[]

async function chargesOf({ stripe: { client: stripe } }: World, { customers }: Player): Promise<Charges> {
  const found: Stripe.Charge[] = []
  for (const customer of customers)
    for await (const charge of stripe.charges.list({ customer, limit: 100 })) found.push(charge)
  return Promise.all(
    found.map(async (charge) => {
      const disputes = charge.disputed ? (await stripe.disputes.list({ charge: charge.id })).data : []
      const held = disputes.filter(({ status }) => status !== 'won' && !status.startsWith('warning_'))
      return {
        payment_intent: String(charge.payment_intent),
        taken_back: charge.amount_refunded + held.reduce((total, { amount }) => total + amount, 0),
      }
    }),
  )
}

function takenBack(charges: Charges, intents: readonly string[]): number {
  return charges
    .filter(({ payment_intent }) => intents.includes(payment_intent))
    .reduce((total, { taken_back }) => total + taken_back, 0)
}

async function subscriptionOf(
  product: World,
  owner: Player,
  found: { session: Stripe.Checkout.Session | null; subscription: Stripe.Subscription; charges: Charges },
): Promise<Subscription> {
  const { session, subscription, charges } = found
  const payments = new Map<string, Payment>()
  const periods: Period[] = []
  for await (const invoice of product.stripe.client.invoices.list({
    subscription: subscription.id,
    limit: 100,
  })) {
    const { payment_intents, regular } = await factsOf(product, owner, invoice)
    const payment: Payment = {
      id: invoice.id ?? '',
      total: invoice.total,
      paid_at: invoice.status === 'paid' ? (invoice.status_transitions.paid_at ?? null) : null,
      taken_back: takenBack(charges, payment_intents),
    }
    payments.set(payment.id, payment)
    const { trial_start, trial_end } = subscription
    if (invoice.billing_reason === 'subscription_create' && trial_start !== null)
      periods.push({ kind: 'trial', starts_at: trial_start, ends_at: trial_end ?? 0, seats: 1, payment })
    for (const line of regular) {
      if (trial_end !== null && line.starts_at < trial_end) continue
      const days = (line.ends_at - line.starts_at) / 86_400
      periods.push({ ...line, kind: days > 45 ? 'year' : 'month', payment })
    }
  }
  return {
    // What was made by hand is named by the invoice that paid it first.
    session: session?.id ?? [...payments.keys()].at(-1) ?? '',
    plan_type: owner.kind === 'team' ? 'teams' : 'pro',
    seats_now: subscription.items.data[0]?.quantity ?? 0,
    ended_at: subscription.ended_at,
    periods,
    seat_changes: (owner.seatChanges.get(subscription.id) ?? []).map(({ invoice, ...change }) => {
      const payment = payments.get(invoice)
      if (!payment) throw new Error(`Stripe does not list invoice ${invoice}`)
      return { ...change, payment }
    }),
  }
}

async function factsOf(
  { stripe: { client: stripe } }: World,
  { paidInvoices }: Player,
  invoice: Stripe.Invoice,
): Promise<InvoiceFacts> {
  const id = invoice.id ?? ''
  const known = paidInvoices.get(id)
  if (known) return known
  const payment_intents: string[] = []
  for await (const { payment } of stripe.invoicePayments.list({ invoice: id, limit: 100 }))
    if (payment.payment_intent) payment_intents.push(String(payment.payment_intent))
  const regular: InvoiceFacts['regular'][number][] = []
  for await (const { parent, period, quantity } of stripe.invoices.listLineItems(id, { limit: 100 })) {
    const item = parent?.subscription_item_details
    if (item && !item.proration)
      regular.push({ starts_at: period.start, ends_at: period.end, seats: quantity ?? 0 })
  }
  const facts = { payment_intents, regular }
  // A paid invoice does not change, apart from returned money.
  if (invoice.status === 'paid') paidInvoices.set(id, facts)
  return facts
}
