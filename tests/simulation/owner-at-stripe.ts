import type Stripe from 'stripe'
import type { FaultyProduct } from './faulty-product.ts'
import type { Owner } from './owner.ts'
import type { OwnerStep, Proration } from './owner-history.ts'
import { pass } from './pass.ts'
import { ignoreRefusal, withoutFaults } from './play.ts'

const day_s = 86_400
/** How long a renewal's invoice is a draft. */
const draft_s = 3600
export const failingCard = '4000000000000341'
const payingCard = '4242424242424242'

export type SubscriptionChange = Extract<
  OwnerStep,
  {
    do:
      | 'period_end'
      | 'seats'
      | 'cancel'
      | 'card'
      | 'pay_invoice'
      | 'pay_part'
      | 'forgive'
      | 'void_invoice'
      | 'frequency'
      | 'end_trial'
      | 'extend_trial'
      | 'anchor'
      | 'move_by_trial'
      | 'add_on'
      | 'coupon'
      | 'manual_items'
      | 'pause'
      | 'lose_metadata'
      | 'make_anew'
  }
>

const beginsPeriod = new Set<string>(['frequency', 'end_trial', 'anchor', 'move_by_trial'])

/**
 * Stripe's times are whole seconds, and our clock may be ahead: of usage that has the time of a period's
 * beginning or a later one, nothing tells that it came first.
 */
async function untilUsageIsBefore(product: FaultyProduct, { usages }: Owner): Promise<void> {
  const last = Math.max(0, ...usages.map(({ at }) => at ?? 0))
  const ahead_s = Math.floor(last) + 1 - Math.floor(product.timeAtStripe())
  if (ahead_s > 0) await pass(product, ahead_s)
}

/**
 * Of usage in the hour of a draft, what the renewal covers depends on whether it is heard before the period
 * that a person begins in that hour (rule 9).
 */
async function untilRenewalIsFinal(product: FaultyProduct, subscription: string): Promise<void> {
  const { data } = await withoutFaults(product, () =>
    product.stripe.client.invoices.list({ subscription, status: 'draft', limit: 10 }),
  )
  if (data.some(({ billing_reason }) => billing_reason === 'subscription_cycle')) await pass(product, draft_s)
}

