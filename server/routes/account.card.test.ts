import { expect, test } from 'vitest'
import { getAccountSummary, getNextPayment, getOfferedCard, payOverdue } from '../../schema/api/account.ts'
import { purchaseCredits } from '../../schema/api/checkout.ts'
import { createCheckoutSession, createCustomerPortalSession } from '../../schema/api/subscriptions.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'

const { stripe, clerk, server, worker, advanceDays } = testProduct({
  stripe: 'with_prices',
  clerk: 'sandbox',
})

const paysOnce = '4000000000000341'

/** A customer of Pro; with a card that is declined for its first payment, which is then overdue. */
async function subscriber(card = paysOnce): Promise<Subscriber> {
  const ada = await buy(await signUp(clerk), card)
  await stripe.client.subscriptions.update(ada.subscription_id, { trial_end: 'now' })
  await worker.catchUp()
  return ada
}

type Subscriber = Person & { subscription_id: string }

async function buy(person: Person, card: string): Promise<Subscriber> {
  const body = { clerkUserId: person.user_id, planType: 'pro' as const }
  const { sessionId } = await server.ask(createCheckoutSession, { token: person.token, body })
  await stripe.knob(`sessions/${sessionId}/pay`, { card })
  const { subscription } = await stripe.client.checkout.sessions.retrieve(sessionId)
  await worker.catchUp()
  return { ...person, subscription_id: String(subscription) }
}

const nextOf = ({ token }: Person) => server.ask(getNextPayment, { token, query: {} })
const pay = ({ token }: Person) => server.api(payOverdue, { token, query: {}, body: {} })
const isOverdue = async ({ token }: Person) =>
  (await server.ask(getAccountSummary, { token, query: {} })).overdue !== null

async function chargesOf({ subscription_id }: { subscription_id: string }) {
  const { customer } = await stripe.client.subscriptions.retrieve(subscription_id)
  return (await stripe.client.charges.list({ customer: String(customer), limit: 10 })).data
}

async function openPortal({ token, user_id }: Person): Promise<string> {
  const body = { userId: user_id, flow: 'payment_method_update' as const }
  return (await server.ask(createCustomerPortalSession, { token, body })).url
}

const giveVisa = (by: Person) => giveCard(by, '4242 4242 4242 4242')

async function giveCard(by: Person, number: string): Promise<void> {
  const fields = { number, expiry: '12 / 40', cvc: '123', name: 'Ada Lovelace' }
  const answer = await fetch(`${await openPortal(by)}/payment-method`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })
  expect(answer.status).toBe(303)
}

/** Stripe's own mail, its dashboard, or a portal that was opened before this plan began. */
async function giveCardElsewhere(by: { subscription_id: string }, card: string): Promise<void> {
  const { customer } = await stripe.client.subscriptions.retrieve(by.subscription_id)
  const { id } = await stripe.client.paymentMethods.attach(card, { customer: String(customer) })
  await stripe.client.customers.update(String(customer), { invoice_settings: { default_payment_method: id } })
  await worker.catchUp()
}

test.each([
  ['in the portal', giveVisa],
  ['outside our portal', (by: Subscriber) => giveCardElsewhere(by, 'pm_card_visa')],
])('a card that is given %s after a declined payment is charged at the next try', async (_, give) => {
  const ada = await subscriber()
  expect(await nextOf(ada)).toMatchObject({
    payment: { overdue: true, amount_minor: 2000, at: expect.any(String) },
    card: { last4: '0341' },
    card_declined: true,
  })
  await advanceDays(1)
  await give(ada)

  expect(await nextOf(ada)).toMatchObject({
    payment: { overdue: true },
    card: { brand: 'visa', last4: '4242' },
    card_declined: false,
  })
  await stripe.knob(`subscriptions/${ada.subscription_id}/retry`)
  await worker.catchUp()
  expect(await isOverdue(ada)).toBe(false)
  const [charge] = await chargesOf(ada)
  expect(charge).toMatchObject({ paid: true, payment_method_details: { card: { last4: '4242' } } })
})

test('a card that a checkout pins stays, whatever else of the customer changes and however late an older choice is heard', async () => {
  const ada = await subscriber('4242424242424242')
  await advanceDays(1)
  await giveCardElsewhere(ada, 'pm_card_mastercard')
  const { customer } = await stripe.client.subscriptions.cancel(ada.subscription_id)
  const [chosen] = (await stripe.client.events.list({ type: 'customer.updated' })).data
  await worker.catchUp()
  await advanceDays(1)
  const { subscription_id } = await buy(ada, '5555555555554444')
  await stripe.client.customers.update(String(customer), { name: 'Ada King' })
  await worker.catchUp()
  await worker.applyStripe([{ ...(chosen ?? expect.fail('No choice was told')), id: 'evt_told_late' }])

  const { default_payment_method } = await stripe.client.subscriptions.retrieve(subscription_id, {
    expand: ['default_payment_method'],
  })
  expect(default_payment_method).toMatchObject({ card: { last4: '4444' } })
})

