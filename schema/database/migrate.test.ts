import { randomBytes } from 'node:crypto'
import { appendFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { listCatalogue } from '../../tests/support/database/catalogue.ts'
import { databaseUrl } from '../../tests/support/database/template-database.ts'
import { createTestDatabase } from '../../tests/support/database/test-database.ts'
import { madeForEachTest } from '../../tests/support/made.ts'
import { waitUntil } from '../../tests/support/wait-until.ts'
import { makeLogins } from './logins.ts'
import { listPendingMigrations, migrateToLatest, readFunctionFiles, readMigrationFiles } from './migrate.ts'

const database = madeForEachTest(createTestDatabase, (made) => made.close())

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
const asOwner = <T>(work: (client: pg.Client) => Promise<T>) => connected(database.url, work)
const migrate = (folder?: string) =>
  migrateToLatest({ connectionString: database.url, ...(folder === undefined ? {} : { folder }) })

async function listPending(url: string): Promise<string[]> {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  // The server may end the last idle connection first.
  pool.on('error', () => undefined)
  return listPendingMigrations(pool).finally(() => pool.end())
}

test('a database that is up to date lacks nothing, and migrating it again changes nothing', async () => {
  expect(await listPending(database.url)).toEqual([])
  await asOwner(async (client) => {
    const before = await listCatalogue(client)
    expect(await migrate()).toEqual([])
    expect(await listCatalogue(client)).toEqual(before)
  })
})

/** An empty database, whose owner is the admin of the tests or another login. */
async function withEmptyDatabase(work: (url: string) => Promise<unknown>, owner?: string): Promise<void> {
  const name = `empty_${randomBytes(4).toString('hex')}`
  await connected(inject('adminUrl'), async (admin) => {
    await admin.query(`CREATE DATABASE ${name} ${owner ? `OWNER ${owner}` : ''}`)
    try {
      await work(databaseUrl(inject('adminUrl'), name))
    } finally {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    }
  })
}

test('one of two processes that migrate an empty database at once applies everything', async () => {
  await withEmptyDatabase(async (url) => {
    const names = (await readMigrationFiles()).map(({ name }) => name)
    expect(await listPending(url)).toEqual(names)
    const applied = await Promise.all([1, 2, 3].map(() => migrateToLatest({ connectionString: url })))
    expect(applied.sort()).toEqual([[], [], names])
  })
})

test('a login that only creates roles migrates its database and makes the logins, time and again', async () => {
  const suffix = randomBytes(4).toString('hex')
  const made = ['owner', 'server', 'worker'].map((name) => `${name}_${suffix}`)
  const [owner = '', server = '', worker = ''] = made
  await connected(inject('adminUrl'), async (admin) => {
    await admin.query(`CREATE ROLE ${owner} LOGIN CREATEROLE PASSWORD 'its own'`)
    // Roles belong to the cluster, which is shared: elsewhere it creates these itself.
    await admin.query(`GRANT tidemark_server, tidemark_worker TO ${owner} WITH ADMIN OPTION`)
    const as = (url: string, username: string) =>
      Object.assign(new URL(url), { username, password: 'its own' }).href
    await withEmptyDatabase(async (url) => {
      const connectionString = as(url, owner)
      const logins = [
        { url: as(url, server), role: 'tidemark_server' },
        { url: as(url, worker), role: 'tidemark_worker' },
      ] as const
      await migrateToLatest({ connectionString })
      await makeLogins({ connectionString, logins })
      expect(await migrateToLatest({ connectionString })).toEqual([])
      await makeLogins({ connectionString, logins })
      expect(await listPending(as(url, server))).toEqual([])
    }, owner)
    for (const name of made.reverse()) await admin.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`)
  })
})

test('the functions, views, triggers and rights of the database are those of the files', async () => {
  const files = await readFunctionFiles()
  await asOwner(async (client) => {
    const before = await listCatalogue(client)
    for (const { text } of files) await client.query(text)
    expect(await listCatalogue(client)).toEqual(before)
    const functions = before.filter(({ kind }) => kind === 'function')
    for (const { name, rights } of functions) {
      const bare = name.replace(/\(.*/s, '')
      const made = new RegExp(`CREATE OR REPLACE (FUNCTION|PROCEDURE) ${bare}\\b`)
      const holders = files.filter(({ text }) => made.test(text))
      expect(holders, `${bare} stands in one file`).toHaveLength(1)
      expect(rights, `every login may execute ${bare}`).not.toMatch(/default|(^| )=X/)
    }
  })
})

test('each function file ends with what it revokes and grants', async () => {
  for (const { name, text } of await readFunctionFiles()) {
    const functions = [...text.matchAll(/CREATE OR REPLACE (?:FUNCTION|PROCEDURE) (\w+)\(/g)].map(
      ([, named]) => named,
    )
    const rights = text.slice(text.lastIndexOf('\n\nREVOKE'))
    const takesAll = [...rights.matchAll(/REVOKE[^;]*;/g)].every(([revoke]) =>
      revoke.endsWith('tidemark_server, tidemark_worker;'),
    )
    expect(takesAll, `${name}.sql revokes what an earlier release granted`).toBe(true)
    for (const function_name of functions) {
      expect(rights, `${name}.sql revokes ${function_name}`).toMatch(
        new RegExp(`REVOKE ALL ON (FUNCTION|ROUTINE)[^;]*\\b${function_name}\\b`),
      )
    }
  }
})

/** Our migrations and functions with the changes of a later release, in a folder of their own. */
async function withLaterRelease(
  change: (folder: string) => Promise<void>,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-migrations-'))
  try {
    for (const name of ['migrations', 'functions'])
      await cp(join(import.meta.dirname, name), join(folder, name), { recursive: true })
    await change(folder)
    await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('every migration brings back the functions of the files and their rights', async () => {
  await asOwner(async (client) => {
    const before = await listCatalogue(client)
    await client.query(`
      CREATE OR REPLACE FUNCTION stripe_livemode() RETURNS boolean LANGUAGE sql STABLE AS 'SELECT true';
      GRANT EXECUTE ON FUNCTION ledger_post TO tidemark_server`)
    expect(await listCatalogue(client)).not.toEqual(before)
    await migrate()
    expect(await listCatalogue(client)).toEqual(before)
  })
})

test('a changed signature stands beside the old one for a release, and a migration of the next drops it', async () => {
  const added = `
    CREATE OR REPLACE FUNCTION stripe_livemode(fallback boolean) RETURNS boolean LANGUAGE sql STABLE AS $$
      SELECT coalesce(nullif(current_setting('tidemark.livemode', true), ''), fallback::text)::boolean
    $$;
    REVOKE ALL ON FUNCTION stripe_livemode(boolean) FROM PUBLIC, tidemark_server, tidemark_worker;
    GRANT EXECUTE ON FUNCTION stripe_livemode(boolean) TO tidemark_server;`
  await asOwner(async (client) => {
    const before = await listCatalogue(client)
    await withLaterRelease(
      async (folder) => {
        const file = join(folder, 'functions/stripe.sql')
        const { text = '' } = (await readFunctionFiles()).find(({ name }) => name === 'stripe') ?? {}
        // While both stand, rights name the arguments: the bare name is ambiguous.
        await writeFile(file, text.replaceAll(/(ON FUNCTION stripe_livemode)\b/g, '$1()'))
        await appendFile(file, added)
      },
      async (folder) => {
        await migrate(folder)
        await client.query('SET ROLE tidemark_server')
        const { rows } = await client.query('SELECT stripe_livemode() AS old, stripe_livemode(true) AS new')
        await client.query('RESET ROLE')
        expect(rows).toEqual([{ old: false, new: true }])
      },
    )
    await expect(migrate()).rejects.toMatchObject({
      cause: { message: expect.stringContaining('not unique') },
    })
    await withLaterRelease(
      (folder) =>
        writeFile(join(folder, 'migrations/9999_drop.sql'), 'DROP FUNCTION stripe_livemode(boolean)'),
      async (folder) => expect(await migrate(folder)).toEqual(['9999_drop']),
    )
    expect(await listCatalogue(client)).toEqual(before)
  })
})

test('a migration whose functions cannot be applied changes nothing', async () => {
  await asOwner(async (client) => {
    const before = await listCatalogue(client)
    await withLaterRelease(
      async (folder) => {
        await writeFile(
          join(folder, 'migrations/9999_column.sql'),
          'ALTER TABLE ledger_transfers ADD COLUMN added text',
        )
        await appendFile(join(folder, 'functions/stripe.sql'), 'GRANT SELECT ON none TO tidemark_server;')
      },
      async (folder) => {
        await expect(migrate(folder)).rejects.toMatchObject({
          message: 'stripe.sql could not be applied',
          cause: { message: 'relation "none" does not exist' },
        })
      },
    )
    expect(await listCatalogue(client)).toEqual(before)
    const { rows } = await client.query(
      "SELECT FROM information_schema.columns WHERE table_name = 'ledger_transfers' AND column_name = 'added'",
    )
    expect(rows).toEqual([])
    expect(await migrate()).toEqual([])
  })
})

test('a migration that waits for a long read, as a backup is one, lets calls pass until it is over', async () => {
  const addsColumn = (folder: string) =>
    writeFile(join(folder, 'migrations/9999_column.sql'), 'ALTER TABLE users ADD COLUMN added text')
  await withLaterRelease(addsColumn, (folder) =>
    asOwner(async (reader) => {
      await reader.query('BEGIN; SELECT FROM users')
      const migration = migrate(folder)
      await asOwner(async (caller) => {
        const asked = "SELECT FROM pg_locks WHERE relation = 'users'::regclass AND NOT granted"
        await waitUntil(async () => (await caller.query(asked)).rowCount, 'the migration to wait')
        // It stands behind the migration, which stands behind the reader.
        await caller.query('SELECT FROM users')
      })
      await reader.query('COMMIT')
      expect(await migration).toEqual(['9999_column'])
    }),
  )
})

test.each([
  [
    'has a migration of a later version',
    "INSERT INTO migrations VALUES ('9999_later', '')",
    'it has applied 9999_later, and there is no such file here',
  ],
  [
    'was migrated before a file got another name',
    "UPDATE migrations SET name = '0003_orders' WHERE name = '0003_checkout'",
    'it has applied 0003_orders, and there is no such file here',
  ],
  [
    'was migrated before a file of an earlier number came',
    "DELETE FROM migrations WHERE name = '0003_checkout'",
    'it has applied 0004_inbox without 0003_checkout, which comes before it here',
  ],
  [
    'was migrated before the text of a migration changed',
    "UPDATE migrations SET text = text || ' ' WHERE name = '0003_checkout'",
    '0003_checkout.sql has changed since it was applied',
  ],
  [
    'was made by the migrations before these',
    'CREATE TABLE kysely_migration (name text)',
    'that of `npm start` is in .data, which may be moved away, or deleted to start over.',
  ],
])('a database that %s is refused before anything runs', async (_, change, sentence) => {
  await asOwner(async (client) => {
    await client.query(change)
    await client.query(
      'CREATE OR REPLACE FUNCTION stripe_livemode() RETURNS boolean LANGUAGE sql AS $$SELECT true$$',
    )
    const before = await listCatalogue(client)
    await expect(migrate()).rejects.toThrow(sentence)
    await expect(listPending(database.url)).rejects.toThrow(sentence)
    expect(await listCatalogue(client)).toEqual(before)
  })
})

test('a checkout with the line ends of Windows migrates a database that one without them made', async () => {
  await asOwner(async (client) => {
    const before = await listCatalogue(client)
    await withLaterRelease(
      async (folder) => {
        for (const [kind, files] of [
          ['migrations', await readMigrationFiles()],
          ['functions', await readFunctionFiles()],
        ] as const) {
          for (const { name, text } of files)
            await writeFile(join(folder, kind, `${name}.sql`), text.replaceAll('\n', '\r\n'))
        }
      },
      async (folder) => expect(await migrate(folder)).toEqual([]),
    )
    await client.query("UPDATE migrations SET text = replace(text, E'\\n', E'\\r\\n')")
    expect(await migrate()).toEqual([])
    expect(await listCatalogue(client)).toEqual(before)
  })
})

/** A later release whose `functions/stripe.sql` is this. */
const withStripeFunctions = (text: string, work: (folder: string) => Promise<void>) =>
  withLaterRelease((folder) => writeFile(join(folder, 'functions/stripe.sql'), text), work)
const livemode = (signature: string) =>
  `CREATE OR REPLACE FUNCTION stripe_livemode${signature} STABLE LANGUAGE sql AS 'SELECT NULL';`

test.each([
  [
    'returns another type',
    livemode('() RETURNS text'),
    /^stripe\.sql could not be applied \(Use DROP FUNCTION stripe_livemode\(\) first\.\)$/,
  ],
  [
    'calls an argument otherwise',
    `${livemode('(asked text) RETURNS boolean')} ${livemode('(wished text) RETURNS boolean')}`,
    /\(Use DROP FUNCTION stripe_livemode\(text\) first\.\)$/,
  ],
  [
    'has another argument, and its rights name none',
    `${livemode('(asked text) RETURNS boolean')} REVOKE ALL ON FUNCTION stripe_livemode FROM PUBLIC;`,
    /^stripe\.sql could not be applied \(A migration has to drop the former one\.\)$/,
  ],
  [
    'has another argument, and the old one is left beside it',
    `${livemode('(asked text) RETURNS boolean')} REVOKE ALL ON FUNCTION stripe_livemode(text) FROM PUBLIC;`,
    /^The database still has stripe_livemode\(\), which no file makes any more: a migration has to drop it\.$/,
  ],
])('a function that %s is refused by its name', async (_, text, sentence) => {
  await asOwner(async (client) => {
    const before = await listCatalogue(client)
    await withStripeFunctions(text, async (folder) => {
      await expect(migrate(folder)).rejects.toThrow(sentence)
    })
    expect(await listCatalogue(client)).toEqual(before)
  })
})

test('a function of the operator’s own with a name of its own stays', async () => {
  await asOwner(async (client) => {
    await client.query("CREATE FUNCTION our_report() RETURNS text LANGUAGE sql AS 'SELECT NULL::text'")
    expect(await migrate()).toEqual([])
    await client.query('SELECT our_report()')
  })
})
