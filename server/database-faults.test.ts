import { InsertQueryNode, sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { generateExtensionToken } from '../schema/api/extension.ts'
import { assignSeat, getOrganizationSeats } from '../schema/api/organization-seats.ts'
import { reportUsage } from '../schema/api/spending.ts'
import type { Database } from '../schema/database/connect.ts'
import { findEvent } from '../schema/inbox/events.ts'
import { lockOwner } from '../schema/ledger/post/books.ts'
import { findBalance } from '../schema/ledger/read/balances.ts'
import { connectForTest } from '../tests/support/database/connect-for-test.ts'
import { receiveCheckoutEvent } from '../tests/support/factories/events.ts'
import { buildExtensionToken } from '../tests/support/factories/extension-tokens.ts'
import { buildOrganization } from '../tests/support/factories/organizations.ts'
import { buildPaidCredits } from '../tests/support/factories/paid-purchases.ts'
import { requestPlan } from '../tests/support/factories/plan-checkouts.ts'
import { giveCredits } from '../tests/support/factories/transfers.ts'
import { buildUser } from '../tests/support/factories/users.ts'
import { testProduct } from '../tests/support/product/start-test-product.ts'
import { signUp } from '../tests/support/services/clerk.ts'
import { waitUntil } from '../tests/support/wait-until.ts'
import { tryEvent } from '../worker/events/try-event.ts'
import { createEditorCalls } from './editor-calls.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { database } = product

/** A database whose connection is cut after the insert of the checkout, before its commit. */
function cutAfterInsert(db: Database): Database {
  let isArmed = true
  const inserts = new WeakSet<object>()
  return db.withPlugin({
    transformQuery({ node, queryId }) {
      const table = InsertQueryNode.is(node) && node.into?.table.identifier.name
      if (table === 'checkout_intents' && isArmed) inserts.add(queryId)
      return node
    },
    async transformResult({ result, queryId }) {
      if (!inserts.has(queryId)) return result
      isArmed = false
      const { rows } = await sql<{ pid: number }>`
        SELECT pid FROM pg_stat_activity, pg_terminate_backend(pid)
        WHERE datname = current_database() AND state = 'idle in transaction'`.execute(database.owner)
      expect(rows).toHaveLength(1)
      await waitUntil(async () => {
        const alive = await sql`SELECT 1 FROM pg_stat_activity WHERE pid = ${rows[0]?.pid}`.execute(
          database.owner,
        )
        return alive.rows.length === 0
      }, 'the connection to be cut')
      return result
    },
  })
}

test('a connection that Postgres cuts in the middle of a checkout answers 503, and the next try works', async () => {
  const ada = await signUp(product.clerk)
  // The account is made in a transaction of its own.
  await buildUser(database.owner, ada.user_id)
  await using server = await product.startServer({ deps: { db: cutAfterInsert(product.server.deps.db) } })
  const answer = await requestPlan(server, ada)
  expect(answer).toMatchObject({ status: 503, body: { code: 'temporarily_unavailable' } })
  expect(answer.headers.get('retry-after')).toBe('5')
  // As the client hears of it: before or while it commits.
  expect(JSON.stringify(server.logs)).toMatch(/not queryable|[Tt]erminat|EPIPE|ECONNRESET/)
  expect((await requestPlan(server, ada)).status).toBe(200)
})

test('a call says in the product’s words that the database is away, and when to come again', async () => {
  const { user_id, token } = await signUp(product.clerk)
  const { id: org_id } = await buildOrganization(product.clerk, { user_id })
  await using away = await product.startServer({ databaseUrl: 'postgres://postgres@127.0.0.1:1/none' })
  const seat = { org_id, email: 'bob@tidemark.test' }
  for (const [answer, error] of [
    [await away.api(assignSeat, { token, body: seat }), 'Failed to assign seat'],
    [await away.api(getOrganizationSeats, { token, query: { org_id } }), 'Failed to load seat information'],
    [await away.api(generateExtensionToken, { token }), 'Failed to generate long-lived token'],
  ] as const) {
    expect(answer).toMatchObject({ status: 503, body: { error } })
    expect(answer.headers.get('retry-after')).toBe('5')
  }
})

/** Makes Postgres report so many deadlocks in the ledger's postings. */
async function plantDeadlocks(count: number): Promise<void> {
  await sql
    .raw(`
      CREATE SEQUENCE deadlocks;
      CREATE FUNCTION deadlock() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN
        IF nextval('deadlocks') <= ${count} THEN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER deadlock BEFORE INSERT ON ledger_transfers FOR EACH ROW EXECUTE FUNCTION deadlock()`)
    .execute(database.owner)
}
const clearDeadlocks = () =>
  sql.raw('DROP FUNCTION deadlock() CASCADE; DROP SEQUENCE deadlocks').execute(database.owner)

test('a deadlock that the database reports is tried again, and no caller hears of it', async () => {
  const { server } = product
  const user_id = await buildUser(database.server)

  await giveCredits(database, user_id, { purchased: 100 })
  const token = await buildExtensionToken(database, user_id)
  const use = (idempotency_key: string) =>
    server.api(reportUsage, {
      token,
      body: { credits: 10, payer: 'personal', idempotency_key, description: 'Chat' },
    })
  await plantDeadlocks(4)
  expect(await use('first')).toMatchObject({ status: 200, body: { charged: 10, replayed: false } })
  await clearDeadlocks()
  await plantDeadlocks(1000)
  expect(await use('second')).toMatchObject({ status: 503, body: { code: 'temporarily_unavailable' } })
  await clearDeadlocks()
  expect(await use('second')).toMatchObject({ status: 200, body: { charged: 10, replayed: false } })
  expect((await findBalance(database.owner, user_id)).total).toBe(80)
})

test('an event whose transaction is chosen to end a deadlock is applied by the same try', async () => {
  const bought = await buildPaidCredits(product)
  const id = await receiveCheckoutEvent(database.server, bought)
  const key = { source: 'stripe', id } as const
  await plantDeadlocks(3)
  await tryEvent(product.worker.deps, key)
  await clearDeadlocks()
  expect(await findEvent(database.owner, key)).toMatchObject({ state: 'applied', attempts: 0 })
  expect((await findBalance(database.owner, bought.owner_id)).total).toBe(500)
})

test('a report whose payer is locked for too long answers 503, is not charged, and does not block other payers', async () => {
  const { db } = connectForTest(database.url, {
    limits: { statement_ms: 500, idle_in_transaction_ms: 60_000, silence_ms: 60_000 },
  })
  const server = await product.startServer({ deps: { editorCalls: createEditorCalls(db) } })
  onTestFinished(() => server.close())
  const editors = await Promise.all(
    ['locked', 'free'].map(async () => {
      const user_id = await buildUser(database.server)

      await giveCredits(database, user_id, { purchased: 100 })
      return { owner_id: user_id, token: await buildExtensionToken(database, user_id) }
    }),
  )
  const [locked, free] = editors
  if (!locked || !free) expect.fail('They are there')
  const use = ({ token }: typeof locked) =>
    server.api(reportUsage, {
      token,
      body: { credits: 10, payer: 'personal', idempotency_key: 'key', description: 'Chat' },
    })
  await database.worker.transaction().execute(async (trx) => {
    await lockOwner(trx, locked.owner_id)
    const [refused, taken] = await Promise.all([use(locked), use(free)])
    expect(refused).toMatchObject({ status: 503, body: { code: 'temporarily_unavailable' } })
    expect(taken).toMatchObject({ status: 200, body: { charged: 10 } })
  })
  expect(await use(locked)).toMatchObject({ status: 200, body: { charged: 10, replayed: false } })
})
