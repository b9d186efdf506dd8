import { describe, expect, test } from 'vitest'
import { choosePayerCurrency, getAccountSummary, getNextPayment } from '../../schema/api/account.ts'
import { createCreditTopupSession, listOpenCheckouts, purchaseCredits } from '../../schema/api/checkout.ts'
import {
  createOrganizationSubscription,
  getOrganizationSubscription,
  topUpOrganizationCredits,
} from '../../schema/api/organizations.ts'
import { previewPlanChange } from '../../schema/api/plan-changes.ts'
import { createCheckoutSession } from '../../schema/api/subscriptions.ts'
import { processStarterSignup } from '../../schema/api/users.ts'
import { type Currency, currencies } from '../../schema/catalogue/currency.ts'
import { addMember, buildOrganization } from '../../tests/support/factories/organizations.ts'
import { madeForEachTest } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'

const { stripe, clerk, server, worker } = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const ada = madeForEachTest(() => signUp(clerk))
const bob = madeForEachTest(() => signUp(clerk))
const org = madeForEachTest(async () => {
  const made = await buildOrganization(clerk, ada)
  await addMember(clerk, made, bob)
  return made
})

type Kind = 'a person' | 'an organization'
const payerOf = (kind: Kind) => (kind === 'a person' ? 'personal' : org.id)

const summary = (kind: Kind) =>
  server.ask(getAccountSummary, { token: ada.token, query: { payer: payerOf(kind) } })
const choose = (kind: Kind, currency: Currency) =>
  server.api(choosePayerCurrency, {
    token: ada.token,
    query: { payer: payerOf(kind) },
    body: { currency },
  })
/** `currency` left out lets the server say it. */
const buyCredits = (kind: Kind, currency?: Currency) => {
  const named = currency && { currency }
  return kind === 'a person'
    ? server.api(createCreditTopupSession, {
        token: ada.token,
        body: { clerkUserId: ada.user_id, creditsAmount: 500, ...named },
      })
    : server.api(topUpOrganizationCredits, {
        token: ada.token,
        body: { org_id: org.id, credits_amount: 500, ...named },
      })
}
const buyPlan = (kind: Kind, currency?: Currency) => {
  const named = currency && { currency }
  return kind === 'a person'
    ? server.api(createCheckoutSession, {
        token: ada.token,
        body: { planType: 'pro', clerkUserId: ada.user_id, ...named },
      })
    : server.api(createOrganizationSubscription, {
        token: ada.token,
        body: { clerk_org_id: org.id, seats_total: 2, ...named },
      })
}

/** What Stripe's page asks for. */
async function sessionOf(answer: { status: number; body: unknown }) {
  expect(answer).toMatchObject({ status: 200 })
  return stripe.client.checkout.sessions.retrieve((answer.body as { sessionId: string }).sessionId)
}
const chargedBy = async (answer: { status: number; body: unknown }) =>
  (await sessionOf(answer)).currency?.toUpperCase()

/** A plan that was paid in this currency, by the product's own calls. */
async function subscribe(kind: Kind, currency: Currency): Promise<string> {
  const { id } = await sessionOf(await buyPlan(kind, currency))
  await stripe.knob(`sessions/${id}/pay`)
  await worker.catchUp()
  return String((await stripe.client.checkout.sessions.retrieve(id)).subscription)
}

const states = {
  'chose nothing': { code: 'EUR', reach: async () => {} },
  'chose one': { code: 'USD', reach: (kind: Kind) => choose(kind, 'USD') },
  'bought credits in another one': { code: 'USD', reach: (kind: Kind) => buyCredits(kind, 'USD') },
  'had a plan that ended': {
    code: 'GBP',
    reach: async (kind: Kind) => {
      await stripe.client.subscriptions.cancel(await subscribe(kind, 'GBP'))
      await worker.catchUp()
    },
  },
} as const satisfies Record<string, { code: Currency; reach: (kind: Kind) => Promise<unknown> }>

const kinds: readonly Kind[] = ['a person', 'an organization']
const free = kinds.flatMap((kind) =>
  Object.entries(states).map(([name, state]) => ({ kind, name, ...state })),
)

