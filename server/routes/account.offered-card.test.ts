import { describe, expect, test } from 'vitest'
import { getOfferedCard } from '../../schema/api/account.ts'
import { purchaseCredits } from '../../schema/api/checkout.ts'
import { createCheckoutSession } from '../../schema/api/subscriptions.ts'
import { findStripeCustomer } from '../../schema/billing/customers/customers.ts'
import { buildAccount } from '../../tests/support/factories/users.ts'
import { madeForEachTest } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import type { Person } from '../../tests/support/services/clerk.ts'
import { findOfferedCard } from '../checkout/offered-card.ts'

const { database, stripe, clerk, server } = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const ada = madeForEachTest(() => buildAccount({ database, clerk }))

const offered = async (by: Person = ada) =>
  (await server.ask(getOfferedCard, { token: by.token, query: {} })).card

async function openCredits(): Promise<{ sessionId: string; url: string }> {
  const body = { clerkUserId: ada.user_id, credits: 500, amount: 7, currency: 'EUR' } as const
  return server.ask(purchaseCredits, { token: ada.token, body })
}

/** The card that is chosen on the payment page of a purchase; null when the page asks for one. */
async function chosen(): Promise<string | null> {
  const page = await (await fetch((await openCredits()).url)).text()
  return /name="method" value="pm_\w+" checked><span>([^<]+)/.exec(page)?.[1] ?? null
}

async function startPro(card: string): Promise<void> {
  const body = { clerkUserId: ada.user_id, planType: 'pro', billingFrequency: 'monthly' } as const
  const { sessionId } = await server.ask(createCheckoutSession, { token: ada.token, body })
  await stripe.knob(`sessions/${sessionId}/pay`, { card })
}

const customerOf = async ({ user_id }: Person) => (await findStripeCustomer(database.server, user_id)) ?? ''

describe('the card of a purchase', () => {
  test('the card of a purchase is none for a first buyer, and none after a payment that saved no card', async () => {
    expect(await offered()).toBeNull()
    const { sessionId } = await openCredits()
    await stripe.knob(`sessions/${sessionId}/pay`)
    expect(await offered()).toBeNull()
    expect(await chosen()).toBeNull()
  })

  test('the card of a plan is the one with which the payment page of credits begins', async () => {
    await startPro('4242424242424242')
    expect(await offered()).toMatchObject({ brand: 'visa', last4: '4242', exp_month: 12 })
    expect(await chosen()).toBe('Visa •••• 4242')
    const expired = { customer: await customerOf(ada), now: new Date('2040-01-01') }
    expect(await findOfferedCard(stripe.client, expired)).toBeNull()
  })

  test('the card of a purchase is the newest one that its owner let Stripe keep', async () => {
    await startPro('4242424242424242')
    const { sessionId } = await openCredits()
    await stripe.knob(`sessions/${sessionId}/pay`, { card: '5555555555554444', save: true })
    expect(await offered()).toMatchObject({ brand: 'mastercard', last4: '4444' })
    expect(await chosen()).toBe('Mastercard •••• 4444')
  })

  test('the card of a purchase is none that Stripe would not fill in, for want of its owner’s name', async () => {
    await openCredits()
    await stripe.client.paymentMethods.attach('pm_card_visa', { customer: await customerOf(ada) })
    expect(await offered()).toBeNull()
    expect(await chosen()).toBeNull()
  })
})
