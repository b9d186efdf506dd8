import type Stripe from 'stripe'
import { processPaymentSuccess, purchaseCredits } from '../../schema/api/checkout.ts'
import { createOrganizationSubscription, topUpOrganizationCredits } from '../../schema/api/organizations.ts'
import { createCheckoutSession } from '../../schema/api/subscriptions.ts'
import { creditsCostMinor } from '../../schema/catalogue/credits.ts'
import type { ApiAnswer } from '../support/product/test-server.ts'
import { waitUntil } from '../support/wait-until.ts'
import type { FaultyProduct } from './faulty-product.ts'
import { isMishap, strike } from './mishaps.ts'
import { newOwner, type Owner, tokenFor } from './owner.ts'
import { claimFree, deliver, deliverInto } from './owner-events.ts'
import type { OwnerHistory, OwnerStep, PlannedPlan } from './owner-history.ts'
import { pass } from './pass.ts'
import { ignoreCut, ignoreRefusal, withoutFaults } from './play.ts'
import { settle } from './settle.ts'
import { use } from './use.ts'

const day_s = 86_400
const failingCard = '4000000000000341'
const payingCard = '4242424242424242'

/** Lets an owner live through a history, and holds what the product says against the model after each of its turns. */
export async function playOwner(product: FaultyProduct, history: OwnerHistory): Promise<Owner> {
  const owner = await newOwner(product, history.owner)
  try {
    for (const turn of history.turns) {
      let isSettled = true
      let isExact = false
      for (const step of turn.steps) {
        if (step.do === 'use') {
          if (!isSettled) await settle(product, owner, turn)
          isSettled = true
          await use(product, owner, step)
          continue
        }
        // So that Stripe's times tell what came first.
        if (!isExact) await pass(product, 1)
        isExact = step.do === 'period_end'
        isSettled = false
        await take(product, owner, step)
      }
      if (!isSettled) await settle(product, owner, turn)
    }
  } finally {
    await endQuietly(product, owner)
  }
  return owner
}

/** Stripe refuses what cannot be done, such as cancelling twice; then it has not happened. */
async function atStripe<T>(
  product: FaultyProduct,
  owner: Owner,
  work: (stripe: Stripe) => Promise<T>,
): Promise<T | null> {
  return withoutFaults(product, async () => {
    try {
      return await work(product.stripe.client)
    } catch (error) {
      const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 0
      if ([400, 402, 404].includes(status)) {
        owner.refusals.push(String(error))
        return null
      }
      throw error
    }
  })
}

async function take(product: FaultyProduct, owner: Owner, step: OwnerStep): Promise<void> {
  if (isMishap(step)) return strike(product, step)
  switch (step.do) {
    case 'plan':
      return subscribe(product, owner, step)
    case 'purchase':
      return purchase(product, owner, step.credits)
    case 'use':
      return
    case 'days':
      return pass(product, step.days * day_s)
    case 'deliver':
      return deliver(product, owner, { share: step.share, order: 'sent', times: 1 })
    case 'redeliver':
      return deliver(product, owner, { share: step.share, order: 'shuffled', times: 1, again: true })
    case 'drop':
      return deliver(product, owner, { share: step.share, order: 'shuffled', times: 0 })
    case 'return':
      return comeBack(product, owner)
    case 'outage':
      return deliverInto(product, owner, () => loseStripe(product, step.hours))
    case 'claim_free': {
      const answer = owner.kind === 'user' && (await openPurchase(product, owner, 500))
      if (answer && answer.status === 200)
        await claimFree(product, owner, (answer.body as { sessionId: string }).sessionId)
      return
    }
    case 'refund':
    case 'dispute': {
      const charges = await chargesOf(product, owner)
      const charge = charges[step.payment % Math.max(1, charges.length)]
      if (!charge) return
      const amount = Math.min(
        Math.ceil((charge.amount * step.percent) / 100),
        charge.amount - charge.amount_refunded,
      )
      if (amount <= 0) return
      if (step.do === 'refund')
        await atStripe(product, owner, (stripe) => stripe.refunds.create({ charge: charge.id, amount }))
      else await disputeCharge(product, owner, { charge, amount, answered: step.answered })
      return
    }
    case 'close_dispute':
      return closeDispute(product, owner, step.outcome)
    case 'delete_customer':
      for (const customer of [...owner.customers].slice(-1))
        await atStripe(product, owner, (stripe) => stripe.customers.del(customer))
      return
    case 'credit_balance':
      for (const customer of [...owner.customers].slice(-1))
        await atStripe(product, owner, (stripe) =>
          stripe.customers.createBalanceTransaction(customer, { amount: -step.amount, currency: 'eur' }),
        )
      return
  }
  const subscription = await latestSubscription(product, owner)
  if (subscription) await change(product, owner, { subscription, step })
}