describe('a payer without a plan', () => {
  test.each(free)('$kind who $name is shown and charged $code by every call', async (row) => {
    const { kind, code } = row
    await row.reach(kind)
    expect((await summary(kind)).currency).toEqual({ code, is_bound: false })
    expect(await chargedBy(await buyCredits(kind))).toBe(code)
    expect(await chargedBy(await buyCredits(kind, code))).toBe(code)
    expect(await chargedBy(await buyPlan(kind))).toBe(code)
    const { checkouts } = await server.ask(listOpenCheckouts, { token: ada.token })
    expect(new Set(checkouts.map(({ currency }) => currency))).toEqual(new Set([code]))
    expect((await summary(kind)).currency).toEqual({ code, is_bound: false })
  })

  test.each(kinds)('what %s buys in another currency is charged in it, and so is the next', async (kind) => {
    for (const code of currencies) {
      expect(await chargedBy(await buyCredits(kind, code))).toBe(code)
      expect((await summary(kind)).currency.code).toBe(code)
      expect(await chargedBy(await buyPlan(kind))).toBe(code)
    }
  })

  test('the choice of the pricing page is kept by a sign-up on the free plan', async () => {
    const body = { clerkUserId: ada.user_id, email: 'ada@tidemark.test' }
    await server.ask(processStarterSignup, { token: ada.token, body: { ...body, currency: 'GBP' } })
    await server.ask(processStarterSignup, { token: ada.token, body })
    expect((await summary('a person')).currency).toEqual({ code: 'GBP', is_bound: false })
  })
})

describe('a payer with a plan', () => {
  test.each([
    { kind: 'a person', code: 'EUR' },
    { kind: 'a person', code: 'GBP' },
    { kind: 'an organization', code: 'USD' },
  ] as const)(
    '$kind with a plan in $code is shown and charged that by every call',
    async ({ kind, code }) => {
      await choose(kind, code === 'EUR' ? 'USD' : 'EUR')
      await subscribe(kind, code)
      const bound = { code, is_bound: true }
      expect(await summary(kind)).toMatchObject({ currency: bound, subscription: { currency: code } })
      const query = { payer: payerOf(kind) }
      const next = await server.ask(getNextPayment, { token: ada.token, query })
      expect(next.payment?.currency).toBe(code)
      expect((await server.ask(previewPlanChange, { token: ada.token, query })).currency).toBe(code)
      if (kind === 'an organization') {
        const { subscription } = await server.ask(getOrganizationSubscription, {
          token: ada.token,
          query: { orgId: org.id },
        })
        expect(subscription?.currency).toBe(code)
      }
      expect(await chargedBy(await buyCredits(kind))).toBe(code)
      expect(await chargedBy(await buyCredits(kind, code))).toBe(code)

      const refused = {
        status: 409,
        body: {
          code: 'currency_bound',
          error: `Your plan is billed in ${code}, and so is everything you buy beside it.`,
        },
      }
      for (const other of currencies.filter((one) => one !== code)) {
        expect(await choose(kind, other)).toMatchObject(refused)
        expect(await buyCredits(kind, other)).toMatchObject(refused)
        if (kind === 'a person') {
          const body = { clerkUserId: ada.user_id, credits: 500, amount: 7, currency: other }
          expect(await server.api(purchaseCredits, { token: ada.token, body })).toMatchObject(refused)
        }
        expect((await buyPlan(kind, other)).status).toBe(409)
        const body = { clerkUserId: ada.user_id, email: 'ada@tidemark.test', currency: other }
        await server.ask(processStarterSignup, { token: ada.token, body })
      }
      expect((await summary(kind)).currency).toEqual(bound)
    },
  )

  test('an organization’s currency is not its admin’s, nor the other way round', async () => {
    await subscribe('a person', 'GBP')
    expect((await summary('an organization')).currency).toEqual({ code: 'EUR', is_bound: false })
    await subscribe('an organization', 'USD')
    expect((await summary('a person')).currency).toEqual({ code: 'GBP', is_bound: true })
    expect(await chargedBy(await buyCredits('a person'))).toBe('GBP')
    expect(await chargedBy(await buyCredits('an organization'))).toBe('USD')
  })

  test('a new organization is sold in the currency that its buyer asks for, or else in their own', async () => {
    await subscribe('a person', 'GBP')
    const body = { planType: 'teams', clerkUserId: ada.user_id, seats: 2 }
    const buy = (named: object) =>
      server.api(createCheckoutSession, { token: ada.token, body: { ...body, ...named } })
    expect(await chargedBy(await buy({}))).toBe('GBP')
    expect(await chargedBy(await buy({ currency: 'USD' }))).toBe('USD')
    expect((await summary('a person')).currency).toEqual({ code: 'GBP', is_bound: true })
  })
})
