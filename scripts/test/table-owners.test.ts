import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readFunctionFiles, readMigrationFiles } from '../../schema/database/migrate.ts'
import { repositoryRoot } from '../launch/script.ts'

const readRepositoryFile = (path: string) => readFile(join(repositoryRoot, path), 'utf8')
const migrations = (await readMigrationFiles()).map(({ text }) => text).join('\n')
const namesAfter = (words: RegExp) => [...migrations.matchAll(words)].map(([, name = '']) => name)
const dropped = namesAfter(/^DROP TABLE (\w+)/gm)
const tables = new Set(namesAfter(/^CREATE TABLE (\w+)/gm).filter((name) => !dropped.includes(name)))

/**
 * Stands for every table whose name is only known when the code runs: one folder writes, of any table, how a
 * row's tries went.
 */
const anyTable = 'a table that its code names'

const kyselyWrite =
  /\b(?:insertInto|replaceInto|updateTable|deleteFrom|mergeInto)\(\s*(?:['"`](?<name>\w+)|(?<code>[^'"`\s)]+))/g
const table = String.raw`(?:only\s+)?(?:public\.)?(?:"?(?<name>\w+)"?|(?<code>\$\{[^}]*\}))`
const sqlWrites = [
  new RegExp(String.raw`\b(?:insert\s+into|delete\s+from|merge\s+into)\s+${table}`, 'gi'),
  new RegExp(String.raw`\btruncate\s+(?:table\s+)?${table}`, 'gi'),
  new RegExp(String.raw`\bupdate\s+${table}(?:\s+(?:as\s+)?\w+)?\s+set\b`, 'gi'),
]

/** The tables that a file writes, by Kysely or by SQL in a string. */
function tablesWritten(text: string): string[] {
  const names = [kyselyWrite, ...sqlWrites]
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map(({ groups }) => groups?.name ?? (groups?.code === undefined ? '' : anyTable))
    // In a sentence, as in "delete from here", no table follows.
    .filter((name) => name === anyTable || tables.has(name))
  return [...new Set(names)]
}

/**
 * The owner that a file can be part of: a room of `schema`, or a noun of `billing` and `people`; null elsewhere,
 * where no table may be written.
 */
function ownerFolderOf(path: string): string | null {
  return /^schema\/(?:(?:billing|people)\/)?\w+(?=\/)/.exec(path)?.[0] ?? null
}

/** Writes outside `schema`, and tables that several of its folders write. */
function writesWithoutOneOwner(files: readonly { readonly path: string; readonly text: string }[]): string[] {
  const writes = files.flatMap(({ path, text }) =>
    tablesWritten(text).map((table) => ({ path, table, owner: ownerFolderOf(path) })),
  )
  return [...Map.groupBy(writes, ({ table }) => table).values()]
    .filter((some) => some.some(({ owner }) => owner === null || owner !== some[0]?.owner))
    .flatMap((some) => some.map(({ path, table }) => `${path} writes ${table}`))
    .sort()
}

async function readSources(): Promise<{ path: string; text: string }[]> {
  const files = glob('{schema,server,worker,web,scripts}/**/*.{ts,tsx,mjs,sql}', {
    cwd: repositoryRoot,
    // The bench fills databases of its own, which it throws away.
    exclude: ['**/*.test.{ts,tsx}', 'schema/database/**/*.sql', 'scripts/bench/**'],
  })
  const found: { path: string; text: string }[] = []
  for await (const path of files) found.push({ path, text: await readRepositoryFile(path) })
  // `database_backups.sql` writes for `schema/database`, and `ledger_budgets.sql` for `schema/ledger`.
  for (const { name, text } of await readFunctionFiles())
    found.push({ path: `schema/${name.split('_')[0]}/${name}.sql`, text })
  return found
}

const sources = await readSources()

test('every table is written by one folder of schema only', () => {
  expect(writesWithoutOneOwner(sources)).toEqual([])
})

test('every table is written', () => {
  const written = new Set(sources.flatMap(({ text }) => tablesWritten(text)))
  expect([...tables].filter((name = '') => !written.has(name))).toEqual([])
})

test('no role of a process may write the ledger’s tables', () => {
  expect(migrations).not.toMatch(/^GRANT [^;]*(?:INSERT|UPDATE|DELETE|TRUNCATE|ALL)[^;]* ON [^;]*\bledger_/m)
})

test.each([
  ["await trx.insertInto('seats').values(seat).execute()", 'seats'],
  ["db\n    .updateTable('seats as s')\n    .set({ status: 'revoked' })", 'seats'],
  ["db.mergeInto('seats').using('users', 'a', 'b')", 'seats'],
  ['await sql`INSERT INTO seats (id) VALUES (1)`.execute(db)', 'seats'],
  ['sql`UPDATE ONLY "seats" AS s\n  SET status = 1`', 'seats'],
  ["client.query('delete from seats')", 'seats'],
  ['sql`TRUNCATE seats CASCADE`', 'seats'],
  ['sql`WITH gone AS (DELETE FROM seats RETURNING id) SELECT 1`', 'seats'],
  ['db.updateTable(table).set(fields)', anyTable],
  [`DELETE FROM \${sql.table(name)}`, anyTable],
])('a write in a foreign folder is found: %s', (code, name) => {
  for (const path of ['worker/jobs/planted.ts', 'schema/planted/planted.ts']) {
    const found = writesWithoutOneOwner([...sources, { path, text: code }])
    expect(found).toContain(`${path} writes ${name}`)
    expect(found.every((write) => write.endsWith(` writes ${name}`))).toBe(true)
  }
})

test.each([
  ["db.selectFrom('seats').forUpdate()", 'worker/jobs/reader.ts'],
  ['sql`SELECT id FROM seats FOR UPDATE SKIP LOCKED`', 'worker/jobs/reader.ts'],
  [
    '/** Rows that we delete from here are gone, and an update of seats sets a role. */',
    'worker/jobs/reader.ts',
  ],
  ["db.insertInto('seats')", 'schema/people/seats/seats.ts'],
])('what is allowed is not found: %s', (code, path) => {
  expect(writesWithoutOneOwner([...sources, { path, text: code }])).toEqual([])
})
