import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../tests/support/database/test-database.ts'
import { madeForEachTest } from '../../tests/support/made.ts'
import { listPendingMigrations, migrateToLatest, readFunctionFiles } from './migrate.ts'

const database = madeForEachTest(createTestDatabase, (made) => made.close())

async function asOwner<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Every function, view and trigger of ours as the database has it, with the rights to the first two. */
const listDefinitions = (client: pg.Client) =>
  client
    .query<{ name: string; definition: string; rights: string }>(`
      SELECT p.oid::regprocedure::text AS name, pg_get_functiondef(p.oid) AS definition, coalesce(p.proacl::text, 'default') AS rights
      FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
      UNION ALL
      SELECT c.relname, pg_get_viewdef(c.oid), coalesce(c.relacl::text, 'default')
      FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'v'
      UNION ALL
      SELECT t.tgrelid::regclass || '.' || t.tgname, pg_get_triggerdef(t.oid), ''
      FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      WHERE NOT t.tgisinternal AND c.relnamespace = 'public'::regnamespace AND NOT c.relispartition
      ORDER BY 1`)
    .then(({ rows }) => rows)

test('a database that is up to date lacks nothing, and migrating it again applies nothing', async () => {
  const pool = new pg.Pool({ connectionString: database.url, max: 1 })
  // The server may end the last idle connection first.
  pool.on('error', () => undefined)
  try {
    expect(await listPendingMigrations(pool)).toEqual([])
  } finally {
    await pool.end()
  }
  expect(await migrateToLatest({ connectionString: database.url })).toEqual([])
})

test('the functions, views, triggers and rights of the database are those of the files', async () => {
  const files = await readFunctionFiles()
  await asOwner(async (client) => {
    const before = await listDefinitions(client)
    for (const { text } of files) await client.query(text)
    expect(await listDefinitions(client)).toEqual(before)
    const functions = before.filter(({ name }) => name.endsWith(')'))
    for (const { name, rights } of functions) {
      const bare = name.replace(/\(.*/s, '')
      const holders = files.filter(({ text }) => text.includes(`CREATE OR REPLACE FUNCTION ${bare}(`))
      expect(holders, `${bare} stands in one file`).toHaveLength(1)
      expect(rights, `every login may execute ${bare}`).not.toMatch(/default|[{,]=X/)
    }
  })
})

test('each function file ends with what it revokes and grants', async () => {
  for (const { name, text } of await readFunctionFiles()) {
    const functions = [...text.matchAll(/CREATE OR REPLACE FUNCTION (\w+)\(/g)].map(([, named]) => named)
    const rights = text.slice(text.lastIndexOf('\n\nREVOKE'))
    for (const function_name of functions) {
      expect(rights, `${name}.sql revokes ${function_name}`).toMatch(
        new RegExp(`REVOKE ALL ON FUNCTION[^;]*\\b${function_name}\\b`),
      )
    }
  }
})

test('a function file whose text changed is applied again, and a failure leaves every function as it was', async () => {
  await asOwner(async (client) => {
    await client.query("UPDATE function_files SET sha256 = 'of an earlier text'")
    const before = await listDefinitions(client)
    await client.query(
      `CREATE OR REPLACE FUNCTION stripe_livemode() RETURNS boolean LANGUAGE sql STABLE AS 'SELECT true'`,
    )
    const applied = await migrateToLatest({ connectionString: database.url })
    expect(applied).toEqual((await readFunctionFiles()).map(({ name }) => name))
    expect(await listDefinitions(client)).toEqual(before)

    await client.query("UPDATE function_files SET sha256 = 'of an earlier text'")
    await client.query(
      `CREATE OR REPLACE FUNCTION stripe_livemode() RETURNS boolean LANGUAGE sql STABLE AS 'SELECT true'`,
    )
    // The last file cannot be applied.
    await client.query('ALTER TABLE support_acts RENAME TO support_acts_elsewhere')
    await expect(migrateToLatest({ connectionString: database.url })).rejects.toThrow(/support_acts/)
    const { rows } = await client.query('SELECT stripe_livemode() AS live')
    expect(rows).toEqual([{ live: true }])
  })
})

test('a database that knows a migration without a file is refused before anything runs', async () => {
  await asOwner(async (client) => {
    await client.query("INSERT INTO kysely_migration VALUES ('0046_accounts_read_once', now()::text)")
    await client.query('DELETE FROM function_files')
    await expect(migrateToLatest({ connectionString: database.url })).rejects.toThrow(
      'This database was made by another version: it has the migration 0046_accounts_read_once, which this version does not know.',
    )
    const { rows } = await client.query('SELECT FROM function_files')
    expect(rows).toEqual([])
  })
})
