import { beforeAll, expect, test, vi } from 'vitest'
import { getAccountSummary } from '../schema/api/account.ts'
import { listPlans, type RenderPage } from '../schema/api/catalogue.ts'
import { startPlanChange } from '../schema/api/plan-changes.ts'
import { createCheckoutSession } from '../schema/api/subscriptions.ts'
import { listFindings } from '../schema/billing/reconciliation/findings.ts'
import { defaultBrand } from '../schema/catalogue/brand.ts'
import type { Plan } from '../schema/catalogue/plans.ts'
import { migrateToLatest } from '../schema/database/migrate.ts'
import { verifyLedger } from '../schema/ledger/verify/verify.ts'
import { processSubscriptionSync } from '../worker/jobs/subscription-sync.ts'
import { reconcileAll } from '../worker/reconciliation/run.ts'
import { testProduct } from './support/product/start-test-product.ts'
import { type Person, signUp } from './support/services/clerk.ts'

const { max, studio } = vi.hoisted(() => {
  const max: Plan = {
    plan_type: 'max',
    name: 'Max',
    description: 'For those who never stop.',
    credits_per_seat: 1200,
    per_seat: false,
    trial_days: 0,
    price_minor: { monthly: 4000, yearly: 38_400 },
  }
  const studio: Plan = {
    ...max,
    plan_type: 'studio',
    name: 'Studio',
    credits_per_seat: 700,
    per_seat: true,
    price_minor: { monthly: 5000, yearly: 48_000 },
  }
  return { max, studio }
})

/** A release whose catalogue has two plans more, on a database and a Stripe of this one. */
vi.mock(import('../schema/catalogue/plans.ts'), async (original) => {
  const catalogue = await original()
  return { ...catalogue, plans: [...catalogue.plans, max, studio] }
})

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
beforeAll(() => migrateToLatest({ connectionString: product.database.url }))

// Tests are compiled without JSX, so the path is none that the compiler follows.
const renderer = '../web/render.tsx'
const { renderPage } = (await import(renderer)) as { renderPage: RenderPage }

/** A person buys a plan, pays it, and everything arrives. */
async function buy(person: Person, planType: string, more: object = {}): Promise<void> {
  const { sessionId } = await product.server.ask(createCheckoutSession, {
    token: person.token,
    body: { planType, clerkUserId: person.user_id, ...more },
  })
  await product.stripe.knob(`sessions/${sessionId}/pay`)
  await product.worker.catchUp()
}

const summaryOf = ({ token }: Person, payer = 'personal') =>
  product.server.ask(getAccountSummary, { token, query: { payer } })

/** Confirms the change of the period on Stripe's page. */
async function changeTo(person: Person, billing_frequency: 'monthly' | 'yearly'): Promise<void> {
  const { url } = await product.server.ask(startPlanChange, {
    token: person.token,
    query: { payer: 'personal' },
    body: { billing_frequency },
  })
  const { id } = (await summaryOf(person)).subscription ?? {}
  await fetch(`${url}/subscriptions/${id}/confirm`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(),
  })
  await product.worker.catchUp()
}

/** Buys a plan for a new organization in place of the person's own. Returns the organization. */
async function replaceBy(person: Person, planType: string): Promise<string> {
  const own = (await summaryOf(person)).subscription
  await buy(person, planType, { seats: 3, endOwnPlan: true })
  await processSubscriptionSync(product.worker.deps, { subscription_id: own?.id ?? '' })
  await product.worker.catchUp()
  const { organization_id } = await product.database.row('seats', { user_id: person.user_id })
  return organization_id
}

async function openFindings() {
  product.clock.advance(3_600_000)
  await reconcileAll(product.worker.deps, 'test')
  expect((await verifyLedger(product.database.owner)).problems).toEqual([])
  return (await listFindings(product.database.server, { filter: { state: 'open' }, limit: 10 })).findings
}

test('a plan that only the catalogue has is shown with its price and its credits', async () => {
  const { plans } = await product.server.ask(listPlans)
  expect(plans.find(({ plan_type }) => plan_type === 'max')).toMatchObject({
    price_minor: max.price_minor,
    features: ['1200 credits per month included', expect.anything(), ...Array(6).fill(expect.anything())],
  })
  const config = {
    brand: defaultBrand,
    clerk: { publishable_key: 'pk_test', proxy_url: null },
    sandbox: false,
    sample_editor_url: null,
    editors: {},
    maximum_seats: 100,
  }
  const page = { state: { config, signed_in: false }, template: '<!--page-head--><!--page-->' }
  const pricing = (await renderPage({ ...page, path: '/pricing' })) ?? ''
  for (const text of ['What Pro, Teams, Max, and Studio include', 'Get Max', '€40', 'Start with Studio']) {
    expect(pricing.includes(text), text).toBe(true)
  }
  expect((await renderPage({ ...page, path: '/' }))?.includes('1200 credits per month included')).toBe(true)
})

test('a plan for one person is sold, granted, changed to yearly and back, left for a team’s, and reconciled', async () => {
  const ada = await signUp(product.clerk)
  await buy(ada, 'max')
  expect(await summaryOf(ada)).toMatchObject({
    plan_type: 'max',
    balance: { plan: 1200 },
    subscription: { plan_type: 'max', credits_per_seat: 1200, price_per_seat_minor: 4000 },
  })
  await product.advanceDays(1)
  await changeTo(ada, 'yearly')
  expect((await summaryOf(ada)).subscription).toMatchObject({
    billing_frequency: 'yearly',
    price_per_seat_minor: 38_400,
  })
  await changeTo(ada, 'monthly')
  expect((await summaryOf(ada)).subscription?.scheduled_change).toMatchObject({
    billing_frequency: 'monthly',
  })
  const team = await replaceBy(ada, 'teams')
  expect(await summaryOf(ada)).toMatchObject({ plan_type: 'teams', balance: { plan: 0 } })
  expect(await summaryOf(ada, team)).toMatchObject({ plan_type: 'teams', balance: { plan: 1500 } })
  expect(await openFindings()).toEqual([])
})

test('a plan by the seat takes the place of Pro, shares its credits, and is reconciled', async () => {
  const bob = await signUp(product.clerk)
  await buy(bob, 'pro')
  await product.advanceDays(1)
  const studioOf = await replaceBy(bob, 'studio')
  expect(await summaryOf(bob)).toMatchObject({ plan_type: 'studio', balance: { plan: 0 } })
  expect(await summaryOf(bob, studioOf)).toMatchObject({
    plan_type: 'studio',
    balance: { plan: 2100 },
    subscription: { seats_total: 3, credits_per_seat: 700, price_per_seat_minor: 5000 },
  })
  expect(await openFindings()).toEqual([])
})
