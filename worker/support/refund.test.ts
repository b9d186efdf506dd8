import { afterAll, describe, expect, test } from 'vitest'
import type { Refund } from '../../schema/api/support-acts.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { findAct, type NewAct, outcomeOf } from '../../schema/support/acts.ts'
import { buildAct } from '../../tests/support/factories/acts.ts'
import {
  buildPaidCredits,
  buildPaidPlan,
  type PaidPurchase,
} from '../../tests/support/factories/paid-purchases.ts'
import { spendOne } from '../../tests/support/factories/transfers.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { trustingStaff } from '../../tests/support/product/test-worker.ts'
import { processSupportAct } from './support-act.ts'

const product = testProduct({ stripe: 'empty' })
const { database, stripe, worker } = product
const deps = () => ({ ...worker.deps, ...trustingStaff })
afterAll(async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

const wholePack: Refund = { amount_minor: 700, currency: 'EUR', refunded_minor: 0, stripe_reason: null }

/** 500 credits for 7.00 EUR, in the books. */
async function buildPack(): Promise<PaidPurchase> {
  const bought = await buildPaidCredits(product)
  await worker.catchUp()
  return bought
}

const ask = (
  { intent_id }: Pick<PaidPurchase, 'intent_id'>,
  refund: Partial<Refund>,
  more: Partial<NewAct> = {},
) =>
  buildAct(database, {
    kind: 'refund',
    target: { kind: 'intent', id: intent_id },
    params: { refund: { ...wholePack, ...refund } },
    ...more,
  })

async function perform(id: string) {
  await processSupportAct(deps(), { act_id: id })
  const act = await findAct(database.owner, id)
  return { state: act?.state, error: act?.error, outcome: act && outcomeOf(act) }
}

const refundPack = async (bought: PaidPurchase, refund: Partial<Refund>, more: Partial<NewAct> = {}) =>
  perform((await ask(bought, refund, more)).id)

const balanceOf = async ({ owner_id }: PaidPurchase) => (await findBalance(database.owner, owner_id)).total

const use = ({ owner_id, user_id }: PaidPurchase, credits: number) =>
  spendOne(database.server, {
    owner_id,
    credits,
    idempotency_key: crypto.randomUUID(),
    occurred_at: new Date(),
    actor: user_id,
    reason: 'Test',
  })

async function atStripe({ customer_id }: PaidPurchase) {
  const { data } = await stripe.client.charges.list({ customer: customer_id, limit: 1 })
  const charge = data[0]?.id ?? ''
  return { charge, refunds: (await stripe.client.refunds.list({ charge })).data }
}

describe('a refund by support', () => {
  test('a refund of a part after half was spent takes its share and leaves a debt, as its preview says', async () => {
    const bought = await buildPack()
    await use(bought, 250)
    const asked = { amount_minor: 500, stripe_reason: 'requested_by_customer' } as const
    const dry = await refundPack(bought, asked, { is_dry_run: true, reason: '' })
    expect(await balanceOf(bought)).toBe(250)
    expect((await atStripe(bought)).refunds).toEqual([])

    const act = await ask(bought, asked)
    const done = await perform(act.id)
    const { charge, refunds } = await atStripe(bought)
    // 5.00 of 7.00 EUR are 357.14 of 500 credits, and 250 are left.
    expect(done).toMatchObject({
      state: 'done',
      outcome: {
        transfers: [{ kind: 'refund', account: 'purchased', credits: -357 }],
        changes: [
          { what: 'refunded', id: charge, before: '0.00 EUR', after: '5.00 EUR' },
          { what: 'debt', id: null, before: 0, after: 107 },
          { what: 'balance', id: null, before: 250, after: -107 },
        ],
      },
    })
    expect(done.outcome).toEqual(dry.outcome)
    expect(refunds).toMatchObject([
      { amount: 500, reason: 'requested_by_customer', metadata: { supportAct: act.id } },
    ])
    // Its own event finds everything booked.
    await worker.catchUp()
    expect(await balanceOf(bought)).toBe(-107)
  })

  test('a refund of a plan’s month takes back what it has brought', async () => {
    const bought = await buildPaidPlan(product)
    await worker.catchUp()
    await use(bought, 100)
    const { data } = await stripe.client.invoices.list({ customer: bought.customer_id })
    const [invoice] = data
    const amount_minor = invoice?.amount_paid ?? 0
    // 500 credits for 20.00 EUR, of which 100 are used.
    expect([amount_minor, await balanceOf(bought)]).toEqual([2000, 400])
    const target = { kind: 'invoice', id: invoice?.id ?? '' } as const
    const done = await refundPack(bought, { amount_minor }, { target })
    expect(done).toMatchObject({
      state: 'done',
      outcome: {
        transfers: [{ kind: 'refund', account: 'plan', credits: -500 }],
        changes: [
          { what: 'refunded', after: '20.00 EUR' },
          { what: 'debt', after: 100 },
          { what: 'balance', before: 400, after: -100 },
        ],
      },
    })
  })

  test('a refund in parts ends where one refund of all ends', async () => {
    const [parts, whole] = [await buildPack(), await buildPack()]
    for (const bought of [parts, whole]) await use(bought, 200)
    const amounts = [123, 300, 277]
    for (const [index, amount_minor] of amounts.entries()) {
      const refunded_minor = amounts.slice(0, index).reduce((sum, one) => sum + one, 0)
      expect(await refundPack(parts, { amount_minor, refunded_minor })).toMatchObject({ state: 'done' })
    }
    await refundPack(whole, wholePack)
    await worker.catchUp()
    expect([await balanceOf(parts), await balanceOf(whole)]).toEqual([-200, -200])
  })
})
