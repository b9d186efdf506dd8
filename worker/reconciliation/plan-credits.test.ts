import { afterAll, expect, test } from 'vitest'
import { readBooks } from '../../schema/ledger/post/books.ts'
import { grantTransfer } from '../../schema/ledger/post/post.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { type FindingRow, listFindings } from '../../schema/reconciliation/findings.ts'
import {
  buildPaidCredits,
  buildPaidPlan,
  type PaidPurchase,
} from '../../tests/support/factories/paid-purchases.ts'
import { postTransfer } from '../../tests/support/factories/transfers.ts'
import { planLife } from '../../tests/support/product/plan-life.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { postPlanDifference } from '../books/post-difference.ts'
import { processSubscriptionSync } from '../jobs/subscription-sync.ts'
import { reconcileAll } from './run.ts'

const product = testProduct({ stripe: 'empty' })
const { database, worker, stripe, clock } = product
const life = planLife(product)
afterAll(async () => expect((await verifyLedger(database.owner)).problems).toEqual([]))

/** Findings about an owner, once nothing is young any more. */
async function findingsOf({ owner }: PaidPurchase): Promise<FindingRow[]> {
  clock.advance(3600_000)
  // The buyers have no account at Clerk.
  await reconcileAll({ ...worker.deps, clerk: { ...worker.deps.clerk, isGone: async () => false } }, 'test')
  const { findings } = await listFindings(database.server, { filter: { state: 'open' }, limit: 100 })
  return findings.filter(({ owner_id }) => owner_id === owner.owner_id)
}

/** The books as the facts say, true or planted. */
async function postAs({ owner }: PaidPurchase): Promise<void> {
  const cause = { event_id: null, actor: 'test', now: clock.now() }
  await database.worker.transaction().execute((trx) => postPlanDifference(trx, owner, cause))
}

/** Days pass, and a month that began by time alone is looked at. */
async function live({ subscription_id }: PaidPurchase, days: number): Promise<void> {
  await life.live(days)
  await processSubscriptionSync(worker.deps, { subscription_id: subscription_id ?? '' })
}

async function buyYear(seats: number): Promise<PaidPurchase> {
  const bought = await buildPaidPlan(product, { billing_frequency: 'yearly', seats })
  await worker.catchUp()
  return bought
}

const linesOf = ({ subscription_id }: PaidPurchase) =>
  database.owner.updateTable('paid_invoice_lines').where('stripe_subscription_id', '=', subscription_id ?? '')

test('a renewal whose usage stayed with bought credits is found, with the credits that were lost', async () => {
  const bought = await buildPaidPlan(product)
  await buildPaidCredits(product, { user_id: bought.user_id })
  await worker.catchUp()
  await life.use(bought, 500)
  await product.advanceDays(32)
  await life.use(bought, 100)
  await worker.catchUp()
  expect(await life.balance(bought)).toMatchObject({ plan: 400, purchased: 500 })
  // As a fault leaves it: what was taken in the gap does not come back.
  const { grants } = await database.worker.transaction().execute((trx) => readBooks(trx, bought.owner))
  const grant = grants.find(({ kind, ends_at }) => kind === 'month' && ends_at && ends_at > clock.now())
  if (!grant) throw new Error('There is no month')
  const move = (ordinal: number, credits: number) => {
    const moved = { grant, ordinal, credits, kind: 'usage_moved', house: null, paid_by: null } as const
    const wording = { occurred_at: clock.now(), event_id: null, actor: 'test', reason: 'Test' }
    return postTransfer(database.worker, grantTransfer(moved, wording))
  }
  await move(3, 100)
  expect(await life.balance(bought)).toMatchObject({ plan: 500, purchased: 400 })
  expect(await findingsOf(bought)).toMatchObject([
    {
      kind: 'bought_credits_lost',
      credits: 100,
      repair: { kind: 'adjust', target: { id: bought.owner.owner_id }, params: { credits: 100 } },
    },
  ])
  await move(4, -100)
  expect(await findingsOf(bought)).toEqual([])
})