type Change = Extract<
  OwnerStep,
  {
    do:
      | 'period_end'
      | 'seats'
      | 'cancel'
      | 'card'
      | 'pay_invoice'
      | 'frequency'
      | 'end_trial'
      | 'extend_trial'
      | 'anchor'
      | 'coupon'
      | 'manual_items'
      | 'pause'
  }
>

async function change(
  product: FaultyProduct,
  owner: Owner,
  { subscription, step }: { subscription: Stripe.Subscription; step: Change },
): Promise<void> {
  const { id, trial_end, status } = subscription
  const item = subscription.items.data[0]
  if (!item) return
  const update = (params: Stripe.SubscriptionUpdateParams) =>
    atStripe(product, owner, (stripe) => stripe.subscriptions.update(id, params))
  switch (step.do) {
    case 'period_end': {
      const left_s = Math.ceil(item.current_period_end - product.clock.now().getTime() / 1000)
      if (left_s > 0 && !subscription.ended_at) await pass(product, left_s)
      return
    }
    case 'seats':
      if (owner.kind === 'team') await changeSeats(product, owner, { id, numbers: step.numbers })
      return
    case 'cancel':
      if (step.when === 'now') await atStripe(product, owner, (stripe) => stripe.subscriptions.cancel(id))
      else await update({ cancel_at_period_end: true })
      return
    case 'card':
      await product.stripe
        .knob(`subscriptions/${id}/card`, { card: step.card === 'pays' ? payingCard : failingCard })
        .catch(ignoreRefusal)
      return
    case 'pay_invoice':
      return payInvoice(product, owner)
    case 'frequency': {
      if (status !== 'active') return
      const monthly = item.price.recurring?.interval === 'month'
      const key = `${owner.kind === 'team' ? 'teams' : 'pro'}_${monthly ? 'yearly' : 'monthly'}`
      const prices = await withoutFaults(product, () =>
        product.stripe.client.prices.list({ lookup_keys: [key] }),
      )
      const price = prices.data[0]?.id
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
        await update({ billing_cycle_anchor: { type: 'now' }, proration_behavior: 'always_invoice' })
      return
    case 'coupon': {
      const coupon = await atStripe(product, owner, (stripe) =>
        stripe.coupons.create({ percent_off: 100, duration: 'once' }),
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
            currency: 'eur',
            period: { start: item.current_period_end, end: item.current_period_end + 30 * day_s },
          }),
        )
      return
    case 'pause':
      await update({ pause_collection: step.behavior === null ? '' : { behavior: step.behavior } })
  }
}

