import { appendFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
    const takesAll = [...rights.matchAll(/REVOKE[^;]*;/g)].every(([revoke]) =>
      revoke.endsWith('tidemark_server, tidemark_worker;'),
    )
    expect(takesAll, `${name}.sql revokes what an earlier release granted`).toBe(true)
    for (const function_name of functions) {
      expect(rights, `${name}.sql revokes ${function_name}`).toMatch(
        new RegExp(`REVOKE ALL ON FUNCTION[^;]*\\b${function_name}\\b`),
      )
    }
  }
})

/** Our migrations, functions and triggers with the changes of a later release, in a folder of their own. */
async function withLaterRelease(
  change: (folder: string) => Promise<void>,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-migrations-'))
  try {
    for (const name of ['migrations', 'functions', 'triggers'])
      await cp(join(import.meta.dirname, name), join(folder, name), { recursive: true })
    await change(folder)
    await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const replaceLivemode = `CREATE OR REPLACE FUNCTION stripe_livemode() RETURNS boolean LANGUAGE sql STABLE AS 'SELECT true'`

test('a function file whose text changed is applied again, and a failure leaves every function as it was', async () => {
  await asOwner(async (client) => {
    await client.query("UPDATE function_files SET sha256 = 'of an earlier text' WHERE name = 'stripe'")
    const before = await listDefinitions(client)
    await client.query(replaceLivemode)
    expect(await migrateToLatest({ connectionString: database.url })).toEqual(['stripe'])
    expect(await listDefinitions(client)).toEqual(before)

    await client.query("UPDATE function_files SET sha256 = 'of an earlier text'")
    await client.query(replaceLivemode)
    // The last file cannot be applied.
    await client.query('ALTER TABLE support_acts RENAME TO support_acts_elsewhere')
    await expect(migrateToLatest({ connectionString: database.url })).rejects.toThrow(/support_acts/)
    const { rows } = await client.query('SELECT stripe_livemode() AS live')
    expect(rows).toEqual([{ live: true }])
  })
})

test('what no file has any more is dropped, and a right that no file grants is revoked', async () => {
  await asOwner(async (client) => {
    const before = await listDefinitions(client)
    await client.query(`
      CREATE FUNCTION of_an_earlier_release() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER of_an_earlier_release BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION of_an_earlier_release();
      CREATE VIEW of_an_earlier_release AS SELECT clerk_id FROM users;
      GRANT EXECUTE ON FUNCTION ledger_post TO tidemark_server;
      INSERT INTO function_files VALUES ('of_an_earlier_release', 'text')`)
    expect(await listDefinitions(client)).not.toEqual(before)
    await migrateToLatest({ connectionString: database.url })
    expect(await listDefinitions(client)).toEqual(before)
  })
})

test('a changed signature stands beside the old one for a release, and is dropped in the next', async () => {
  const added = `
    CREATE OR REPLACE FUNCTION stripe_livemode(fallback boolean) RETURNS boolean LANGUAGE sql STABLE AS $$
      SELECT coalesce(nullif(current_setting('tidemark.livemode', true), ''), fallback::text)::boolean
    $$;
    REVOKE ALL ON FUNCTION stripe_livemode(boolean) FROM PUBLIC, tidemark_server, tidemark_worker;
    GRANT EXECUTE ON FUNCTION stripe_livemode(boolean) TO tidemark_server;`
  await asOwner(async (client) => {
    const before = await listDefinitions(client)
    await withLaterRelease(
      async (folder) => {
        const file = join(folder, 'functions/stripe.sql')
        const { text = '' } = (await readFunctionFiles()).find(({ name }) => name === 'stripe') ?? {}
        // While both stand, rights name the arguments: the bare name is ambiguous.
        await writeFile(file, text.replaceAll(/(ON FUNCTION stripe_livemode)\b/g, '$1()'))
        await appendFile(file, added)
      },
      async (folder) => {
        await migrateToLatest({ connectionString: database.url, folder })
        await client.query('SET ROLE tidemark_server')
        const { rows } = await client.query('SELECT stripe_livemode() AS old, stripe_livemode(true) AS new')
        await client.query('RESET ROLE')
        expect(rows).toEqual([{ old: false, new: true }])
      },
    )
    await migrateToLatest({ connectionString: database.url })
    expect(await listDefinitions(client)).toEqual(before)
  })
})

test('a migration whose functions cannot be applied changes nothing', async () => {
  await asOwner(async (client) => {
    const before = await listDefinitions(client)
    await withLaterRelease(
      async (folder) => {
        await writeFile(
          join(folder, 'migrations/9999_column.sql'),
          'ALTER TABLE ledger_transfers ADD COLUMN added text',
        )
        await appendFile(join(folder, 'functions/stripe.sql'), 'GRANT SELECT ON none TO tidemark_server;')
      },
      async (folder) => {
        const failed = await migrateToLatest({ connectionString: database.url, folder }).catch(
          (error: unknown) => error,
        )
        expect(failed).toMatchObject({ cause: { message: 'relation "none" does not exist' } })
      },
    )
    expect(await listDefinitions(client)).toEqual(before)
    const { rows } = await client.query(
      "SELECT FROM information_schema.columns WHERE table_name = 'ledger_transfers' AND column_name = 'added'",
    )
    expect(rows).toEqual([])
    expect(await migrateToLatest({ connectionString: database.url })).toEqual([])
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