export async function changeSubscription(
  product: FaultyProduct,
  owner: Owner,
  { subscription, step }: { subscription: Stripe.Subscription; step: SubscriptionChange },
): Promise<void> {
  const { id, trial_end, status } = subscription
  const item = planItem(subscription)
  if (!item) return
  const update = (params: Stripe.SubscriptionUpdateParams) =>
    atStripe(product, owner, (stripe) => stripe.subscriptions.update(id, params))
  if (beginsPeriod.has(step.do)) {
    await untilRenewalIsFinal(product, id)
    await untilUsageIsBefore(product, owner)
  }
  switch (step.do) {
    case 'period_end':
      return untilPeriodEnd(product, subscription, step.after_s)
    case 'seats':
      if (owner.kind === 'team') await changeSeats(product, owner, { id, ...step })
      return
    case 'cancel':
      if (step.when === 'now') await atStripe(product, owner, (stripe) => stripe.subscriptions.cancel(id))
      else if (step.when === 'period_end') await update({ cancel_at_period_end: true })
      else await update({ cancel_at: item.current_period_end - 10 * day_s, proration_behavior: 'none' })
      return
    case 'card':
      return giveCard(product, id, step.card)
    case 'pay_invoice':
      return payInvoice(product, owner, step.outside_stripe)
    case 'pay_part':
      if (!(await findOpenInvoice(product, owner))) {
        await giveCard(product, id, 'fails_later')
        await untilPeriodEnd(product, subscription, draft_s + 60)
        await giveCard(product, id, 'pays')
      }
      await atInvoice(product, owner, { does: 'pay_part', percent: step.percent })
      return step.rest ? payInvoice(product, owner) : undefined
    case 'forgive':
      return atInvoice(product, owner, { does: 'credit_note', percent: step.percent })
    case 'void_invoice': {
      const invoice = await findOpenInvoice(product, owner)
      if (invoice) await atStripe(product, owner, (stripe) => stripe.invoices.voidInvoice(invoice.id))
      return
    }
    case 'frequency': {
      if (status !== 'active' && (step.by !== 'customer' || status !== 'trialing')) return
      const monthly = item.price.recurring?.interval === 'month'
      const key = `${owner.kind === 'team' ? 'teams' : 'pro'}_${monthly ? 'yearly' : 'monthly'}`
      const prices = await withoutFaults(product, () =>
        product.stripe.client.prices.list({ lookup_keys: [key] }),
      )
      const price = prices.data[0]?.id
      if (price && step.by === 'customer') return changeOnPage(product, owner, { subscription, item, price })
      if (price) await update({ items: [{ id: item.id, price }], proration_behavior: 'always_invoice' })
      return
    }
    case 'end_trial':
      if (status === 'trialing') await update({ trial_end: 'now' })
      return
    case 'extend_trial':
      if (status === 'trialing' && trial_end)
        await update({ trial_end: trial_end + step.days * day_s, proration_behavior: 'none' })
      return
    case 'anchor':
      if (status === 'active')
        await update({ billing_cycle_anchor: { type: 'now' }, proration_behavior: step.proration })
      return
    case 'move_by_trial':
      if (status === 'active')
        await update({
          trial_end: Math.floor(product.timeAtStripe()) + step.days * day_s,
          proration_behavior: step.proration,
        })
      return
    case 'add_on': {
      const other = subscription.items.data.find((one) => one !== item)
      if (other) return void (await update({ items: [{ id: other.id, deleted: true }] }))
      const price = await atStripe(product, owner, (stripe) =>
        stripe.prices.create({
          product_data: { name: 'Priority support' },
          currency: owner.currency.toLowerCase(),
          unit_amount: 900,
          recurring: { interval: item.price.recurring?.interval ?? 'month' },
        }),
      )
      if (price) await update({ items: [{ price: price.id, quantity: step.quantity }] })
      return
    }
    case 'coupon': {
      const { percent = 100, duration = 'once' } = step
      const coupon = await atStripe(product, owner, (stripe) =>
        stripe.coupons.create({
          percent_off: percent,
          duration,
          ...(duration === 'repeating' && { duration_in_months: 3 }),
        }),
      )
      if (coupon) await update({ discounts: [{ coupon: coupon.id }] })
      return
    }
    case 'manual_items':
      for (let made = 0; made < step.count; made++)
        await atStripe(product, owner, (stripe) =>
          stripe.invoiceItems.create({
            customer: String(subscription.customer),
            subscription: id,
            amount: step.amount,
            currency: owner.currency.toLowerCase(),
            period: { start: item.current_period_end, end: item.current_period_end + 30 * day_s },
          }),
        )
      return
    case 'lose_metadata':
      await update({ metadata: '' })
      return
    case 'make_anew':
      return makeAnew(product, owner, { subscription, ...step })
    case 'pause':
      await update({ pause_collection: step.behavior === null ? '' : { behavior: step.behavior } })
  }
}

async function untilPeriodEnd(
  product: FaultyProduct,
  subscription: Stripe.Subscription,
  after_s: number,
): Promise<void> {
  const end = planItem(subscription)?.current_period_end ?? 0
  const left_s = Math.ceil(end - product.timeAtStripe())
  if (left_s + Math.min(0, after_s) > 0 && !subscription.ended_at) await pass(product, left_s + after_s)
}

/** As the server leads there: the portal of the present price, with the change to confirm. */
async function changeOnPage(
  product: FaultyProduct,
  owner: Owner,
  change: { subscription: Stripe.Subscription; item: Stripe.SubscriptionItem; price: string },
): Promise<void> {
  const { subscription, item, price } = change
  const page = await atStripe(product, owner, async (stripe) => {
    const { data } = await stripe.billingPortal.configurations.list({ active: true, limit: 100 })
    const configuration = data.find(({ metadata }) => metadata?.portal_price === item.price.id)
    if (!configuration) return null
    return stripe.billingPortal.sessions.create({
      customer: String(subscription.customer),
      configuration: configuration.id,
      flow_data: {
        type: 'subscription_update_confirm',
        subscription_update_confirm: {
          subscription: subscription.id,
          items: [{ id: item.id, price, quantity: item.quantity ?? 1 }],
        },
      },
    })
  })
  if (!page) return void owner.refusals.push('Stripe’s page does not offer the change')
  await fetch(`${page.url}/subscriptions/${subscription.id}/confirm`, { method: 'POST', redirect: 'manual' })
}

async function giveCard(product: FaultyProduct, id: string, card: 'pays' | 'fails_later'): Promise<void> {
  await product.stripe
    .knob(`subscriptions/${id}/card`, { card: card === 'pays' ? payingCard : failingCard })
    .catch(ignoreRefusal)
}

/**
 * As support does at Stripe's dashboard: the old one ends, another one begins with its card and its price, or
 * with one that was agreed on with the customer.
 */