/** What an owner who is alone or a team calls, and pays at once. A call that a mishap hit has bought nothing. */
async function subscribe(product: FaultyProduct, owner: Owner, plan: PlannedPlan): Promise<void> {
  const latest = await latestSubscription(product, owner)
  if (latest && !latest.ended_at) return
  product.setTrialDays(owner.kind === 'user' ? plan.trial_days : 0)
  const seats = owner.kind === 'team' ? plan.seats : 1
  const token = await tokenFor(product, owner)
  const ask = () => {
    if (owner.organization_id)
      return product.server.api(createOrganizationSubscription, {
        token,
        body: { clerk_org_id: owner.organization_id, seats_total: seats },
      })
    return product.server.api(createCheckoutSession, {
      token,
      body: {
        planType: owner.kind === 'team' ? 'teams' : 'pro',
        billingFrequency: plan.frequency,
        currency: 'EUR',
        seats,
        clerkUserId: owner.person.user_id,
      },
    })
  }
  // The first one must come about, or there is no history.
  if (owner.sessions.length > 0) return pay(product, owner, await ask().catch(ignoreCut), { plan })
  const answer = await waitUntil(async () => {
    const { status, body } = await ask()
    return status === 200 && { status, body }
  }, 'the checkout of a plan to start')
  await pay(product, owner, answer, { plan })
}

async function purchase(product: FaultyProduct, owner: Owner, credits: number): Promise<void> {
  if (owner.kind === 'team' && !owner.organization_id) return
  await pay(product, owner, await openPurchase(product, owner, credits), { credits })
}

async function openPurchase(
  product: FaultyProduct,
  owner: Owner,
  credits: number,
): Promise<ApiAnswer | undefined> {
  const token = await tokenFor(product, owner)
  if (owner.organization_id) {
    const body = { org_id: owner.organization_id, credits_amount: credits }
    return product.server.api(topUpOrganizationCredits, { token, body }).catch(ignoreCut)
  }
  const amount = creditsCostMinor(credits) / 100
  const body = { clerkUserId: owner.person.user_id, credits, amount, currency: 'EUR' } as const
  return product.server.api(purchaseCredits, { token, body }).catch(ignoreCut)
}

/**
 * Stripe answers nothing for so long. Time passes in steps that grow, as the waits between two tries do, so that every try that is
 * made in such a time is made here too.
 */
async function loseStripe(product: FaultyProduct, hours: number): Promise<void> {
  await product.stripe.knob('faults', { status: 503 })
  let seconds = 300
  for (let left = hours * 3600; left > 0; left -= seconds) {
    seconds = Math.min(left, seconds * 2)
    await pass(product, seconds)
    await product.letSweep()
  }
  await product.stripe.clear('faults')
}

async function pay(
  product: FaultyProduct,
  owner: Owner,
  answer: Pick<ApiAnswer, 'status' | 'body'> | undefined,
  bought: { plan: PlannedPlan } | { credits: number },
): Promise<void> {
  if (answer?.status !== 200) return
  const id = (answer.body as { sessionId: string }).sessionId
  const isPlan = 'plan' in bought
  if (owner.sessions.some((session) => session.id === id)) return
  owner.sessions.push({
    id,
    buys: isPlan ? 'plan' : 'credits',
    credits: isPlan ? 0 : bought.credits,
  })
  const means = isPlan && bought.plan.card === 'fails_later' ? { card: failingCard } : {}
  await product.stripe.knob(`sessions/${id}/pay`, means)
  const { customer } = await withoutFaults(product, () =>
    product.stripe.client.checkout.sessions.retrieve(id),
  )
  if (customer) owner.customers.add(String(customer))
}

async function comeBack(product: FaultyProduct, owner: Owner): Promise<void> {
  const token = await tokenFor(product, owner)
  for (const { id } of owner.sessions.slice(-1))
    await product.server
      .api(processPaymentSuccess, { token, body: { sessionId: id, clerkUserId: owner.person.user_id } })
      .catch(ignoreCut)
}

