import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { findIntent } from '../../schema/billing/checkout/intents.ts'
import { type CheckoutPage, openPlanCheckout } from '../../tests/support/factories/plan-checkouts.ts'
import { madeForEachTest } from '../../tests/support/made.ts'
import { startClockwork } from '../../tests/support/product/clockwork.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { database, stripe, server } = product
const ada = madeForEachTest(async () => {
  await stripe.takeEvents()
  return signUp(product.clerk)
})

/** What Stripe makes of a checkout whose buyer went through, when the bank refuses the first payment. */
async function refuseFirstPayment({ sessionId, intentId }: CheckoutPage): Promise<Stripe.Subscription> {
  const session = await stripe.client.checkout.sessions.retrieve(sessionId, { expand: ['line_items'] })
  const customer = String(session.customer)
  const card = await stripe.client.paymentMethods.attach('pm_card_chargeDeclined', { customer })
  const subscription = await stripe.client.subscriptions.create({
    customer,
    items: [{ price: session.line_items?.data[0]?.price?.id ?? '', quantity: 1 }],
    default_payment_method: card.id,
    payment_behavior: 'allow_incomplete',
    metadata: { intentId },
  })
  expect(subscription.status).toBe('incomplete')
  return subscription
}

/** A checkout whose page is closed, and whose subscription waits for such a payment. */
async function refusedAtTheBank(): Promise<CheckoutPage & { subscription: Stripe.Subscription }> {
  const page = await openPlanCheckout(server, ada)
  const subscription = await refuseFirstPayment(page)
  await stripe.client.checkout.sessions.expire(page.sessionId)
  return { ...page, subscription }
}

/**
 * Stripe, where that session is complete and names the subscription, as it does when the payment is refused
 * later.
 */
function withCompleteSession({ subscription }: { subscription: Stripe.Subscription }): Stripe {
  const { sessions } = stripe.client.checkout
  const retrieve = async (...request: Parameters<typeof sessions.retrieve>) => ({
    ...(await sessions.retrieve(...request)),
    status: 'complete',
    payment_status: 'unpaid',
    subscription: subscription.id,
  })
  return new Proxy(stripe.client, {
    get: (target, name) => (name === 'checkout' ? { sessions: { retrieve } } : Reflect.get(target, name)),
  })
}

const ends = {
  incomplete_expired: () => stripe.knob('clock/advance', { seconds: 23 * 3600 + 1 }),
  canceled: ({ subscription }: { subscription: Stripe.Subscription }) =>
    stripe.client.subscriptions.cancel(subscription.id),
}

async function expectFailedAndFree(first: CheckoutPage): Promise<void> {
  expect(await findIntent(database.owner, first.intentId)).toMatchObject({
    state: 'failed',
    failure_code: 'first_payment_failed',
  })
  const next = await openPlanCheckout(server, ada)
  expect(next.intentId).not.toBe(first.intentId)
  await stripe.knob(`sessions/${next.sessionId}/pay`)
  await product.worker.catchUp()
  expect(await findIntent(database.owner, next.intentId)).toMatchObject({ state: 'settled' })
}

describe.each(['incomplete_expired', 'canceled'] as const)(
  'when the first payment of a plan fails at the bank, and Stripe gives up (%s),',
  (end) => {
    test('its events fail the checkout, and another one opens', async () => {
      const first = await refusedAtTheBank()
      await product.worker.catchUp()
      expect(await findIntent(database.owner, first.intentId)).not.toMatchObject({ state: 'settled' })
      await database.change('checkout_intents', { id: first.intentId }, { state: 'awaiting_payment' })
      await ends[end](first)
      await product.worker.catchUp()
      await expectFailedAndFree(first)
    })

    test('the claim of the checkout finds out, when every event is lost', async () => {
      const first = await refusedAtTheBank()
      const worker = startClockwork(database, { stripe: withCompleteSession(first) })
      await worker.pass(3_600_000)
      expect(await findIntent(database.owner, first.intentId)).toMatchObject({ state: 'open', attempts: 0 })
      await ends[end](first)
      await worker.pass(2 * 3_600_000)
      await stripe.takeEvents()
      await expectFailedAndFree(first)
    })
  },
)

test('news of a first try that failed, which come after its checkout was paid, change nothing', async () => {
  const page = await openPlanCheckout(server, ada)
  const { id } = await refuseFirstPayment(page)
  await product.worker.catchUp()
  await stripe.client.subscriptions.cancel(id)
  const late = await stripe.takeEvents()
  await stripe.knob(`sessions/${page.sessionId}/pay`)
  await product.worker.catchUp()
  await product.worker.applyStripe(late)
  expect(await findIntent(database.owner, page.intentId)).toMatchObject({
    state: 'settled',
    failure_reason: null,
  })
})
