import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'

/**
 * What belongs to an owner has the owner in whatever is unique or refers. What lacks it is in
 * docs/scaling.md, with what has to come first.
 */
const lacking = {
  unique: [
    'checkout_intents_invoice',
    'checkout_intents_one_subscription',
    'checkout_intents_pkey',
    'checkout_intents_stripe_session_id_key',
    'ledger_grants_id_key',
    'ledger_keys_over_owners',
    'ledger_months_used_stripe_subscription_id_month_starts_at_key',
    'stripe_customers_customer_id_key',
  ],
  references: [
    'checkout_intents_user_id_fkey',
    'subscriptions_user_id_fkey',
    'team_invitations_inviter_id_fkey',
  ],
}

/**
 * Tables without an owner, where a row is found before its owner is known, or that are read over all owners:
 * docs/scaling.md lists them. The migrator's own is no part of that.
 */
const central = ['migrations', ...(await listedWithoutOwner())]

async function listedWithoutOwner(): Promise<string[]> {
  const text = await readFile(join(import.meta.dirname, '../../docs/scaling.md'), 'utf8')
  const [, section = ''] = text.split('### Not of one owner\n')
  const firstColumn = [...section.matchAll(/^\| ([^|]*)\|/gm)].map(([, cell]) => cell ?? '')
  return firstColumn.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? ''))
}

const ownerColumns = ['owner_id', 'organization_id', 'user_id', 'clerk_id']

const database = testDatabase()

/** Of each table that is an owner's, the first of these columns that it has. */
const owned = sql`(
  SELECT c.oid, (
    SELECT a.attnum FROM unnest(${ownerColumns}::text[]) WITH ORDINALITY AS name (name, ordinal)
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = name.name AND NOT a.attisdropped
    ORDER BY name.ordinal LIMIT 1) AS owner_column
  FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> ALL (${central}))`

test('every table that belongs to an owner says whose a row is', async () => {
  const { rows } = await sql<{ name: string }>`
    SELECT oid::regclass::text AS name FROM ${owned} owned WHERE owner_column IS NULL`.execute(database.owner)
  expect(rows).toEqual([])
})

test('keys that are unique have the owner', async () => {
  const { rows } = await sql<{ name: string }>`
    SELECT i.indexrelid::regclass::text AS name FROM pg_index i JOIN ${owned} owned ON owned.oid = i.indrelid
    WHERE i.indisunique AND owned.owner_column <> ALL (i.indkey::smallint[])`.execute(database.owner)
  expect(rows.map(({ name }) => name).sort()).toEqual(lacking.unique)
})

test('references between tables of owners have the owner on both sides', async () => {
  const { rows } = await sql<{ name: string }>`
    SELECT r.conname AS name FROM pg_constraint r
    JOIN ${owned} ours ON ours.oid = r.conrelid JOIN ${owned} theirs ON theirs.oid = r.confrelid
    WHERE r.contype = 'f' AND r.conparentid = 0 AND NOT EXISTS (
      SELECT FROM unnest(r.conkey, r.confkey) AS pair (ours, theirs)
      WHERE pair.ours = ours.owner_column AND pair.theirs = theirs.owner_column)
   `.execute(database.owner)
  expect(rows.map(({ name }) => name).sort()).toEqual(lacking.references)
})
