import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { rewoundDatabase } from '../../../tests/support/database/rewound-database.ts'
import { buildMonthGrant, buildTransfer } from '../../../tests/support/factories/grants.ts'
import { buildGrant, spendNow } from '../../../tests/support/factories/transfers.ts'
import { tamper } from '../../../tests/support/faults/tamper.ts'
import { closeMonth } from '../post/books.ts'
import { postTransfers } from '../post/post.ts'
import { type SpendOutcome, type SpendRequest, spendCredits, type UsageFailure } from '../spend/usage.ts'
import { verifyLedger } from './verify.ts'

const database = rewoundDatabase(fillBooks)
const ada = 'user_ada'
const september = new Date('2026-09-01T00:00:00Z')
const start = september.getTime()

async function ask(request: SpendRequest): Promise<SpendOutcome> {
  const [outcome] = await spendCredits(database.server, [request])
  if (outcome?.outcome !== 'posted') throw new Error(`A request was not posted: ${outcome?.outcome}`)
  return outcome
}

const asked = (minutes: number) => ({
  owner_id: ada,
  actor: ada,
  occurred_at: new Date(start + minutes * 60_000),
})

async function reserve(credits: number, lasting_s = 3600): Promise<string> {
  const key = { idempotency_key: randomUUID(), reason: 'Chat', model: 'large' }
  const { hold } = await ask({ ...asked(0), ...key, action: 'reserve', credits, lasting_s })
  return hold?.id ?? ''
}

const settle = (
  hold_id: string,
  credits: number,
  { at = 1, failure }: { at?: number; failure?: UsageFailure } = {},
) => ask({ ...asked(at), action: 'settle', may_spend: true, hold_id, credits, failure })

/**
 * Usage, a failure, and holds in each state: settled below, above, failed and late, and open; usage by tokens, below a credit
 * and above, of which 0.6 credits are not charged. Two outlive their month, of which one is settled and not counted to it yet.
 */
async function fillBooks(): Promise<void> {
  const month = buildMonthGrant(ada, september)
  await postTransfers(database.worker, [
    buildTransfer(month, { kind: 'plan_grant', ordinal: 1, amount: 300 }),
    buildGrant('user_ada', 100),
    buildGrant('user_eve', 100),
  ])
  await spendNow(database.server, 'user_eve', 3)
  const byTokens = { ...asked(0), owner_id: 'user_eve', actor: 'user_eve', reason: 'Chat' }
  for (const cost_thousandths of [300, 1_200])
    await ask({ ...byTokens, credits: 0, cost_thousandths, idempotency_key: randomUUID() })
  for (const cost_thousandths of [100, 4_000]) {
    const { hold } = await ask({
      ...byTokens,
      action: 'reserve',
      credits: 3,
      idempotency_key: randomUUID(),
      lasting_s: 60,
    })
    const of = { ...byTokens, hold_id: hold?.id ?? '', may_spend: true }
    await ask({ ...of, action: 'settle', credits: 0, cost_thousandths })
  }
  await ask({ ...asked(0), credits: 10, idempotency_key: 'used', reason: 'Chat', token_id: randomUUID() })
  await ask({ ...asked(0), credits: 0, idempotency_key: 'failed', reason: 'Chat', failure: 'timeout' })
  await settle(await reserve(50), 30)
  await settle(await reserve(20), 35)
  await settle(await reserve(10), 0, { failure: 'empty' })
  await settle(await reserve(10, 60), 5, { at: 2 })
  const ended = [await reserve(40), await reserve(20)]
  await database.worker.transaction().execute(async (trx) => {
    await closeMonth(trx, 'user_ada', {
      stripe_subscription_id: 'sub_user_ada',
      starts_at: september,
      used: 80,
      hold_ids: ended,
    })
    await postTransfers(trx, [buildTransfer(month, { kind: 'expiry', ordinal: 2, amount: -160 })])
  })
  await settle(ended[0] ?? '', 10, { at: 3 })
  await reserve(7)
}

async function checksOf(): Promise<string[]> {
  const { problems } = await verifyLedger(database.owner)
  return [...new Set(problems.map(({ check }) => check))]
}

test('books with failures, and holds that outlive their month, are right', async () => {
  expect(await checksOf()).toEqual([])
  const { rows } =
    await sql`SELECT held, plan_held, plan_balance FROM ledger_owners WHERE owner_id = 'user_ada'`.execute(
      database.owner,
    )
  expect(rows).toEqual([{ held: 27, plan_held: 27, plan_balance: 50 }])
})

const failures = 'every key without a transfer has its failure'
const failureKeys = 'every failure is kept under its key'
const settlements = 'every hold was charged what was posted for it'
const held = 'every owner’s row has what is held'
const days = 'the sums of a day are what was posted'
const left = 'what is left of a month pays debts, and the rest expires'
const used = 'closed months used no more than was used'
const input = 'every usage takes what its key was used for'

const parts = 'what was used by tokens is charged, but for the rest of a credit in the owner’s row'

const aSettled = `state = 'settled' AND charged = 30`
const ofEve = `owner_id = 'user_eve'`
const ofAda = `owner_id = 'user_ada'`

