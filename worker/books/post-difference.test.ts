import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { saveCharge } from '../../schema/billing/charges/charges.ts'
import { findIntent } from '../../schema/billing/checkout/intents.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import type { CheckoutSession } from '../../schema/vendors/stripe/events.ts'
import { sessionOf } from '../../tests/support/factories/events.ts'
import { chargeOf } from '../../tests/support/factories/paid-months.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { applyCheckout } from '../events/checkout.ts'
import { postPurchaseDifference } from './post-difference.ts'

const { database } = testProduct()

const occurred_at = new Date('2026-03-04T05:06:07Z')
const pay = (intentId: string, fields: Partial<CheckoutSession> = {}) =>
  database.worker.transaction().execute((trx) =>
    applyCheckout(
      trx,
      {
        of: 'checkout',
        intent_id: intentId,
        session: sessionOf(intentId, fields),
        payment_intent_status: null,
      },
      { event_id: null, actor: 'stripe', now: occurred_at },
    ),
  )

async function purchase() {
  const id = randomUUID()
  const { owner_id } = await buildPurchase(database.server, { id, stripe_session_id: `cs_test_${id}` })
  return { id, owner_id }
}

const listTransfers = (intentId: string) =>
  database.owner
    .selectFrom('ledger_transfers as transfer')
    .innerJoin('ledger_entries as entry', 'entry.transfer_id', 'transfer.id')
    .innerJoin('ledger_accounts as account', 'account.id', 'entry.account_id')
    .select([
      'transfer.idempotency_key',
      'transfer.kind',
      'transfer.grant_id',
      'transfer.occurred_at',
      'account.name',
      'entry.amount',
    ])
    .where('transfer.intent_id', '=', intentId)
    .orderBy('transfer.id')
    .orderBy('account.owner_id', 'desc')
    .execute()

test('a paid checkout of credits is one transfer under its session’s name, to the purchased account of whom it is for', async () => {
  const { id, owner_id } = await purchase()
  await pay(id)
  expect(await listTransfers(id)).toMatchObject([
    {
      idempotency_key: `checkout/cs_test_${id}`,
      kind: 'credit_purchase',
      grant_id: `purchase/${id}`,
      occurred_at,
      name: 'purchased',
      amount: 500,
    },
    { name: 'sold', amount: -500 },
  ])
  expect(await findBalance(database.owner, owner_id)).toMatchObject({ plan: 0, purchased: 500 })
})

test('a purchase agrees with what its charge gave back: the difference is posted once, and named after the grant', async () => {
  const { id, owner_id } = await purchase()
  await pay(id)
  const reconcile = (refunded_minor: number, disputed_minor: number, snapshot_order: number) =>
    database.worker.transaction().execute(async (trx) => {
      const known = { intent_id: id, refunded_minor, disputed_minor, snapshot_order }
      await saveCharge(trx, { ...chargeOf(owner_id, `ch_${id}`), ...known })
      const intent = await findIntent(trx, id)
      if (!intent) throw new Error('no intent')
      const cause = { event_id: null, actor: 'stripe', now: occurred_at }
      return (await postPurchaseDifference(trx, intent, cause)).length
    })
  expect(await reconcile(70, 350, 1)).toBe(2)
  expect(await reconcile(70, 350, 2)).toBe(0)
  expect(await reconcile(0, 0, 1)).toBe(0)
  expect(await reconcile(70, 0, 3)).toBe(1)
  expect((await listTransfers(id)).filter(({ name }) => name === 'purchased')).toMatchObject([
    { idempotency_key: `checkout/cs_test_${id}`, kind: 'credit_purchase', amount: 500 },
    { idempotency_key: `purchase/${id}/2`, kind: 'refund', amount: -50 },
    { idempotency_key: `purchase/${id}/3`, kind: 'dispute', amount: -250 },
    { idempotency_key: `purchase/${id}/4`, kind: 'dispute_won', amount: 250 },
  ])
  expect(await findBalance(database.owner, owner_id)).toMatchObject({ purchased: 450 })
})