async function changeSeats(
  product: FaultyProduct,
  owner: Owner,
  { id, numbers }: { id: string; numbers: readonly number[] },
): Promise<void> {
  for (const quantity of numbers) {
    const before = await withoutFaults(product, () => product.stripe.client.subscriptions.retrieve(id))
    const item = before.items.data[0]
    if (!item || before.status !== 'active' || item.quantity === quantity) return
    const after = await atStripe(product, owner, (stripe) =>
      stripe.subscriptions.update(id, {
        items: [{ id: item.id, quantity }],
        proration_behavior: 'always_invoice',
        expand: ['latest_invoice'],
      }),
    )
    const invoice = after?.latest_invoice
    if (!invoice || typeof invoice === 'string') continue
    const made = { at: invoice.created, from: item.quantity ?? 0, to: quantity, invoice: invoice.id ?? '' }
    owner.seatChanges.set(id, [...(owner.seatChanges.get(id) ?? []), made])
  }
}

/** Whatever is still open of any subscription, also of one that Stripe has given up. */
async function payInvoice(product: FaultyProduct, owner: Owner): Promise<void> {
  for (const customer of owner.customers) {
    const invoices = await withoutFaults(product, () =>
      product.stripe.client.invoices.list({ customer, limit: 100 }),
    )
    const invoice = invoices.data.find(({ status }) => status === 'open' || status === 'uncollectible')
    if (!invoice?.id) continue
    const { id } = invoice
    const card = await atStripe(product, owner, (stripe) =>
      stripe.paymentMethods.attach('pm_card_visa', { customer }),
    )
    if (card) await atStripe(product, owner, (stripe) => stripe.invoices.pay(id, { payment_method: card.id }))
    return
  }
}

async function disputeCharge(
  product: FaultyProduct,
  owner: Owner,
  { charge, amount, answered }: { charge: Stripe.Charge; amount: number; answered: boolean },
): Promise<void> {
  if (charge.disputed) return
  const { dispute } = await product.stripe.knob<{ dispute: Stripe.Dispute }>(`charges/${charge.id}/dispute`, {
    amount,
  })
  if (!answered) return
  const evidence = { uncategorized_text: 'It was used.' }
  await atStripe(product, owner, (stripe) => stripe.disputes.update(dispute.id, { evidence, submit: true }))
}

async function closeDispute(product: FaultyProduct, owner: Owner, outcome: 'won' | 'lost'): Promise<void> {
  for (const charge of await chargesOf(product, owner)) {
    if (!charge.disputed) continue
    const { data } = await withoutFaults(product, () =>
      product.stripe.client.disputes.list({ charge: charge.id }),
    )
    const open = data.find(({ status }) => status === 'needs_response' || status === 'under_review')
    if (!open) continue
    await product.stripe.knob(`disputes/${open.id}/close`, { outcome }).catch(ignoreRefusal)
    return
  }
  owner.refusals.push('No dispute is open')
}

async function chargesOf(product: FaultyProduct, owner: Owner): Promise<Stripe.Charge[]> {
  const found: Stripe.Charge[] = []
  for (const customer of owner.customers) {
    const { data } = await withoutFaults(product, () =>
      product.stripe.client.charges.list({ customer, limit: 100 }),
    )
    found.push(...data.filter(({ status }) => status === 'succeeded'))
  }
  return found.toSorted((a, b) => b.created - a.created)
}

async function latestSubscription(product: FaultyProduct, owner: Owner): Promise<Stripe.Subscription | null> {
  const plan = owner.sessions.findLast(({ buys }) => buys === 'plan')
  if (!plan) return null
  return withoutFaults(product, async () => {
    const { subscription } = await product.stripe.client.checkout.sessions.retrieve(plan.id)
    return subscription ? product.stripe.client.subscriptions.retrieve(String(subscription)) : null
  })
}

/** So that the clock of the histories that follow has nothing to renew. */
async function endQuietly(product: FaultyProduct, owner: Owner): Promise<void> {
  await product.mend()
  const subscription = await latestSubscription(product, owner)
  if (!subscription || subscription.ended_at) return
  await atStripe(product, owner, (stripe) => stripe.subscriptions.cancel(subscription.id))
  await deliver(product, owner, { share: 1, order: 'sent', times: 1 })
}
