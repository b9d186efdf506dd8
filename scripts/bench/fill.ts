import pg from 'pg'

/** Owners whose credits were bought, granted and used before the measurement begins. */
export interface Filling {
  /** `user_bench_0` and so on, as many. */
  readonly owners: number
  readonly transfersEach: number
  /** What an owner's id begins with, when they are others than the wallets. */
  readonly prefix?: string
}

/**
 * Tables that are filled; their indexes are dropped before and made again after, but for the primary keys.
 */
const filled = ['ledger_keys', 'ledger_transfers', 'ledger_entries']

/**
 * Writes transfers with two entries each, set-based and with triggers off, as a ledger has them after a long
 * time: those of one owner do not lie side by side. Their hashes are dummies, so that such a ledger can be
 * measured and not proven.
 */
export async function fillLedger(databaseUrl: string, filling: Filling): Promise<void> {
  await withTriggersOff(databaseUrl, async (client) => {
    const indexes = await dropIndexes(client)
    for (const statement of ledgerStatements(filling)) await client.query(statement)
    for (const definition of indexes) await client.query(definition)
    await client.query(
      'VACUUM (ANALYZE) ledger_accounts, ledger_owners, ledger_keys, ledger_transfers, ledger_entries',
    )
  })
}

function ledgerStatements({ owners, transfersEach, prefix = 'user_bench_' }: Filling): string[] {
  return [
    `CREATE TEMPORARY TABLE filled_accounts AS
     SELECT number AS i, nextval(pg_get_serial_sequence('ledger_accounts', 'id')) AS purchased_id,
       nextval(pg_get_serial_sequence('ledger_accounts', 'id')) AS plan_id
     FROM generate_series(0, ${owners - 1}) number`,
    `INSERT INTO ledger_accounts (id, owner_kind, owner_id, name) OVERRIDING SYSTEM VALUE
     SELECT a.id, 'user', '${prefix}' || i, a.name FROM filled_accounts,
       LATERAL (VALUES (purchased_id, 'purchased'), (plan_id, 'plan')) AS a (id, name)`,
    `CREATE TEMPORARY TABLE filled_transfers AS
     SELECT '${prefix}' || i AS owner_id, i, purchased_id, plan_id, version, row_number() OVER (ORDER BY version, i)
       + (SELECT greatest(max(id), ledger_first_id(ledger_month_of(now()))) FROM ledger_transfers) AS id
     FROM filled_accounts, generate_series(1, ${transfersEach}) version`,
    `INSERT INTO ledger_transfers (id, owner_id, posted_at, idempotency_key, kind, input_hash, occurred_at, actor, reason, reason_salt, reason_hash)
     SELECT id, owner_id, now(), 'usage/' || encode(sha256(convert_to(owner_id || version, 'UTF8')), 'hex'), 'usage', sha256('filled'),
       timestamptz '2026-01-01Z' + (id - ledger_first_id(id >> 40)) * interval '1 second', owner_id, 'Filled',
       substr(sha256('filled'), 1, 16), sha256('filled')
     FROM filled_transfers ORDER BY id`,
    `INSERT INTO ledger_keys (owner_id, idempotency_key, transfer_id, input_hash)
     SELECT t.owner_id, t.idempotency_key, t.id, t.input_hash
     FROM filled_transfers f JOIN ledger_transfers t ON t.id = f.id ORDER BY t.id`,
    `INSERT INTO ledger_owners (owner_id, owner_kind, last_transfer_id, plan_account_id, purchased_account_id, purchased_version,
       purchased_balance, purchased_hash)
     SELECT owner_id, 'user', id, plan_id, purchased_id, version, 100000000 - version, sha256('filled')
     FROM filled_transfers WHERE version = ${transfersEach} ORDER BY id`,
    `SELECT setval(pg_get_serial_sequence('ledger_transfers', 'id'), (SELECT max(id) FROM ledger_transfers))`,
    `INSERT INTO ledger_entries (transfer_id, owner_id, account_id, amount, version, balance_after, hash)
     SELECT id, owner_id, purchased_id, -1, version, 100000000 - version, sha256('filled') FROM filled_transfers ORDER BY id`,
    `INSERT INTO ledger_entries (transfer_id, owner_id, account_id, amount, hash)
     SELECT t.id, t.owner_id, house.id, 1, sha256('filled') FROM filled_transfers t, ledger_accounts house
     WHERE house.owner_kind = 'house' AND house.name = 'used' ORDER BY t.id`,
    'DROP TABLE filled_accounts, filled_transfers',
  ]
}

/**
 * Writes events that were applied within the last day, ten to an owner, each a paid purchase of credits with
 * its intent, grant, transfer and entries. Older ones would be work: the worker removes the payloads of
 * events after some months.
 */
