import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { connectBare, repeat } from '../database-load.ts'
import { insertTransfer } from '../floors/tables.ts'
import { createHttpSide } from '../http-load.ts'
import type { Bench, Line, Row } from '../row.ts'
import { createFloor, createProduct, startServer } from '../sides.ts'
import { takeTurns } from '../turns.ts'
import { anyWallet } from '../wallets.ts'
import { makeDeliveries } from '../webhooks.ts'

/** Only with --peers. */
export const peers: Row = {
  name: 'peers',
  about:
    'Webhooks accepted, beside a handler that adds to a balance in its own transaction, as many products do; and what the rows of a transfer cost alone',
  measure,
}

async function measure(bench: Bench): Promise<Line[]> {
  await using running = new AsyncDisposableStack()
  const product = await createProduct(bench.machine, running)
  const server = await startServer(bench.machine, running, product)
  const floor = await createFloor(bench.machine, running)
  const inlineServer = await startServer(bench.machine, running, floor)
  // A database of its own: what it writes is no ledger.
  const rows = await createProduct(bench.machine, running)
  const pool = connectBare(rows.place.databaseUrl)
  running.defer(() => pool.end())
  await createRowWriter(pool)
  const { accepted, inline, rowsAlone, inserts } = await takeTurns(bench, {
    accepted: createHttpSide(server.url, (count) => makeDeliveries(count, product.pool)),
    inline: createHttpSide(inlineServer.url, async (count) =>
      (await makeDeliveries(count, null)).map((delivery) => ({ ...delivery, path: '/inline' })),
    ),
    rowsAlone: (seconds) =>
      repeat(() => pool.query({ ...writeRows, values: [anyWallet().owner_id, randomUUID(), 500] }), seconds),
    inserts: (seconds) => repeat(() => insertTransfer(floor.pool), seconds),
  })
  return [
    {
      row: 'peers',
      what: 'webhooks answered, beside the inline way',
      unit: 'requests/s',
      measured: accepted,
      floor: inline,
      target: null,
      note: 'the inline way has no ledger, no proof, no retry of its own and no order of events; its answer waits for the balance’s row',
    },
    {
      row: 'peers',
      what: 'the rows of one transfer, written alone',
      unit: 'transfers/s',
      measured: rowsAlone,
      floor: inserts,
      target: null,
      note: 'the rows alone are a balance, a key, a transfer and two entries in the ledger’s own tables, one call each, with nothing decided, looked up or hashed',
    },
    {
      row: 'peers',
      what: 'posting, beside pgledger',
      unit: 'transfers/s',
      measured: [],
      floor: null,
      target: null,
      note: 'not measured: pgledger is SQL in a repository and in no package of a registry, and nobody else’s source is copied into this one',
    },
  ]
}

const writeRows = { name: 'write_rows', text: 'SELECT write_rows($1, $2, $3)' }

/** The least that four tables can cost: the rows that `ledger_post_one` writes, and nothing that it does to know what is in them. */
async function createRowWriter(pool: pg.Pool): Promise<void> {
  await pool.query(`
    CREATE FUNCTION write_rows(owner text, key text, credits bigint) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      transfer bigint := nextval('ledger_transfers_id_seq');
      account bigint;
      version bigint;
      balance bigint;
    BEGIN
      UPDATE ledger_owners o SET purchased_version = o.purchased_version + 1, purchased_balance = o.purchased_balance + credits
      WHERE o.owner_id = owner RETURNING o.purchased_account_id, o.purchased_version, o.purchased_balance INTO account, version, balance;
      INSERT INTO ledger_keys VALUES (owner, key, transfer, 2, '');
      INSERT INTO ledger_transfers (id, occurred_at, posted_at, format, owner_id, idempotency_key, kind, input_hash, actor, reason, grant_id)
      VALUES (transfer, now(), now(), 2, owner, key, 'adjustment', '', 'bench', 'Bench', owner);
      INSERT INTO ledger_entries (transfer_id, account_id, amount, version, balance_after, owner_id, hash)
      VALUES (transfer, account, credits, version, balance, owner, ''), (transfer, 1, -credits, NULL, NULL, owner, '');
    END
    $$`)
}
