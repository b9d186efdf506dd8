import type Stripe from 'stripe'
import { expect, test } from 'vitest'
import { failureOf } from '../../../schema/api/failures.ts'
import { findEvent } from '../../../schema/inbox/events.ts'
import { findBalance } from '../../../schema/ledger/read/balances.ts'
import { findAct } from '../../../schema/support/acts.ts'
import { stripeEventSchema } from '../../../schema/vendors/stripe/events.ts'
import { booksEndRight } from '../../../tests/support/database/right-books.ts'
import { buildAct } from '../../../tests/support/factories/acts.ts'
import { receiveStripeEvent } from '../../../tests/support/factories/events.ts'
import {
  buyPlan,
  type PaidPurchase,
  type PlanOrder,
} from '../../../tests/support/factories/paid-purchases.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { processSupportAct } from '../../support/support-act.ts'
import { tryEvent } from '../try-event.ts'

const product = testProduct({ stripe: 'empty' })
const { database, stripe, worker, clock } = product
const life = planLife(product)
booksEndRight(database)

const second = 1 / 86_400
const nowInSeconds = () => Math.round(clock.now().getTime() / 1000)

/** A plan whose renewal is a draft since ten seconds, of which nothing is heard yet. */
async function startRenewal(order: PlanOrder = {}) {
  const bought = await buyPlan(product, order)
  await life.toPeriodEnd(bought, 10)
  const draft = await latestInvoice(bought)
  expect(draft.status).toBe('draft')
  const events = await stripe.takeEvents()
  const created = events.find(
    ({ type, data }) => type === 'invoice.created' && (data.object as Stripe.Invoice).id === draft.id,
  )
  if (!created) throw new Error('Stripe told of no invoice')
  return { bought, draft, events, created }
}

async function latestInvoice({ subscription_id }: PaidPurchase): Promise<Stripe.Invoice> {
  const { latest_invoice } = await stripe.client.subscriptions.retrieve(subscription_id ?? '', {
    expand: ['latest_invoice'],
  })
  return latest_invoice as Stripe.Invoice
}

/** Applies an event, and says what became of it. */
async function hear(event: Stripe.Event, deps = worker.deps) {
  const id = await receiveStripeEvent(database.server, stripeEventSchema.parse(event))
  await tryEvent(deps, { source: 'stripe', id })
  return findEvent(database.owner, { source: 'stripe', id })
}

test.each<[string, PlanOrder]>([
  ['a month', {}],
  ['a year', { billing_frequency: 'yearly' }],
  ['a trial', { trial_days: 14 }],
])('the draft after %s is finalized and paid a minute after it is heard of', async (_, order) => {
  const { bought, events } = await startRenewal(order)
  await worker.applyStripe(events)
  expect((await latestInvoice(bought)).automatically_finalizes_at).toBeLessThanOrEqual(nowInSeconds() + 62)
  await product.advanceDays(65 * second)
  expect(await latestInvoice(bought)).toMatchObject({ status: 'paid', attempt_count: 1 })
  await worker.catchUp()
  expect(await findBalance(database.owner, bought.owner_id)).toMatchObject({ plan: 500 })
})

test('a dry run of a replay leaves the draft as it is, and the replay itself does not', async () => {
  const { bought, draft, created } = await startRenewal()
  const id = await receiveStripeEvent(database.server, stripeEventSchema.parse(created))
  const replay = async (is_dry_run: boolean) => {
    const act = await buildAct(database, { kind: 'replay', target: { kind: 'event', id }, is_dry_run })
    await processSupportAct(worker.deps, { act_id: act.id })
    expect(await findAct(database.owner, act.id)).toMatchObject({ state: 'done' })
    return (await latestInvoice(bought)).automatically_finalizes_at
  }
  expect(await replay(true)).toBe(draft.automatically_finalizes_at)
  expect(await replay(false)).toBeLessThan(draft.automatically_finalizes_at ?? 0)
})

test('a draft is not put off when its event is heard again', async () => {
  const { bought, created } = await startRenewal()
  await hear(created)
  const { automatically_finalizes_at } = await latestInvoice(bought)
  await product.advanceDays(30 * second)
  expect(await hear({ ...created, id: `${created.id}_again` })).toMatchObject({
    state: 'ignored',
    reason: failureOf('has_state', { what: 'invoice', state: 'draft' }),
  })
  expect(await latestInvoice(bought)).toMatchObject({ automatically_finalizes_at })
})

test('an invoice that is paid when its event is heard is left alone', async () => {
  const { bought, created } = await startRenewal()
  await product.advanceDays(1)
  expect(await hear(created)).toMatchObject({ state: 'ignored', reason: expect.stringContaining('"paid"') })
  expect(await latestInvoice(bought)).toMatchObject({ status: 'paid' })
})

test('the draft of an owner who is deleted keeps its hour', async () => {
  const { bought, draft, created } = await startRenewal()
  await database.owner.insertInto('deleted_owners').values({ owner_id: bought.owner_id }).execute()
  expect(await hear(created)).toMatchObject({
    state: 'ignored',
    reason: failureOf('has_state', { what: 'owner', state: 'deleted' }),
  })
  expect(await latestInvoice(bought)).toMatchObject({
    automatically_finalizes_at: draft.automatically_finalizes_at,
  })
})

test('a time that Stripe refuses leaves the draft as it is, and the event says why', async () => {
  const { bought, draft, created } = await startRenewal()
  const fast = { ...worker.deps, now: () => new Date(clock.now().getTime() - 1) }
  const retrieve = async (id: string) => ({
    ...(await stripe.client.invoices.retrieve(id)),
    created: nowInSeconds() + 6 * 365 * 86_400,
    automatically_finalizes_at: nowInSeconds() + 7 * 365 * 86_400,
  })
  const update = stripe.client.invoices.update.bind(stripe.client.invoices)
  const invoices = { retrieve, update } as unknown as Stripe['invoices']
  const distorted = new Proxy(stripe.client, {
    get: (target, name) => (name === 'invoices' ? invoices : Reflect.get(target, name)),
  })
  expect(await hear(created, { ...fast, stripe: distorted })).toMatchObject({
    state: 'ignored',
    reason: expect.stringContaining('not_finalized_sooner '),
  })
  expect(await latestInvoice(bought)).toMatchObject({
    automatically_finalizes_at: draft.automatically_finalizes_at,
  })
})

test('the invoice of a purchase or of a subscription that is not ours is left to Stripe', async () => {
  const { created } = await startRenewal()
  const object = { ...(created.data.object as Stripe.Invoice), billing_reason: 'subscription_create' }
  const first = { ...created, id: 'evt_first', data: { object } } as Stripe.Event
  expect(await hear(first)).toMatchObject({
    state: 'ignored',
    reason: failureOf('lacks', { what: 'renewal' }),
  })
  const foreign = {
    ...created,
    id: 'evt_foreign',
    data: {
      object: {
        ...(created.data.object as Stripe.Invoice),
        parent: { subscription_details: { subscription: 'sub_foreign' } },
      },
    },
  } as unknown as Stripe.Event
  expect(await hear(foreign)).toMatchObject({
    state: 'ignored',
    reason: failureOf('not_sold', { id: 'sub_foreign' }),
  })
})