export async function fillFinishedEvents(databaseUrl: string, count: number): Promise<void> {
  const events = `SELECT i, md5('fill' || i)::uuid AS intent_id, 'user_fill_' || i / 10 AS owner_id, i % 10 + 1 AS version,
    now() - interval '1 day' + i * interval '0.1 second' AS at FROM generate_series(0, ${count - 1}) i`
  await withTriggersOff(databaseUrl, async (client) => {
    await client.query(`CREATE TEMPORARY TABLE filled_events AS ${events}`)
    const statements = [
      `INSERT INTO users (clerk_id, email, profile_updated_at)
       SELECT DISTINCT owner_id, owner_id || '@tidemark.test', now() FROM filled_events`,
      `INSERT INTO checkout_intents (id, kind, user_id, owner_kind, owner_id, credits, amount_minor, currency, state,
         stripe_session_id, settled_at, created_at)
       SELECT intent_id, 'credit_purchase', owner_id, 'user', owner_id, 500, 700, 'EUR', 'settled', 'cs_fill_' || i, at, at
       FROM filled_events`,
      `SELECT inbox_make_months(min(at), max(at)) FROM filled_events`,
      `INSERT INTO inbox_payloads (source, id, filed_at, payload)
       SELECT 'stripe', 'evt_fill_' || i, at, jsonb_build_object('id', 'evt_fill_' || i, 'object', 'event',
         'data', jsonb_build_object('object', jsonb_build_object('client_reference_id', intent_id, 'filling', repeat('x', 1500))))
       FROM filled_events`,
      `INSERT INTO inbox_events (source, id, type, occurred_at, received_at, payload_filed_at, state, finished_at, next_try_at,
         confirmed_at, subject, client_reference_id)
       SELECT 'stripe', 'evt_fill_' || i, 'checkout.session.completed', at, at, at, 'applied', at, at, at, 'cus_' || owner_id, intent_id
       FROM filled_events`,
      `INSERT INTO ledger_accounts (owner_kind, owner_id, name)
       SELECT 'user', owner_id, name FROM (SELECT DISTINCT owner_id FROM filled_events) o, unnest(ARRAY['plan', 'purchased']) name`,
      `INSERT INTO ledger_grants (id, kind, owner_kind, owner_id, account, intent_id, starts_at)
       SELECT 'purchase/' || intent_id, 'purchase', 'user', owner_id, 'purchased', intent_id, at FROM filled_events`,
      `CREATE TEMPORARY TABLE filled_transfers AS
       SELECT e.*, e.i + (SELECT greatest(max(id), ledger_first_id(ledger_month_of(now()))) FROM ledger_transfers) + 1 AS id,
         plan.id AS plan_id, purchased.id AS purchased_id
       FROM filled_events e JOIN ledger_accounts plan ON plan.owner_id = e.owner_id AND plan.name = 'plan'
       JOIN ledger_accounts purchased ON purchased.owner_id = e.owner_id AND purchased.name = 'purchased'`,
      `INSERT INTO ledger_transfers (id, owner_id, posted_at, idempotency_key, kind, input_hash, occurred_at, intent_id, event_id, actor, reason,
         reason_salt, reason_hash, grant_id)
       SELECT id, owner_id, now(), 'checkout/cs_fill_' || i, 'credit_purchase', sha256('filled'), at, intent_id, 'evt_fill_' || i,
         'stripe', 'Filled', substr(sha256('filled'), 1, 16), sha256('filled'), 'purchase/' || intent_id FROM filled_transfers ORDER BY i`,
      `SELECT setval(pg_get_serial_sequence('ledger_transfers', 'id'), (SELECT max(id) FROM ledger_transfers))`,
      `INSERT INTO ledger_keys (owner_id, idempotency_key, transfer_id, input_hash)
       SELECT owner_id, 'checkout/cs_fill_' || i, id, sha256('filled') FROM filled_transfers ORDER BY i`,
      `INSERT INTO ledger_owners (owner_id, owner_kind, last_transfer_id, plan_account_id, purchased_account_id, purchased_version,
         purchased_balance, purchased_hash)
       SELECT DISTINCT ON (owner_id) owner_id, 'user', id, plan_id, purchased_id, version, 500 * version, sha256('filled')
       FROM filled_transfers ORDER BY owner_id, version DESC`,
      `INSERT INTO ledger_entries (transfer_id, owner_id, account_id, amount, version, balance_after, hash)
       SELECT id, owner_id, purchased_id, 500, version, 500 * version, sha256('filled') FROM filled_transfers ORDER BY id`,
      `INSERT INTO ledger_entries (transfer_id, owner_id, account_id, amount, hash)
       SELECT t.id, t.owner_id, house.id, -500, sha256('filled') FROM filled_transfers t, ledger_accounts house
       WHERE house.owner_kind = 'house' AND house.name = 'sold' ORDER BY t.id`,
      'DROP TABLE filled_events, filled_transfers',
      'VACUUM (ANALYZE)',
    ]
    for (const statement of statements) await client.query(statement)
  })
}

async function withTriggersOff(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    options:
      '-c session_replication_role=replica -c synchronous_commit=off -c maintenance_work_mem=512MB -c work_mem=256MB',
  })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** Drops those that belong to no constraint and to no partition alone; returns what makes them again. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT c.oid::regclass::text AS name, pg_get_indexdef(c.oid) AS definition
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = ANY($1::regclass[]) AND NOT c.relispartition
       AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = c.oid)`,
    [filled],
  )
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`)
  return rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '))
}
