import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { buildPurchaseGrant, user } from '../../tests/support/factories/grants.ts'
import type { Owner } from './accounts.ts'
import { type Books, readBooks } from './post/books.ts'
import { houseLeg, postTransfer } from './post/post.ts'
import { verifyLedger } from './verify/verify.ts'

/** Transfers of every kind, posted by the functions as they were before there were grants, and what they are linked to now. */

const migrations = join(import.meta.dirname, '../database/migrations')
const lastBefore = '0008_extension.sql'
const september = new Date('2026-09-01T00:00:00Z')
const october = new Date('2026-10-01T00:00:00Z')
const secondsOf = (date: Date) => date.getTime() / 1000
const intents = {
  purchase: '00000000-0000-4000-8000-000000000001',
  team: '00000000-0000-4000-8000-000000000002',
  pro: '00000000-0000-4000-8000-000000000003',
}
const team: Owner = { owner_kind: 'organization', owner_id: 'org_team' }
const ada = user('user_ada')
const bob = user('user_bob')

const database = testDatabase()
beforeAll(async () => {
  await run(`
    DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO tidemark_server, tidemark_worker`)
  const files = (await readdir(migrations)).sort()
  for (const file of files.filter((name) => name <= lastBefore)) await migrate(file)
  await fill()
  for (const file of files.filter((name) => name > lastBefore)) await migrate(file)
})

async function run(text: string): Promise<void> {
  await sql.raw(text).execute(database.owner)
}

async function migrate(file: string): Promise<void> {
  const text = await readFile(join(migrations, file), 'utf8')
  await database.owner.transaction().execute((trx) => sql.raw(text).execute(trx))
}

interface EarlierTransfer {
  readonly key: string
  readonly kind: string
  readonly owner: Owner
  readonly account: 'plan' | 'purchased'
  readonly amount: number
  readonly intent_id?: string
}

function post({ key, kind, owner, account, amount, intent_id }: EarlierTransfer): Promise<void> {
  const item = {
    idempotency_key: key,
    kind,
    occurred_at: september,
    intent_id,
    actor: 'stripe',
    reason: kind,
    legs: [{ ...owner, account, amount }, houseLeg('adjusted', -amount)],
  }
  return run(`SELECT ledger_post('${JSON.stringify([item])}'::jsonb)`)
}

function use({ owner_kind, owner_id }: Owner, credits: number, key: string): Promise<void> {
  return run(`SELECT ledger_use('${owner_kind}', '${owner_id}', ${credits}, '${key}', now(), 'x', 'Usage')`)
}

function expire({ owner_kind, owner_id }: Owner, key: string): Promise<void> {
  return run(`SELECT ledger_expire('${owner_kind}', '${owner_id}', '${key}', now(), NULL, 'x', 'Expired')`)
}