test.each([
  ['in our portal', (by) => giveCard(by, '5555 5555 5555 4444')],
  ['elsewhere', (by) => giveCardElsewhere(by, 'pm_card_mastercard')],
] satisfies [string, (by: Subscriber) => Promise<void>][])(
  'while a change waits its amount is the next payment, and a card that is given %s is charged for it',
  async (_, give) => {
    const ada = await subscriber('4242424242424242')
    const { client } = stripe
    const [yearly] = (await client.prices.list({ lookup_keys: ['pro_yearly'] })).data
    const waiting = await client.subscriptionSchedules.create({ from_subscription: ada.subscription_id })
    const { items, start_date, end_date, default_payment_method } =
      waiting.phases[0] ?? expect.fail('It has no phase')
    const card = { default_payment_method: String(default_payment_method) }
    const now = { items: [{ price: String(items[0]?.price) }], start_date, end_date, ...card }
    const then = { items: [{ price: yearly?.id ?? '' }], ...card }
    await client.subscriptionSchedules.update(waiting.id, { phases: [now, then] })
    expect(await nextOf(ada)).toMatchObject({ payment: { amount_minor: 19_200 }, card: { last4: '4242' } })

    await advanceDays(1)
    await give(ada)

    expect(await nextOf(ada)).toMatchObject({ payment: { amount_minor: 19_200 }, card: { last4: '4444' } })
    await stripe.knob(`subscriptions/${ada.subscription_id}/renew`)
    expect(await client.subscriptionSchedules.retrieve(waiting.id)).toMatchObject({
      phases: [{}, { default_payment_method: null }],
    })
    const [charge] = await chargesOf(ada)
    expect(charge).toMatchObject({
      paid: true,
      amount: 19_200,
      payment_method_details: { card: { last4: '4444' } },
    })
  },
)

test('opening the portal without giving a card changes nothing about which one is charged', async () => {
  const ada = await subscriber('4242424242424242')
  const before = await nextOf(ada)
  expect(before).toMatchObject({ card: { last4: '4242' }, card_declined: false })
  await openPortal(ada)
  await openPortal(ada)
  expect(await nextOf(ada)).toEqual(before)
})

test('an overdue payment is paid at once from the card that is named, once, and the plan goes on', async () => {
  const ada = await subscriber()
  await giveCard(ada, '5555 5555 5555 4444')
  const answers = await Promise.all([pay(ada), pay(ada)])
  expect(answers.map(({ status }) => status)).toContain(200)
  await worker.catchUp()
  expect(await isOverdue(ada)).toBe(false)
  const data = await chargesOf(ada)
  expect(data.filter(({ paid }) => paid)).toHaveLength(1)
  expect(data[0]?.payment_method_details?.card?.last4).toBe('4444')
  expect(await pay(ada)).toMatchObject({
    status: 409,
    body: { error: 'No payment of the plan is overdue. Please reload the page.', code: 'nothing_overdue' },
  })
})

test('an overdue payment that is declined again says so, and one that has to be confirmed says that', async () => {
  const ada = await subscriber()
  expect(await pay(ada)).toMatchObject({
    status: 402,
    body: { error: 'The card was declined. Update the card and try again.', code: 'card_declined' },
  })
  await stripe.knob(`subscriptions/${ada.subscription_id}/card`, { card: '4000002760003184' })
  expect(await pay(ada)).toMatchObject({ status: 402, body: { code: 'confirmation_required' } })
  await stripe.knob('faults', { status: 500, count: 20, path_prefix: '/v1/invoices' })
  const answer = await pay(ada)
  await stripe.clear('faults')
  expect(answer).toMatchObject({
    status: 502,
    body: { error: 'The payment could not be made. Please try again.', code: 'payment_failed' },
  })
  expect(await isOverdue(ada)).toBe(true)
})

test('a card that was declined is offered for no purchase', async () => {
  const ada = await subscriber()
  const offered = async () => (await server.ask(getOfferedCard, { token: ada.token, query: {} })).card
  const credits = { clerkUserId: ada.user_id, credits: 500, amount: 7, currency: 'EUR' } as const
  const openPage = async () => {
    const { url } = await server.ask(purchaseCredits, { token: ada.token, body: credits })
    return (await fetch(url)).text()
  }
  expect(await offered()).toBeNull()
  expect(await openPage()).not.toContain('•••• 0341')
  await giveVisa(ada)
  await pay(ada)
  await worker.catchUp()
  expect(await offered()).toMatchObject({ last4: '4242' })
  expect(await openPage()).toMatch(/checked><span>Visa •••• 4242/)
})