async function makeAnew(
  product: FaultyProduct,
  owner: Owner,
  how: {
    readonly subscription: Stripe.Subscription
    readonly with_metadata: boolean
    readonly at_other_price?: boolean
  },
): Promise<void> {
  const { subscription, with_metadata, at_other_price = false } = how
  const { id, customer, items, metadata, ended_at } = subscription
  // Whose customer it is becomes known when their first plan is settled.
  if (owner.kind === 'team' && !owner.organization_id) return
  if (ended_at === null) await atStripe(product, owner, (stripe) => stripe.subscriptions.cancel(id))
  const made = await atStripe(product, owner, async (stripe) => {
    const { data } = await stripe.paymentMethods.list({ customer: String(customer) })
    const agreed = async ({ id, product, recurring }: Stripe.Price) =>
      at_other_price
        ? stripe.prices.create({
            product: String(product),
            currency: subscription.currency,
            unit_amount: 1234,
            recurring: { interval: recurring?.interval ?? 'month' },
            tax_behavior: 'inclusive',
          })
        : { id }
    const priced = items.data.map(async ({ price, quantity = 1 }) => ({
      price: (await agreed(price)).id,
      quantity,
    }))
    return stripe.subscriptions.create({
      customer: String(customer),
      currency: subscription.currency,
      items: await Promise.all(priced),
      default_payment_method: data[0]?.id ?? '',
      ...(with_metadata && { metadata }),
    })
  })
  if (made) owner.sessions.push({ id: made.id, buys: 'made_by_hand', credits: 0 })
}

/** Stripe refuses what cannot be done, such as cancelling twice; then it has not happened. */
export async function atStripe<T>(
  product: FaultyProduct,
  owner: Owner,
  work: (stripe: Stripe) => Promise<T>,
): Promise<T | null> {
  return withoutFaults(product, async () => {
    try {
      return await work(product.stripe.client)
    } catch (error) {
      const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 0
      if ([400, 402, 404, 429].includes(status)) {
        owner.refusals.push(String(error))
        return null
      }
      throw error
    }
  })
}

/** The item that is the plan: the others are other products. */
export function planItem({ items }: Stripe.Subscription): Stripe.SubscriptionItem | undefined {
  return items.data.find(({ price }) => /^plan_/.test(String(price.product)))
}

async function changeSeats(
  product: FaultyProduct,
  owner: Owner,
  { id, numbers, proration }: { id: string; numbers: readonly number[]; proration: Proration },
): Promise<void> {
  const { client } = product.stripe
  for (const quantity of numbers) {
    const before = await withoutFaults(product, () => client.subscriptions.retrieve(id))
    const item = planItem(before)
    // What is free is charged without a credit: no bill says which of several in one second came last.
    if (before.discounts.length > 0) await pass(product, 1)
    const mayChange = before.status === 'active' || before.status === 'past_due'
    if (!item || !mayChange || item.quantity === quantity) return
    const after = await atStripe(product, owner, (stripe) =>
      stripe.subscriptions.update(id, {
        items: [{ id: item.id, quantity }],
        proration_behavior: proration,
        expand: ['latest_invoice'],
      }),
    )
    if (!after || proration === 'none') continue
    const made = await withoutFaults(product, async () => {
      if (proration === 'create_prorations') {
        const customer = String(after.customer)
        const { data } = await client.invoiceItems.list({ customer, pending: true, limit: 100 })
        const item = data.find((one) => one.proration && one.amount >= 0 && one.quantity === quantity)
        return item && { at: item.period.start, to: quantity, invoice: null, item: item.id }
      }
      const invoice = after.latest_invoice
      if (!invoice || typeof invoice === 'string') return undefined
      return { at: invoice.created, to: quantity, invoice: invoice.id ?? '', item: null }
    })
    if (made) owner.seatChanges.set(id, [...(owner.seatChanges.get(id) ?? []), made])
  }
}

/** Whatever is still open of any subscription, also of one that Stripe has given up. */
async function payInvoice(product: FaultyProduct, owner: Owner, isOutside = false): Promise<void> {
  const invoice = await findOpenInvoice(product, owner)
  if (!invoice) return
  if (isOutside) {
    const pay = (stripe: Stripe) => stripe.invoices.pay(invoice.id, { paid_out_of_band: true })
    return void (await atStripe(product, owner, pay))
  }
  const { id, customer } = invoice
  const card = await atStripe(product, owner, (stripe) =>
    stripe.paymentMethods.attach('pm_card_visa', { customer }),
  )
  if (card) await atStripe(product, owner, (stripe) => stripe.invoices.pay(id, { payment_method: card.id }))
}

/** A share of what is left of the invoice that is open. */
async function atInvoice(
  product: FaultyProduct,
  owner: Owner,
  { does, percent }: { does: 'pay_part' | 'credit_note'; percent: number },
): Promise<void> {
  const invoice = await findOpenInvoice(product, owner)
  if (!invoice) return void owner.refusals.push('No invoice is open')
  const amount = Math.ceil((invoice.amount_remaining * percent) / 100)
  await product.stripe.knob(`invoices/${invoice.id}/${does}`, { amount }).catch(ignoreRefusal)
}