async function fill(): Promise<void> {
  await run(`
    INSERT INTO users (clerk_id, email, profile_updated_at) VALUES ('user_ada', 'a@tidemark.test', now()), ('user_bob', 'b@tidemark.test', now());
    INSERT INTO checkout_intents (id, kind, user_id, owner_kind, owner_id, credits, amount_minor, currency, plan_type, billing_frequency,
      seats, credits_per_seat, state, settled_at, stripe_session_id) VALUES
      ('${intents.purchase}', 'credit_purchase', 'user_ada', 'user', 'user_ada', 500, 700, 'EUR', NULL, NULL, NULL, NULL, 'settled', now(), 'cs_1'),
      ('${intents.team}', 'subscription', 'user_ada', 'organization', 'org_team', 1000, 6000, 'EUR', 'teams', 'monthly', 2, 500, 'settled', now(), 'cs_2'),
      ('${intents.pro}', 'subscription', 'user_bob', 'user', 'user_bob', 500, 2000, 'EUR', 'pro', 'monthly', 1, 500, 'settled', now(), 'cs_3');
    INSERT INTO subscriptions (stripe_subscription_id, intent_id, user_id, owner_kind, owner_id, plan_type, billing_frequency, currency,
      credits_per_seat, status, seats_total, current_period_start, current_period_end, ended_at, fetch_order, sweep_at) VALUES
      ('sub_team', '${intents.team}', 'user_ada', 'organization', 'org_team', 'teams', 'monthly', 'EUR', 500, 'active', 4, '2026-10-01Z', '2026-11-01Z', NULL, 1, now()),
      ('sub_pro', '${intents.pro}', 'user_bob', 'user', 'user_bob', 'pro', 'monthly', 'EUR', 500, 'canceled', 1, '2026-09-01Z', '2026-10-01Z', '2026-10-01Z', 1, now());
    INSERT INTO subscription_invoices (stripe_invoice_id, stripe_subscription_id, kind, starts_at, ends_at, seats_before, seats, amount_paid_minor, paid_at) VALUES
      ('in_september', 'sub_team', 'period', '2026-09-01Z', '2026-10-01Z', NULL, 2, 6000, now()),
      ('in_third', 'sub_team', 'seats', '2026-09-11Z', '2026-10-01Z', 2, 3, 2000, now()),
      ('in_fourth', 'sub_team', 'seats', '2026-09-16Z', '2026-10-01Z', 3, 4, 1500, now()),
      ('in_october', 'sub_team', 'period', '2026-10-01Z', '2026-11-01Z', NULL, 4, 12000, now()),
      ('in_pro', 'sub_pro', 'period', '2026-09-01Z', '2026-10-01Z', NULL, 1, 2000, now());
    INSERT INTO subscription_months (stripe_subscription_id, starts_at, ends_at, stripe_invoice_id, seats, credits, seat_credits, unused) VALUES
      ('sub_team', '2026-09-01Z', '2026-10-01Z', 'in_september', 2, 1000, 583, 1183),
      ('sub_team', '2026-10-01Z', '2026-11-01Z', 'in_october', 4, 2000, 0, NULL),
      ('sub_pro', '2026-09-01Z', '2026-10-01Z', 'in_pro', 1, 500, 0, 450);
    INSERT INTO clawbacks (stripe_charge_id, owner_kind, owner_id, account, intent_id, stripe_invoice_id, amount_minor, amount_returned_minor,
      credits_granted, stripe_subscription_id, month_starts_at, credits_refunded, credits_disputed, credits_taken, transfers, fetch_order) VALUES
      ('ch_purchase', 'user', 'user_ada', 'purchased', '${intents.purchase}', NULL, 700, 140, 500, NULL, NULL, 100, 0, 100, 1, 1),
      ('ch_september', 'organization', 'org_team', 'plan', NULL, 'in_september', 6000, 0, 1000, 'sub_team', '2026-09-01Z', 0, 0, 0, 2, 1),
      ('ch_fourth', 'organization', 'org_team', 'plan', NULL, 'in_fourth', 1500, 1500, 250, 'sub_team', '2026-09-01Z', 250, 0, 250, 1, 1)`)

  await post({
    key: 'checkout/cs_1',
    kind: 'credit_purchase',
    owner: ada,
    account: 'purchased',
    amount: 500,
    intent_id: intents.purchase,
  })
  await post({
    key: 'refund/ch_purchase/1',
    kind: 'refund',
    owner: ada,
    account: 'purchased',
    amount: -100,
    intent_id: intents.purchase,
  })

  const plan = { owner: team, account: 'plan' } as const
  await post({ ...plan, key: `plan/sub_team/${secondsOf(september)}`, kind: 'plan_grant', amount: 1000 })
  await post({ ...plan, key: `seats/sub_team/${secondsOf(september)}/333`, kind: 'seat_grant', amount: 333 })
  await use(team, 400, 'usage/1')
  await post({ ...plan, key: `seats/sub_team/${secondsOf(september)}/583`, kind: 'seat_grant', amount: 250 })
  await post({ ...plan, key: 'dispute/ch_september/1', kind: 'dispute', amount: -500 })
  await post({ ...plan, key: 'dispute/ch_september/2', kind: 'dispute_won', amount: 500 })
  await post({ ...plan, key: 'refund/ch_fourth/1', kind: 'refund', amount: -250 })
  await expire(team, `expiry/sub_team/${secondsOf(october)}`)
  await post({ ...plan, key: `plan/sub_team/${secondsOf(october)}`, kind: 'plan_grant', amount: 2000 })
  await use(team, 30, 'usage/2')

  // Bought first, so that the plan account has the higher id; one usage takes from both.
  await post({ key: 'adjustment/1', kind: 'adjustment', owner: bob, account: 'purchased', amount: 40 })
  await post({
    key: `plan/sub_pro/${secondsOf(september)}`,
    kind: 'plan_grant',
    owner: bob,
    account: 'plan',
    amount: 50,
  })
  await use(bob, 60, 'usage/3')
  await post({ key: 'adjustment/2', kind: 'adjustment', owner: bob, account: 'plan', amount: -10 })
  await run(`SELECT ledger_settle_debt('user', 'user_bob', 'settle/x', now(), NULL)`)
  await post({ key: 'adjustment/3', kind: 'adjustment', owner: bob, account: 'plan', amount: 7 })
  await expire(bob, 'expiry/sub_pro/ended')
}

