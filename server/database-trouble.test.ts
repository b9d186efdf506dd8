import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reportUsage } from '../schema/api/extension.ts'
import type { Database } from '../schema/database/connect.ts'
import { findEvent } from '../schema/inbox/events.ts'
import { findBalance } from '../schema/ledger/balances.ts'
import { postTransfer } from '../schema/ledger/post.ts'
import { insertToken } from '../tests/support/extension.ts'
import { openPlanCounter, type PlanCounter } from '../tests/support/plan-counter.ts'
import { grantOf, insertPurchase, insertUser } from '../tests/support/records.ts'
import { eventOf, receiveStripeEvent, sessionOf } from '../tests/support/stripe-events.ts'
import { waitUntil } from '../tests/support/wait-until.ts'
import { createTestDependencies } from '../tests/support/worker.ts'
import { processInboxEvent } from '../worker/jobs/inbox-event.ts'

let counter: PlanCounter
beforeAll(async () => {
  counter = await openPlanCounter()
})
afterAll(() => counter?.close())

/** The server's database, where Postgres cuts the connection when it has inserted the checkout and not committed it yet. */
function cutAfterInsert(db: Database): Database {
  let isArmed = true
  const inserts = new WeakSet<object>()
  return db.withPlugin({
    transformQuery({ node, queryId }) {
      if (node.kind === 'InsertQueryNode' && isArmed) inserts.add(queryId)
      return node
    },
    async transformResult({ result, queryId }) {
      if (!inserts.has(queryId)) return result
      isArmed = false
      const { rows } = await sql<{ pid: number }>`
        SELECT pid FROM pg_stat_activity, pg_terminate_backend(pid)
        WHERE datname = current_database() AND state = 'idle in transaction'`.execute(counter.database.owner)
      expect(rows).toHaveLength(1)
      await waitUntil(async () => {
        const alive = await sql`SELECT 1 FROM pg_stat_activity WHERE pid = ${rows[0]?.pid}`.execute(
          counter.database.owner,
        )
        return alive.rows.length === 0
      }, 'the connection to be cut')
      return result
    },
  })
}

test('a connection that Postgres cuts in the middle of a checkout answers 503, and the next try works', async () => {
  const ada = await counter.newCustomer()
  // The account is made in a transaction of its own.
  await insertUser(counter.database.owner, ada.user_id)
  const server = await counter.startServer({ deps: { db: cutAfterInsert(counter.server.deps.db) } })
  const answer = await counter.subscribe(ada, {}, server)
  expect(answer).toMatchObject({ status: 503, body: { code: 'temporarily_unavailable' } })
  expect(answer.headers.get('retry-after')).toBe('5')
  expect(JSON.stringify(server.logs)).toContain('not queryable')
  expect((await counter.subscribe(ada, {}, server)).status).toBe(200)
  await server.close()
})

/** From now on, Postgres reports so many deadlocks where the ledger posts. */
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
    .execute(counter.database.owner)
}
const clearDeadlocks = () =>
  sql.raw('DROP FUNCTION deadlock() CASCADE; DROP SEQUENCE deadlocks').execute(counter.database.owner)

test('a deadlock that the database reports is tried again, and no caller hears of it', async () => {
  const { database, server } = counter
  const user_id = await insertUser(database.server)
  await postTransfer(database.worker, grantOf(user_id, 100))
  const token = await insertToken(database, user_id)
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
  expect((await findBalance(database.owner, { owner_kind: 'user', owner_id: user_id })).total).toBe(80)
})

test('an event whose transaction is chosen to end a deadlock is applied by the same try', async () => {
  const { database } = counter
  const intent = await insertPurchase(database.server)
  const id = await receiveStripeEvent(
    database.server,
    eventOf('checkout.session.completed', sessionOf(intent.id)),
  )
  const key = { source: 'stripe', id } as const
  await plantDeadlocks(3)
  await processInboxEvent(createTestDependencies(database), key)
  await clearDeadlocks()
  expect(await findEvent(database.owner, key)).toMatchObject({ state: 'applied', attempts: 0 })
  expect((await findBalance(database.owner, { owner_kind: 'user', owner_id: intent.owner_id })).total).toBe(
    500,
  )
})
