import type pg from 'pg'
import { anyWallet, walletId, wallets } from '../wallets.ts'

/** What a floor writes to: the fewest tables, columns and indexes that hold the same facts. */
export async function createFloorTables(pool: pg.Pool): Promise<void> {
  await pool.query(`
    CREATE SCHEMA floor;
    CREATE TABLE floor.transfers (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, wallet text NOT NULL, amount bigint NOT NULL, reason text NOT NULL);
    CREATE TABLE floor.inbox (id text PRIMARY KEY, payload jsonb NOT NULL, received_at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE floor.settled (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event_id text NOT NULL, settled_at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE floor.wallets (id text PRIMARY KEY, balance bigint NOT NULL);`)
  await pool.query(`INSERT INTO floor.wallets SELECT id, 1000000000 FROM unnest($1::text[]) id`, [
    [...Array.from({ length: wallets }, (_, index) => walletId(index)), 'org_bench'],
  ])
  await pool.query('VACUUM ANALYZE floor.wallets')
}

/** Prepared, so that Postgres plans them once for each connection. */
export const floorStatements = {
  insertTransfer: {
    name: 'insert_transfer',
    text: 'INSERT INTO floor.transfers (wallet, amount, reason) VALUES ($1, $2, $3)',
  },
  insertEvent: {
    name: 'insert_event',
    text: 'INSERT INTO floor.inbox (id, payload) VALUES ($1, $2) ON CONFLICT DO NOTHING',
  },
  insertSettled: { name: 'insert_settled', text: 'INSERT INTO floor.settled (event_id) VALUES ($1)' },
  findBalance: { name: 'find_balance', text: 'SELECT balance FROM floor.wallets WHERE id = $1' },
  spend: {
    name: 'spend',
    text: 'UPDATE floor.wallets SET balance = balance - $2 WHERE id = $1 AND balance >= $2 RETURNING balance',
  },
} as const

/** The floor of one transfer: one row with its commit. */
export function insertTransfer(pool: pg.Pool): Promise<unknown> {
  return pool.query({ ...floorStatements.insertTransfer, values: [anyWallet().owner_id, 500, 'Bench'] })
}