/** What a grant's sums are that are not zero. */
function sumsOf(books: Books): Record<string, Record<string, number>> {
  const components = [
    'gross',
    'refunded',
    'disputed',
    'expired',
    'written_off',
    'adjusted',
    'transfers',
  ] as const
  return Object.fromEntries(
    books.grants.map((grant) => [
      grant.id,
      Object.fromEntries(
        components.map((name) => [name, grant[name]] as const).filter(([, sum]) => sum !== 0),
      ),
    ]),
  )
}

const booksOf = (owner: Owner) => database.worker.transaction().execute((trx) => readBooks(trx, owner))

test('the books are right, with the hashes of that time', async () => {
  const { rows } = await sql<{
    n: number
  }>`SELECT count(*) AS n FROM ledger_transfers WHERE format = 1`.execute(database.owner)
  expect(rows).toEqual([{ n: 19 }])
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

test('a purchase and its refund are of the intent’s grant', async () => {
  const books = await booksOf(ada)
  expect(sumsOf(books)).toEqual({
    [`purchase/${intents.purchase}`]: { gross: 500, refunded: 100, transfers: 2 },
  })
  expect(books.purchased.balance).toBe(400)
})

test('months, seats, what was taken back of them and what expired are of the month’s grants', async () => {
  const books = await booksOf(team)
  expect(sumsOf(books)).toEqual({
    [`month/in_september/${secondsOf(september)}`]: { gross: 1000, expired: -933, transfers: 4 },
    [`seats/in_third/${secondsOf(september)}`]: { gross: 333, transfers: 1 },
    [`seats/in_fourth/${secondsOf(september)}`]: { gross: 250, refunded: 250, transfers: 2 },
    [`month/in_october/${secondsOf(october)}`]: { gross: 2000, transfers: 1 },
  })
  expect(books.grants.find((grant) => grant.kind === 'month')).toMatchObject({
    intent_id: intents.team,
    stripe_subscription_id: 'sub_team',
    month_starts_at: september,
    ends_at: october,
  })
})

test('what a closed month used, and what is used of the open one, is what usage took', async () => {
  expect(await booksOf(team)).toMatchObject({
    closed_months: [{ stripe_subscription_id: 'sub_team', starts_at: september, used: 400 }],
    used_open: 30,
    plan: { balance: 1970 },
  })
})

test('settlements and adjustments are of the account’s legacy', async () => {
  const books = await booksOf(bob)
  expect(sumsOf(books)).toEqual({
    [`month/in_pro/${secondsOf(september)}`]: { gross: 50, expired: -7, transfers: 2 },
    'legacy/user/user_bob/plan': { adjusted: 7, transfers: 3 },
    'legacy/user/user_bob/purchased': { adjusted: 40, transfers: 1 },
  })
  expect(books).toMatchObject({ plan: { balance: 0 }, purchased: { balance: 20 }, used_open: 0 })
  expect(books.closed_months).toEqual([{ stripe_subscription_id: 'sub_pro', starts_at: september, used: 50 }])
})

test('a purchase that is reported again is still the same transfer', async () => {
  const again = await postTransfer(database.worker, {
    idempotency_key: 'checkout/cs_1',
    kind: 'credit_purchase',
    grant: buildPurchaseGrant(ada, intents.purchase),
    occurred_at: new Date(),
    intent_id: intents.purchase,
    event_id: 'evt_again',
    actor: 'sweep',
    reason: 'Credit purchase',
    legs: [{ ...ada, account: 'purchased', amount: 500 }, houseLeg('adjusted', -500)],
  })
  expect(again.posted).toBe(false)
})

test('the ledger refuses changes again', async () => {
  await expect(run(`UPDATE ledger_transfers SET reason = 'Gift'`)).rejects.toThrow(/append-only/)
})
