import type Stripe from 'stripe'
import { processPaymentSuccess, purchaseCredits } from '../../schema/api/checkout.ts'
import { createOrganizationSubscription, topUpOrganizationCredits } from '../../schema/api/organizations.ts'
import { createCheckoutSession } from '../../schema/api/subscriptions.ts'
import { creditsCostMinor } from '../../schema/catalogue/credits.ts'
import type { ApiAnswer } from '../support/product/test-server.ts'
import { waitUntil } from '../support/wait-until.ts'
import type { FaultyProduct } from './faulty-product.ts'
import { type Owner, tokenFor } from './owner.ts'
import { failingCard, latestSubscription } from './owner-at-stripe.ts'
import { deliverContradicting } from './owner-events.ts'
import type { PlannedPage, PlannedPlan } from './owner-history.ts'
import { ignoreCut, withoutFaults } from './play.ts'
import { patience_ms } from './seed.ts'

type Answer = Pick<ApiAnswer, 'status' | 'body'>

/**
 * What an owner who is alone or a team calls, and pays at once. A call that a mishap hit has bought nothing;
 * when everything is settled (`mustOpen`), an owner without a plan gets a page.
 */
export async function subscribe(
  product: FaultyProduct,
  owner: Owner,
  { plan, mustOpen }: { plan: PlannedPlan; mustOpen: boolean },
): Promise<void> {
  if (!(await isWithoutPlan(product, owner))) return
  await product.setTrialDays(owner.kind === 'user' ? plan.trial_days : 0)
  // The first one must come about, or there is no history.
  const opening = mustOpen || owner.sessions.length === 0
  const answer = await ask(() => requestPlan(product.server, product, owner, plan), opening)
  const id = await readPage(product, owner, { answer, page: plan })
  if (!id || owner.sessions.some((session) => session.id === id)) return
  owner.sessions.push({ id, buys: 'plan', credits: 0 })
  const means = {
    pays: {},
    fails_later: { card: failingCard },
    refused: { card: failingCard, fails_later: true },
  }[plan.card]
  await pay(product, owner, { id, means })
}

/**
 * A person buys Teams in place of their own plan, as the page offers it, and pays at once. Whether they did:
 * what was paid outside Stripe or in parts is given back by a person, and is left out.
 */
export async function replaceByTeams(product: FaultyProduct, owner: Owner): Promise<boolean> {
  const pro = await latestSubscription(product, owner)
  if (owner.kind === 'team' || !pro || pro.ended_at !== null || /^incomplete/.test(pro.status)) return false
  if (!(await isPaidAtOnce(product, pro.id))) return false
  const token = await tokenFor(product, owner)
  const { user_id } = owner.person
  const body = { planType: 'teams', clerkUserId: user_id, seats: 2, endOwnPlan: true } as const
  const answer = await ask(() => product.server.api(createCheckoutSession, { token, body }), true)
  if (answer?.status !== 200) return false
  const session = (answer.body as { sessionId: string }).sessionId
  await pay(product, owner, { id: session, means: {} })
  const paid = await withoutFaults(product, () => product.stripe.client.checkout.sessions.retrieve(session))
  owner.teams.push({ session, subscription: String(paid.subscription) })
  owner.replaced = pro.id
  return true
}

async function isPaidAtOnce(product: FaultyProduct, subscription: string): Promise<boolean> {
  const { stripe } = product
  return withoutFaults(product, async () => {
    const { data } = await stripe.client.invoices.list({ subscription, status: 'paid', limit: 100 })
    const payments = data.map(async ({ id = '', amount_paid }) => {
      if (amount_paid === 0) return true
      const made = await stripe.client.invoicePayments.list({ invoice: id, status: 'paid', limit: 100 })
      return made.data.length === 1 && made.data[0]?.payment.type === 'payment_intent'
    })
    return (await Promise.all(payments)).every(Boolean)
  })
}

/** Opens the page of a plan, which is not paid; perhaps after another one whose answer was lost. */
export async function leavePage(
  product: FaultyProduct,
  owner: Owner,
  { page, mustOpen }: { page: PlannedPage; mustOpen: boolean },
): Promise<void> {
  if (owner.sessions.length === 0 || !(await isWithoutPlan(product, owner))) return
  await product.setTrialDays(0)
  const { lost } = page
  if (lost) await product.killWhileOpening((server) => requestPlan(server, product, owner, lost))
  const answer = await ask(() => requestPlan(product.server, product, owner, page), mustOpen)
  await readPage(product, owner, { answer, page })
}

/**
 * A person at Stripe's dashboard sells the plan of an open page to a customer of their own, in another
 * currency, and ends it. That contradicts the page, which can still be paid, and brings nothing.
 */
export async function sellWrongly(product: FaultyProduct, owner: Owner): Promise<void> {
  await product.setTrialDays(0)
  const page = { frequency: 'monthly', seats: 1 } as const
  const answer = await ask(() => requestPlan(product.server, product, owner, page), true)
  const id = (await readPage(product, owner, { answer, page })) ?? ''
  await withoutFaults(product, async () => {
    const stripe = product.stripe.client
    const session = await stripe.checkout.sessions.retrieve(id, { expand: ['line_items'] })
    const { id: customer } = await stripe.customers.create({ email: 'dashboard@example.com' })
    const card = await stripe.paymentMethods.attach('pm_card_visa', { customer })
    const made = await stripe.subscriptions.create({
      customer,
      currency: session.currency === 'eur' ? 'usd' : 'eur',
      items: [{ price: session.line_items?.data[0]?.price?.id ?? '' }],
      default_payment_method: card.id,
      metadata: { intentId: session.client_reference_id ?? '' },
    })
    await stripe.subscriptions.cancel(made.id)
    await deliverContradicting(product, owner, customer)
  })
  // Once the page is paid, it would be a plan that was made anew with the metadata of the old one.
  await waitUntil(
    async () => {
      const waiting = await product.database.owner
        .selectFrom('inbox_events')
        .select('id')
        .where('id', 'in', ['', ...owner.forged])
        .where('state', '=', 'received')
        .execute()
      return waiting.length === 0
    },
    'the contradiction to be seen',
    10 * patience_ms,
  )
}