export async function failRefund(product: FaultyProduct, owner: Owner): Promise<void> {
  const refunded = (await chargesOf(product, owner)).filter(({ amount_refunded }) => amount_refunded > 0)
  for (const charge of refunded) {
    const { data } = await withoutFaults(product, () =>
      product.stripe.client.refunds.list({ charge: charge.id, limit: 100 }),
    )
    const refund = data.find(({ status }) => status !== 'failed')
    if (refund) return void (await product.stripe.knob(`refunds/${refund.id}/status`, { status: 'failed' }))
  }
  owner.refusals.push('Nothing was refunded')
}

export async function findOpenInvoice(product: FaultyProduct, owner: Owner) {
  for (const customer of owner.customers) {
    const invoices = await withoutFaults(product, () =>
      product.stripe.client.invoices.list({ customer, limit: 100 }),
    )
    const invoice = invoices.data.find(({ status }) => status === 'open' || status === 'uncollectible')
    if (invoice?.id) return { id: invoice.id, customer, amount_remaining: invoice.amount_remaining }
  }
  return undefined
}

export async function disputeCharge(
  product: FaultyProduct,
  owner: Owner,
  how: { charge: Stripe.Charge; amount: number; answered: boolean; is_inquiry: boolean },
): Promise<void> {
  const { charge, amount, answered, is_inquiry } = how
  const made = await product.stripe
    .knob<{ dispute: Stripe.Dispute }>(`charges/${charge.id}/dispute`, {
      amount,
      ...(is_inquiry && { status: 'warning_needs_response' }),
    })
    .catch((error: unknown) => {
      ignoreRefusal(error)
      owner.refusals.push(String(error))
    })
  if (!made || !answered) return
  const { dispute } = made
  const evidence = { uncategorized_text: 'It was used.' }
  await atStripe(product, owner, (stripe) => stripe.disputes.update(dispute.id, { evidence, submit: true }))
}

/** Ends the first dispute that is open, an inquiry or an appeal too. */
export async function closeDispute(
  product: FaultyProduct,
  owner: Owner,
  outcome: 'won' | 'lost',
): Promise<void> {
  const open = await findDispute(product, owner, (status) => /needs_response|under_review/.test(status))
  if (!open) return void owner.refusals.push('No dispute is open')
  const isInquiry = open.status.startsWith('warning_')
  const status = isInquiry ? { won: 'warning_closed', lost: 'needs_response' }[outcome] : outcome
  await product.stripe.knob(`disputes/${open.id}/status`, { status }).catch(ignoreRefusal)
}

export async function appeal(product: FaultyProduct, owner: Owner): Promise<void> {
  const lost = await findDispute(product, owner, (status) => status === 'lost')
  if (!lost) return void owner.refusals.push('No dispute is lost')
  await product.stripe.knob(`disputes/${lost.id}/status`, { status: 'appeal_under_review' })
}

async function findDispute(
  product: FaultyProduct,
  owner: Owner,
  isWanted: (status: Stripe.Dispute.Status) => boolean,
): Promise<Stripe.Dispute | undefined> {
  for (const charge of await chargesOf(product, owner)) {
    if (!charge.disputed) continue
    const { data } = await withoutFaults(product, () =>
      product.stripe.client.disputes.list({ charge: charge.id }),
    )
    const found = data.find(({ status }) => isWanted(status))
    if (found) return found
  }
  return undefined
}

export async function chargesOf(product: FaultyProduct, owner: Owner): Promise<Stripe.Charge[]> {
  const found: Stripe.Charge[] = []
  for (const customer of owner.customers) {
    const { data } = await withoutFaults(product, () =>
      product.stripe.client.charges.list({ customer, limit: 100 }),
    )
    found.push(...data.filter(({ status }) => status === 'succeeded'))
  }
  return found.toSorted((a, b) => b.created - a.created)
}

export async function latestSubscription(
  product: FaultyProduct,
  owner: Owner,
): Promise<Stripe.Subscription | null> {
  const plan = owner.sessions.findLast(({ buys }) => buys !== 'credits')
  if (!plan) return null
  return withoutFaults(product, async () => {
    const { subscription } =
      plan.buys === 'made_by_hand'
        ? { subscription: plan.id }
        : await product.stripe.client.checkout.sessions.retrieve(plan.id)
    return subscription ? product.stripe.client.subscriptions.retrieve(String(subscription)) : null
  })
}