test('bought credits that are used after a plan has ended within its month are no finding', async () => {
  const bought = await buildPaidPlan(product)
  await buildPaidCredits(product, { user_id: bought.user_id })
  await worker.catchUp()
  await product.advanceDays(5)
  await stripe.client.subscriptions.cancel(bought.subscription_id ?? '')
  await worker.catchUp()
  await product.advanceDays(1)
  await life.use(bought, 100)
  expect(await life.balance(bought)).toMatchObject({ plan: 0, purchased: 400 })
  expect(await findingsOf(bought)).toEqual([])
})

test('a year whose months were taken although no money went back is found', async () => {
  const bought = await buyYear(3)
  await live(bought, 70)
  const { starts_at, ...line } = await database.owner
    .selectFrom('paid_invoice_lines')
    .selectAll()
    .where('stripe_subscription_id', '=', bought.subscription_id ?? '')
    .executeTakeFirstOrThrow()
  const moved_at = new Date(starts_at.getTime() + 64 * 86_400_000)
  const cut = { ...line, kind: 'cut' as const, starts_at: moved_at, stripe_invoice_id: 'in_planted' }
  await database.owner.insertInto('paid_invoice_lines').values(cut).execute()
  await postAs(bought)
  const [finding] = await findingsOf(bought)
  expect(finding).toMatchObject({ kind: 'plan_credits_differ', repair: null })
  expect(finding?.credits).toBeGreaterThan(1000)
})

test('months that do not follow seats given up, whose bill still waits, are found', async () => {
  const bought = await buyYear(5)
  const { items } = await stripe.client.subscriptions.retrieve(bought.subscription_id ?? '')
  await life.update(bought, {
    items: [{ id: items.data[0]?.id ?? '', quantity: 2 }],
    proration_behavior: 'create_prorations',
  })
  await live(bought, 40)
  await database.owner
    .updateTable('subscriptions')
    .set({ pending_lines: '[]' })
    .where('stripe_subscription_id', '=', bought.subscription_id ?? '')
    .execute()
  await postAs(bought)
  expect(await findingsOf(bought)).toMatchObject([{ kind: 'plan_credits_differ', credits: -1500 }])
})

test('seats given up and added again, whose bills both wait, are what was paid for, and no finding', async () => {
  const bought = await buyYear(17)
  const waitFor = async (quantity: number, proration_behavior: 'none' | 'create_prorations') => {
    const { items } = await stripe.client.subscriptions.retrieve(bought.subscription_id ?? '')
    await life.update(bought, { items: [{ id: items.data[0]?.id ?? '', quantity }], proration_behavior })
  }
  await waitFor(6, 'none')
  // 197 and 224 days are in the middle of the seventh and the eighth month, whenever the year begins.
  await life.live(197)
  await waitFor(13, 'create_prorations')
  await life.live(27)
  await waitFor(19, 'create_prorations')
  await live(bought, 2)
  // 13 seats when the month began, and the other 4 of 17 again for what was left of it.
  const { plan } = await life.balance(bought)
  expect(plan).toBeGreaterThan(13 * 500)
  expect(plan).toBeLessThan(17 * 500)
  expect(await findingsOf(bought)).toEqual([])
})

test('credits of an add-on that was taken for the plan are found', async () => {
  const bought = await buyYear(10)
  await linesOf(bought).set({ seats: 50 }).execute()
  await postAs(bought)
  expect(await findingsOf(bought)).toMatchObject([{ kind: 'plan_credits_differ', credits: -20_000 }])
})

test('a plan whose bills were partly refunded has what is left of them, and no finding', async () => {
  const bought = await buyYear(2)
  await life.changeSeats(bought, 6)
  await worker.catchUp()
  for (const charge of await life.charges(bought)) await life.refund(charge, Math.floor(charge.amount / 3))
  await worker.catchUp()
  await live(bought, 33)
  expect(await findingsOf(bought)).toEqual([])
})