export async function purchase(
  product: FaultyProduct,
  owner: Owner,
  { credits, mustOpen }: { credits: number; mustOpen: boolean },
): Promise<void> {
  if (owner.kind === 'team' && !owner.organization_id) return
  const answer = await ask(() => openPurchase(product, owner, credits), mustOpen)
  if (answer?.status !== 200) return
  const id = (answer.body as { sessionId: string }).sessionId
  owner.sessions.push({ id, buys: 'credits', credits })
  await pay(product, owner, { id, means: {} })
}

export async function openPurchase(
  product: FaultyProduct,
  owner: Owner,
  credits: number,
): Promise<ApiAnswer> {
  const token = await tokenFor(product, owner)
  if (owner.organization_id) {
    const body = { org_id: owner.organization_id, credits_amount: credits }
    return product.server.api(topUpOrganizationCredits, { token, body })
  }
  const amount = creditsCostMinor(credits) / 100
  const body = { clerkUserId: owner.person.user_id, credits, amount, currency: owner.currency } as const
  return product.server.api(purchaseCredits, { token, body })
}

export async function comeBack(product: FaultyProduct, owner: Owner): Promise<void> {
  const token = await tokenFor(product, owner)
  for (const { id } of owner.sessions.filter(({ buys }) => buys !== 'made_by_hand').slice(-1))
    await product.server
      .api(processPaymentSuccess, { token, body: { sessionId: id, clerkUserId: owner.person.user_id } })
      .catch(ignoreCut)
}

/** What is wrong with the payable pages: at most one plan page per owner, one page per intent. */
export async function doublePages(product: FaultyProduct, owner: Owner): Promise<string[]> {
  const open: Stripe.Checkout.Session[] = []
  await withoutFaults(product, async () => {
    open.length = 0
    for await (const session of product.stripe.client.checkout.sessions.list({ status: 'open', limit: 100 }))
      open.push(session)
  })
  const handedOut = open.filter(({ id }) => owner.pages.has(id))
  const intents = open.map(({ client_reference_id }) => client_reference_id)
  return [
    ...(handedOut.length > 1 ? [`pages: ${handedOut.map(({ id }) => id)} can be paid`] : []),
    ...(new Set(intents).size < intents.length ? ['pages: two for one intent'] : []),
  ]
}

async function isWithoutPlan(product: FaultyProduct, owner: Owner): Promise<boolean> {
  const latest = await latestSubscription(product, owner)
  return !latest || latest.ended_at !== null
}

async function requestPlan(
  server: FaultyProduct['server'],
  product: FaultyProduct,
  owner: Owner,
  plan: Pick<PlannedPlan, 'frequency' | 'seats'>,
): Promise<ApiAnswer> {
  const token = await tokenFor(product, owner)
  const { frequency, seats } = offered(owner, plan)
  if (owner.organization_id)
    return server.api(createOrganizationSubscription, {
      token,
      body: { clerk_org_id: owner.organization_id, seats_total: seats },
    })
  return server.api(createCheckoutSession, {
    token,
    body: {
      planType: owner.kind === 'team' ? 'teams' : 'pro',
      billingFrequency: frequency,
      currency: owner.currency,
      seats,
      clerkUserId: owner.person.user_id,
    },
  })
}

/** An organization that exists buys by the month only, and a person one seat. */
function offered(
  owner: Owner,
  { frequency, seats }: Pick<PlannedPlan, 'frequency' | 'seats'>,
): Pick<PlannedPlan, 'frequency' | 'seats'> {
  return {
    frequency: owner.organization_id ? 'monthly' : frequency,
    seats: owner.kind === 'team' ? seats : 1,
  }
}

async function ask(request: () => Promise<ApiAnswer>, mustOpen: boolean): Promise<Answer | undefined> {
  if (!mustOpen) return request().catch(ignoreCut)
  let last: Answer | undefined
  return waitUntil(
    async () => {
      last = await request()
      return last.status === 200 && last
    },
    () => `a page to open: ${last?.status} ${JSON.stringify(last?.body)}`,
    patience_ms,
  )
}

/** The session of an opened page, which must have the requested terms. */
async function readPage(
  product: FaultyProduct,
  owner: Owner,
  { answer, page }: { answer: Answer | undefined; page: Pick<PlannedPlan, 'frequency' | 'seats'> },
): Promise<string | null> {
  if (answer?.status !== 200) return null
  const id = (answer.body as { sessionId: string }).sessionId
  const session = await withoutFaults(product, () =>
    product.stripe.client.checkout.sessions.retrieve(id, { expand: ['line_items'] }),
  )
  const line = session.line_items?.data[0]
  const found = {
    frequency: line?.price?.recurring?.interval === 'year' ? 'yearly' : 'monthly',
    seats: line?.quantity,
  }
  const expected = offered(owner, page)
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`A page for ${JSON.stringify(expected)}: it is for ${JSON.stringify(found)}`)
  owner.pages.add(id)
  return id
}

async function pay(
  product: FaultyProduct,
  owner: Owner,
  { id, means }: { id: string; means: object },
): Promise<void> {
  await product.stripe.knob(`sessions/${id}/pay`, means)
  const { customer } = await withoutFaults(product, () =>
    product.stripe.client.checkout.sessions.retrieve(id),
  )
  if (customer) owner.customers.add(String(customer))
}
