import type Stripe from 'stripe'
import type { FaultyProduct } from './faulty-product.ts'
import type { Life, Payment, Period, Purchase, SeatChange, Subscription } from './model.ts'
import type { InvoiceFacts, Owner } from './owner.ts'
import { planItem } from './owner-at-stripe.ts'
import { withoutFaults } from './play.ts'

/** Stripe's objects, and the player's own knowledge. */
type World = Pick<FaultyProduct, 'stripe'>
export type Player = Pick<
  Owner,
  | 'kind'
  | 'sessions'
  | 'customers'
  | 'seatChanges'
  | 'usages'
  | 'adjustments'
  | 'reserved'
  | 'spending'
  | 'colleagues'
  | 'paidInvoices'
  | 'teams'
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
          ...moneyOf(charges, [String(session.payment_intent)]),
          charged: session.amount_total ?? 0,
        }
        purchases.push({ session: session.id, credits: started.credits, payment })
      } else if (session.subscription && started) {
        const subscription = await stripe.subscriptions.retrieve(String(session.subscription))
        subscriptions.push(await subscriptionOf(product, owner, { session, subscription, charges }))
      }
    }
    const colleagues = owner.kind === 'team' ? owner.colleagues.length : null
    const teams = await Promise.all(
      owner.teams.map(async ({ session, subscription }) => ({
        session,
        is_live: (await stripe.subscriptions.retrieve(subscription)).ended_at === null,
      })),
    )
    const { usages, adjustments, reserved, spending } = owner
    return { purchases, subscriptions, usages, adjustments, reserved, spending, colleagues, teams }
  })
}

type MoneyOf = Pick<Payment, 'taken_back' | 'disputed' | 'given_for_unused' | 'refunded_before'>
type Charges = readonly (MoneyOf & { payment_intent: string })[]

async function chargesOf({ stripe: { client: stripe } }: World, { customers }: Player): Promise<Charges> {
  const found: Stripe.Charge[] = []
  for (const customer of customers)
    for await (const charge of stripe.charges.list({ customer, limit: 100 })) found.push(charge)
  return Promise.all(
    found.map(async (charge) => {
      const disputes = charge.disputed ? (await stripe.disputes.list({ charge: charge.id })).data : []
      const refunds = charge.amount_refunded
        ? (await stripe.refunds.list({ charge: charge.id, limit: 100 })).data
        : []
      const given = refunds.filter(({ status }) => status !== 'failed')
      const held = disputes.filter(({ status }) => status !== 'won' && !status.startsWith('warning_'))
      const amountOf = (all: readonly { amount: number }[]) =>
        all.reduce((total, { amount }) => total + amount, 0)
      const ofUnused = given.filter(({ metadata }) => metadata?.unusedPartOf)
      const given_for_unused = amountOf(ofUnused)
      const before = given.filter(
        (refund) => !ofUnused.includes(refund) && refund.created <= (ofUnused[0]?.created ?? 0),
      )
      return {
        payment_intent: String(charge.payment_intent),
        taken_back: amountOf([...given, ...held]) - given_for_unused,
        disputed: amountOf(held),
        given_for_unused,
        refunded_before: amountOf(before),
      }
    }),
  )
}

function moneyOf(charges: Charges, intents: readonly string[]): MoneyOf {
  const own = charges.filter(({ payment_intent }) => intents.includes(payment_intent))
  const sumOf = (pick: keyof MoneyOf) => own.reduce((total, charge) => total + charge[pick], 0)
  return {
    taken_back: sumOf('taken_back'),
    disputed: sumOf('disputed'),
    given_for_unused: sumOf('given_for_unused'),
    refunded_before: sumOf('refunded_before'),
  }
}

