import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connectForTest } from '../../tests/support/database/connect-for-test.ts'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { findBalance } from '../ledger/read/balances.ts'
import { makeLogins } from './logins.ts'

const database = testDatabase()
const names = {
  server: `server_${randomBytes(4).toString('hex')}`,
  worker: `worker_${randomBytes(4).toString('hex')}`,
}
const urlOf = (name: string) =>
  Object.assign(new URL(database.url), { username: name, password: 'its own' }).href

beforeAll(async () => {
  const logins = [
    { url: urlOf(names.server), role: 'tidemark_server' },
    { url: urlOf(names.worker), role: 'tidemark_worker' },
  ] as const
  await makeLogins({ connectionString: database.url, logins })
  // Again, as at every deployment.
  await makeLogins({ connectionString: database.url, logins })
})

afterAll(async () => {
  const client = new pg.Client({ connectionString: inject('adminUrl') })
  await client.connect()
  for (const name of Object.values(names)) await client.query(`DROP ROLE IF EXISTS ${name}`)
  await client.end()
})

/** Ways out of the role that a process takes on. */
const waysOut = ['', 'RESET ROLE', 'SET ROLE NONE', 'RESET SESSION AUTHORIZATION', 'DISCARD ALL']

/** Sessions of the processes, each of which took one of the ways out. */
const sessions = new Map<string, pg.Client>()
beforeAll(async () => {
  for (const [actor, name] of Object.entries(names)) {
    for (const wayOut of waysOut) {
      const options = `-c role=tidemark_${actor}`
      const client = new pg.Client({ connectionString: urlOf(name), options })
      await client.connect()
      if (wayOut) await client.query(wayOut)
      sessions.set(`${name} ${wayOut}`, client)
    }
  }
})
afterAll(() => Promise.all([...sessions.values()].map((client) => client.end())))

/**
 * Tries one statement as a process that an attacker controls, and says with which error it ended. What is
 * refused changes nothing of the session.
 */
async function tryAs(name: string, wayOut: string, statement: string): Promise<string> {
  try {
    await sessions.get(`${name} ${wayOut}`)?.query(statement)
    return 'done'
  } catch (error) {
    return (error as pg.DatabaseError).message
  }
}
const refused =
  /permission denied|row-level security|must be owner|must have|check constraint|must be able to SET ROLE/

const event = `'stripe', 'evt_forged', 'checkout.session.completed', now(), '{}'`
const terms = [
  ...['offer_id', 'quantity', 'kind', 'user_id', 'owner_id', 'credits', 'amount_minor', 'currency'],
  ...['plan_type', 'billing_frequency', 'seats', 'credits_per_seat', 'trial_days', 'ends_subscription_id'],
]

describe('whatever it does, the login of the server cannot', () => {
  test.each([
    ['write an entry', `INSERT INTO ledger_entries DEFAULT VALUES`],
    ['write a transfer', `INSERT INTO ledger_transfers DEFAULT VALUES`],
    ['make an account', `INSERT INTO ledger_accounts (owner_id, name) VALUES ('user_u', 'plan')`],
    ['make a grant', `INSERT INTO ledger_grants DEFAULT VALUES`],
    ['change an entry', `UPDATE ledger_entries SET amount = 1`],
    ['delete a transfer', `DELETE FROM ledger_transfers`],
    ['empty the ledger', `TRUNCATE ledger_entries CASCADE`],
    ['post', `SELECT ledger_post('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`],
    ['lock an owner', `SELECT ledger_lock_owners('{user_u}')`],
    ['append an entry', `CALL ledger_append(NULL, NULL, 1, 0, 'used')`],
    ['close a month', `SELECT ledger_close_month('user_u', 's', now(), 0, '{}')`],
    [
      'receive an event that was applied',
      `INSERT INTO inbox_events (source, id, type, occurred_at, payload, state, finished_at)
      VALUES (${event}, 'applied', now())`,
    ],
    [
      'receive an event as if it came from Stripe’s list',
      `INSERT INTO inbox_events (source, id, type, occurred_at,
      payload, received_via) VALUES (${event}, 'reader')`,
    ],
    ['mark an event', `UPDATE inbox_events SET state = 'applied', finished_at = now()`],
    ['forget an event', `DELETE FROM inbox_events`],
    ['change what an event says', `UPDATE inbox_events SET payload = '{}'`],
    [
      'make a checkout that is paid',
      `INSERT INTO checkout_intents (id, offer_id, quantity, user_id, owner_id, state, settled_at, stripe_session_id)
      SELECT gen_random_uuid(), offer_id, 1, user_id, owner_id, 'settled', now(), 'cs_1' FROM checkout_intents`,
    ],
    ['settle a checkout', `UPDATE checkout_intents SET state = 'settled'`],
    ['say when it was settled', `UPDATE checkout_intents SET settled_at = now()`],
    ...terms.map((term) => [`change ${term} of an order`, `UPDATE checkout_intents SET ${term} = ${term}`]),
    ['write a subscription', `INSERT INTO subscriptions DEFAULT VALUES`],
    ['change a subscription', `UPDATE subscriptions SET status = 'active'`],
    ['write an invoice', `INSERT INTO paid_invoice_lines DEFAULT VALUES`],
    ['write a charge', `INSERT INTO charges DEFAULT VALUES`],
    ['move a cursor', `UPDATE cursors SET completed_at = now()`],
    [
      'make a user with a plan',
      `INSERT INTO users (clerk_id, email, profile_updated_at, plan_type) VALUES ('u', 'u@x.test', now(), 'pro')`,
    ],
    ['act as the worker', `SET ROLE tidemark_worker`],
    ['act as the owner', `SET ROLE postgres`],
    ['become the worker', `SET SESSION AUTHORIZATION tidemark_worker`],
    ['make a table', `CREATE TABLE mine ()`],
    ['make a role', `CREATE ROLE mine SUPERUSER`],
    ['switch a trigger off', `ALTER TABLE ledger_entries DISABLE TRIGGER ALL`],
    ['switch triggers off', `SET session_replication_role = replica`],
    [
      'let everybody write',
      `GRANT INSERT ON ledger_entries TO PUBLIC; INSERT INTO ledger_entries DEFAULT VALUES`,
    ],
    ['drop a policy', `DROP POLICY audit_log_request ON audit_log`],
  ])('%s', async (_what, statement) => {
    await buildPurchase(database.owner, { stripe_session_id: `cs_${randomBytes(6).toString('hex')}` })
    for (const wayOut of waysOut) {
      expect(await tryAs(names.server, wayOut, statement), wayOut).toMatch(refused)
    }
  })
})

test('the login of the worker cannot write the ledger beside its functions, nor act as another', async () => {
  for (const statement of [
    'INSERT INTO ledger_entries DEFAULT VALUES',
    'UPDATE ledger_transfers SET reason = reason',
    'SET ROLE tidemark_server',
    'SET ROLE postgres',
    'CREATE TABLE mine ()',
  ]) {
    for (const wayOut of waysOut) {
      expect(await tryAs(names.worker, wayOut, statement), statement).toMatch(refused)
    }
  }
})

test('a process works with its login as with any', async () => {
  const { db } = connectForTest(urlOf(names.server))
  const { owner_id } = await buildPurchase(db)
  expect(await findBalance(db, owner_id ?? '')).toMatchObject({ total: 0 })
})
