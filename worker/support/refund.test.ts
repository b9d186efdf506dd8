import { describe, expect, test } from 'vitest'
import { failureOf } from '../../schema/api/failures.ts'
import type { Refund } from '../../schema/api/support-acts.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { findAct, type NewAct, outcomeOf } from '../../schema/support/acts.ts'
import { booksEndRight } from '../../tests/support/database/right-books.ts'
import { buildAct } from '../../tests/support/factories/acts.ts'
import {
  buildOpenCredits,
  buyCredits,
  buyPlan,
  type PaidPurchase,
} from '../../tests/support/factories/paid-purchases.ts'
import { spendNow } from '../../tests/support/factories/transfers.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { trustingStaff } from '../../tests/support/product/test-worker.ts'
import { processSupportAct } from './support-act.ts'

const product = testProduct({ stripe: 'empty' })
const { database, stripe, worker } = product
const deps = () => ({ ...worker.deps, ...trustingStaff })
booksEndRight(database)

const wholePack: Refund = { amount_minor: 700, currency: 'EUR', refunded_minor: 0, stripe_reason: null }

/** 500 credits for 7.00 EUR, in the books. */
async function buildPack(): Promise<PaidPurchase> {
  return buyCredits(product)
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
  spendNow(database.server, owner_id, credits, { actor: user_id })

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
    const bought = await buyPlan(product)
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

describe('what Stripe refuses', () => {
  const outcomes = (bought: PaidPurchase, refund: Partial<Refund>) =>
    Promise.all([refundPack(bought, refund, { is_dry_run: true, reason: '' }), refundPack(bought, refund)])

  test.for<{
    what: string
    error: unknown
    refund?: Partial<Refund>
    before?: (charge: string) => Promise<unknown>
  }>([
    {
      what: 'more than what is left',
      error: 'more_than_left {"asked":"5.01 EUR","left":"5.00 EUR"}',
      refund: { amount_minor: 501, refunded_minor: 200 },
      before: (charge) => stripe.client.refunds.create({ charge, amount: 200 }),
    },
    {
      what: 'a payment that was refunded since it was asked for',
      error: expect.stringContaining('"in":"refunded","expected":"0.00 EUR","found":"2.00 EUR"'),
      refund: { amount_minor: 100 },
      before: (charge) => stripe.client.refunds.create({ charge, amount: 200 }),
    },
    {
      what: 'a payment that is refunded',
      error: 'more_than_left {"asked":"0.01 EUR","left":"0.00 EUR"}',
      refund: { amount_minor: 1, refunded_minor: 700 },
      before: (charge) => stripe.client.refunds.create({ charge }),
    },
    {
      what: 'a payment that is disputed',
      error: 'has_state {"what":"payment","state":"disputed"}',
      before: (charge) => stripe.knob(`charges/${charge}/dispute`),
    },
    {
      what: 'another currency',
      error: expect.stringContaining('"in":"currency"'),
      refund: { currency: 'USD' },
    },
  ])(
    'a refund of $what fails in its preview as when it is done, and makes nothing',
    async ({ error, refund = {}, before }) => {
      const bought = await buildPack()
      const { charge } = await atStripe(bought)
      await before?.(charge)
      await worker.catchUp()
      const [balance, { refunds }] = [await balanceOf(bought), await atStripe(bought)]
      for (const one of await outcomes(bought, refund)) expect(one).toMatchObject({ state: 'failed', error })
      await worker.catchUp()
      expect([await balanceOf(bought), (await atStripe(bought)).refunds]).toEqual([balance, refunds])
    },
  )

  test('a refund of a bank debit that has not settled, or of a page that was not paid, makes nothing', async () => {
    const debit = await buildOpenCredits(product)
    await stripe.knob(`sessions/${debit.session_id}/pay`, { method: 'delayed' })
    await worker.catchUp()
    const open = await buildOpenCredits(product)
    const errors = []
    for (const bought of [debit, open]) errors.push(...(await outcomes(bought, {})).map(({ error }) => error))
    const pending = failureOf('has_state', { what: 'payment', state: 'pending' })
    expect(errors).toEqual([pending, pending, 'nothing_paid', 'nothing_paid'])
  })

  test('a refund that the bank refuses at once fails with its reason, and one that it refuses later gives the credits back', async () => {
    const bought = await buildPack()
    expect(await refundPack(bought, wholePack)).toMatchObject({ state: 'done' })
    expect(await balanceOf(bought)).toBe(0)
    const [refund] = (await atStripe(bought)).refunds
    await stripe.knob(`refunds/${refund?.id}/status`, { status: 'failed' })
    await worker.catchUp()
    expect(await balanceOf(bought)).toBe(500)

    const other = await buildOpenCredits(product)
    await stripe.knob(`sessions/${other.session_id}/pay`, { card: '4000000000007726' })
    await worker.catchUp()
    expect(await refundPack(other, wholePack)).toMatchObject({
      state: 'failed',
      error: failureOf('stripe_refuses', { says: 'expired_or_canceled_card' }),
    })
    await worker.catchUp()
    expect(await balanceOf(other)).toBe(500)
  })
})

describe('a refund that is asked for twice', () => {
  test('a refund that is asked for again from a page that was read before fails, and the money goes back once', async () => {
    const bought = await buildPack()
    const part = { amount_minor: 100 }
    expect(await refundPack(bought, part)).toMatchObject({ state: 'done' })
    expect(await refundPack(bought, part)).toMatchObject({ state: 'failed' })
    expect((await atStripe(bought)).refunds).toHaveLength(1)
  })

  test('a refund whose worker died before it wrote that down is found by its act, after Stripe has forgotten the key', async () => {
    const bought = await buildPack()
    const { id } = await ask(bought, { amount_minor: 350 })
    const { charge } = await atStripe(bought)
    // As the first try did, under a key of which Stripe knows nothing any more.
    await stripe.client.refunds.create({ charge, amount: 350, metadata: { supportAct: id } })
    expect(await perform(id)).toMatchObject({
      state: 'done',
      outcome: {
        transfers: [{ credits: -250 }],
        changes: [{ what: 'refunded', before: '0.00 EUR', after: '3.50 EUR' }, { what: 'balance' }],
      },
    })
    expect((await atStripe(bought)).refunds).toHaveLength(1)
  })

  test('a refund that two workers try at once is made once', async () => {
    const bought = await buildPack()
    const { id } = await ask(bought, { amount_minor: 350 })
    await Promise.all([0, 1].map(() => processSupportAct(deps(), { act_id: id })))
    await worker.catchUp()
    expect((await atStripe(bought)).refunds).toHaveLength(1)
    expect(await balanceOf(bought)).toBe(250)
  })
})