async function subscriptionOf(
  product: World,
  owner: Player,
  found: { session: Stripe.Checkout.Session | null; subscription: Stripe.Subscription; charges: Charges },
): Promise<Subscription> {
  const { session, subscription, charges } = found
  const payments = new Map<string, Payment>()
  const voided = new Set<string>()
  const unasked: number[] = []
  const invoiceOf = new Map<string, string>()
  const periods: Period[] = []
  const gone: GivenBack[] = []
  for await (const invoice of product.stripe.client.invoices.list({
    subscription: subscription.id,
    limit: 100,
  })) {
    const { payment_intents, regular, given_back, items } = await factsOf(product, owner, invoice)
    const payment: Payment = {
      id: invoice.id ?? '',
      total: invoice.total - invoice.pre_payment_credit_notes_amount,
      paid_at: invoice.status === 'paid' ? (invoice.status_transitions.paid_at ?? null) : null,
      ...moneyOf(charges, payment_intents),
      charged: invoice.amount_paid,
    }
    payments.set(payment.id, payment)
    if (invoice.status === 'void') voided.add(payment.id)
    if (['void', 'uncollectible'].includes(String(invoice.status)))
      unasked.push(...regular.map(({ starts_at }) => starts_at))
    for (const item of items) invoiceOf.set(item, payment.id)
    for (const { amount, ...line } of regular) {
      const days = (line.ends_at - line.starts_at) / 86_400
      const kind = amount === 0 ? 'trial' : days > 45 ? 'year' : 'month'
      periods.push({ ...line, kind, given_back_from: null, payment })
    }
    if (payment.paid_at !== null) gone.push(...given_back.map((back) => ({ ...back, payment })))
  }
  const paidUntil = Math.max(
    ...periods.map(({ payment, ends_at }) => (payment.paid_at === null ? 0 : ends_at)),
  )
  const isAskedFor = !subscription.pause_collection && unasked.every((start) => start < paidUntil)
  return {
    lapses_at: isAskedFor ? null : paidUntil,
    // What was made by hand is named by the invoice that paid it first.
    session: session?.id ?? [...payments.keys()].at(-1) ?? '',
    plan_type: owner.kind === 'team' ? 'teams' : 'pro',
    seats_now: planItem(subscription)?.quantity ?? 0,
    ended_at: subscription.ended_at,
    periods: oneTrialEach(
      periods.map((period) => ({ ...period, given_back_from: backFrom(period, gone, periods) })),
    ),
    seat_changes: oneBillOnce(
      (owner.seatChanges.get(subscription.id) ?? []).flatMap(({ invoice, item, ...change }) => {
        const id = invoice ?? invoiceOf.get(item ?? '')
        if (id === undefined) return [{ ...change, payment: null }]
        const payment = payments.get(id)
        if (!payment) throw new Error(`Stripe does not list invoice ${id}`)
        if (voided.has(id)) return []
        // What has waited for its invoice goes on waiting until that is paid.
        return [{ ...change, payment: invoice === null && payment.paid_at === null ? null : payment }]
      }),
    ),
  }
}

/** What is changed and changed again in one second costs what is left of it, where one bill has both. */
function oneBillOnce(changes: readonly SeatChange[]): SeatChange[] {
  return changes.filter((change, index) => {
    const next = changes[index + 1]
    return next?.at !== change.at || next.payment?.id !== change.payment?.id
  })
}

/** Money that went back with the bill of a new period: from when on, of the period with which end. */
type GivenBack = InvoiceFacts['given_back'][number] & { readonly payment: Payment }

function backFrom(period: Period, gone: readonly GivenBack[], periods: readonly Period[]): number | null {
  if (period.kind === 'trial') return null
  const moments = gone.filter(({ from, ends_at, payment }) => {
    const meant = periods
      .filter((one) => one.kind !== 'trial' && one.ends_at === ends_at && one.starts_at <= from)
      .filter((one) => one.payment !== payment)
    // Of two that begin in one second, Stripe's list has the later one first.
    return meant.toSorted((a, b) => b.starts_at - a.starts_at)[0] === period
  })
  return moments.length === 0 ? null : Math.min(...moments.map(({ from }) => from))
}

/** A trial is one, however often its end was moved. */
function oneTrialEach(periods: readonly Period[]): Period[] {
  const all: Period[] = []
  for (const period of periods.toSorted((a, b) => a.starts_at - b.starts_at)) {
    const before = all.at(-1)
    if (period.kind !== 'trial' || before?.kind !== 'trial') all.push(period)
    else {
      const seats = Math.max(before.seats, period.seats)
      all.splice(-1, 1, { ...before, ends_at: period.ends_at, seats })
    }
  }
  return all
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
  const lines: Stripe.InvoiceLineItem[] = []
  for await (const line of stripe.invoices.listLineItems(id, { limit: 100 })) lines.push(line)
  const ofPlan = lines.filter(({ pricing }) => /^plan_/.test(String(pricing?.price_details?.product)))
  const regular = ofPlan
    .filter(({ parent }) => parent?.subscription_item_details?.proration === false)
    .map(({ period, quantity, amount }) => ({
      starts_at: period.start,
      ends_at: period.end,
      seats: quantity ?? 0,
      amount,
    }))
  const given_back = ofPlan
    .filter(({ amount, period }) => amount < 0 && regular.some(({ starts_at }) => starts_at === period.start))
    .map(({ period }) => ({ from: period.start, ends_at: period.end }))
  const items = lines.flatMap(({ parent }) => parent?.subscription_item_details?.invoice_item ?? [])
  const facts = { payment_intents, regular, given_back, items }
  // A paid invoice does not change, apart from returned money.
  if (invoice.status === 'paid') paidInvoices.set(id, facts)
  return facts
}