test.each([
  ['a failure that is gone', `DELETE FROM ledger_failures WHERE failure = 'timeout'`, [failures, days]],
  [
    'a failure of another owner',
    `UPDATE ledger_failures SET owner_id = 'user_eve'`,
    [failures, failureKeys, days],
  ],
  [
    'the key of a failure',
    `UPDATE ledger_failures SET idempotency_key = 'usage/x' WHERE failure = 'timeout'`,
    [failures, failureKeys],
  ],
  [
    'a failure’s key that is gone',
    `DELETE FROM ledger_keys WHERE transfer_id IS NULL`,
    [failureKeys, settlements],
  ],
  [
    'a failure’s key that has a transfer',
    `UPDATE ledger_keys SET transfer_id = (SELECT max(id) FROM ledger_transfers) WHERE transfer_id IS NULL`,
    [failureKeys],
  ],
  [
    'what a failure’s key was used for',
    `UPDATE ledger_keys SET input_hash = sha256('x') WHERE transfer_id IS NULL`,
    [failures],
  ],
  [
    'what a usage’s key was used for, with its transfer’s',
    `UPDATE ledger_keys SET input_hash = sha256('x') WHERE ${ofAda}; UPDATE ledger_transfers SET input_hash = sha256('x') WHERE ${ofAda}`,
    [input],
  ],
  ['a larger rest of a credit', `UPDATE ledger_owners SET rest = rest + 1 WHERE ${ofEve}`, [parts]],
  [
    'the cost of a usage that is charged',
    `UPDATE ledger_transfers SET cost = cost + 1 WHERE cost = 1200`,
    [parts, input],
  ],
  [
    'the cost of a usage below a credit',
    `UPDATE ledger_failures SET cost = cost + 1 WHERE cost = 300`,
    [parts, failures],
  ],
  ['the cost of a hold', `UPDATE ledger_holds SET cost = cost + 1 WHERE cost = 4000`, [settlements]],
  [
    'the cost of a hold below a credit',
    `UPDATE ledger_holds SET cost = cost + 1 WHERE cost = 100`,
    [settlements],
  ],
  ['what a hold was charged', `UPDATE ledger_holds SET charged = 29 WHERE ${aSettled}`, [settlements]],
  [
    'what a late settlement was charged',
    `UPDATE ledger_holds SET charged = 4 WHERE state = 'settled_late'`,
    [settlements],
  ],
  [
    'more than a hold reserved, in one transfer',
    `UPDATE ledger_holds SET credits = 25, plan_credits = 25 WHERE ${aSettled}`,
    [settlements],
  ],
  ['a settled hold that is gone', `DELETE FROM ledger_holds WHERE ${aSettled}`, [settlements]],
  [
    'a settled hold that expired instead',
    `UPDATE ledger_holds SET state = 'expired', settled_credits = NULL, charged = NULL WHERE ${aSettled}`,
    [settlements],
  ],
  ['a failed hold that did not fail', `UPDATE ledger_holds SET failure = NULL`, [settlements]],
  [
    'a hold of another owner',
    `UPDATE ledger_holds SET owner_id = 'user_eve' WHERE ${aSettled}`,
    [settlements],
  ],
  ['what an owner’s row holds', `UPDATE ledger_owners SET held = held + 1 WHERE ${ofAda}`, [held]],
  [
    'what an owner’s row holds of the plan',
    `UPDATE ledger_owners SET plan_held = plan_held - 1 WHERE ${ofAda}`,
    [held],
  ],
  [
    'what another owner’s row holds',
    `UPDATE ledger_owners SET held = CASE owner_id WHEN 'user_eve' THEN 27 ELSE 0 END, plan_held = 0`,
    [held],
  ],
  [
    'credits of an open hold',
    `UPDATE ledger_holds SET credits = 6, plan_credits = 6 WHERE state = 'open' AND credits = 7`,
    [held],
  ],
  ['holds that outlive no month', `UPDATE ledger_holds SET outlives_month = false`, [left]],
  ['a closed month that is gone', `DELETE FROM ledger_months_used`, [left]],
  ['what was used of a closed month', `UPDATE ledger_months_used SET used = used + 100`, [left, used]],
  ['credits of a day', `UPDATE ledger_usage_days SET credits = credits + 1 WHERE ${ofAda}`, [days]],
  ['requests of a day', `UPDATE ledger_usage_days SET requests = requests + 1 WHERE ${ofAda}`, [days]],
  ['failed ones of a day', `UPDATE ledger_usage_days SET failed = 0 WHERE ${ofAda}`, [days]],
  [
    'the first transfer of a day',
    `UPDATE ledger_usage_days SET first_id = first_id + 1 WHERE ${ofAda}`,
    [days],
  ],
  ['another day', `UPDATE ledger_usage_days SET day = day + 1 WHERE ${ofAda}`, [days]],
  [
    'another editor’s day',
    `UPDATE ledger_usage_days SET token_id = gen_random_uuid() WHERE ${ofAda} AND token_id IS NULL`,
    [days],
  ],
  ['another person’s day', `UPDATE ledger_usage_days SET actor = 'user_eve' WHERE ${ofAda}`, [days]],
  ['sums of a day that are gone', `DELETE FROM ledger_usage_days WHERE ${ofAda}`, [days]],
  ['more credits of an old day', `UPDATE ledger_usage_days SET credits = credits + 1 WHERE ${ofEve}`, [days]],
])('%s is found', async (_, statement, checks) => {
  await tamper(database, statement)
  expect(await checksOf()).toEqual(expect.arrayContaining(checks))
})
