import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../launch/script.ts'

/** The only folder that writes a table. Every other folder may read it. */
const owners: Readonly<Record<string, string>> = {
  users: 'schema/users',
  stripe_customers: 'schema/customers',
  customer_creations: 'schema/customers',
  idempotent_requests: 'schema/idempotency',
  checkout_intents: 'schema/checkout',
  inbox_events: 'schema/inbox',
  inbox_payloads: 'schema/inbox',
  cursors: 'schema/cursors',
  ledger_accounts: 'schema/ledger',
  ledger_owners: 'schema/ledger',
  ledger_keys: 'schema/ledger',
  ledger_transfers: 'schema/ledger',
  ledger_entries: 'schema/ledger',
  ledger_grants: 'schema/ledger',
  ledger_months_used: 'schema/ledger',
  ledger_proofs: 'schema/ledger',
  ledger_archives: 'schema/ledger',
  ledger_openings: 'schema/ledger',
  ledger_archived_sums: 'schema/ledger',
  reconciliation_runs: 'schema/reconciliation',
  reconciliation_findings: 'schema/reconciliation',
  balance_transactions: 'schema/reconciliation',
  statement_days: 'schema/reconciliation',
  charges: 'schema/charges',
  subscriptions: 'schema/subscriptions',
  paid_invoice_lines: 'schema/subscriptions',
  organization_members: 'schema/members',
  seats: 'schema/seats',
  team_invitations: 'schema/invitations',
  extension_tokens: 'schema/extension',
  extension_sign_ins: 'schema/extension',
  failed_tries: 'schema/claim',
  support_visits: 'schema/support',
  support_acts: 'schema/support',
  audit_log: 'schema/support',
}

/** Writes, of whichever table it is given, the columns that say how its tries went and when the next one is due. */
const claimFolder = 'schema/claim/'

const kyselyWrite =
  /\b(?:insertInto|replaceInto|updateTable|deleteFrom|mergeInto)\(\s*(?:['"`](?<name>\w+)|(?<code>[^'"`\s)]+))/g
const table = String.raw`(?:only\s+)?(?:public\.)?(?:"?(?<name>\w+)"?|(?<code>\$\{[^}]*\}))`
const sqlWrites = [
  new RegExp(String.raw`\b(?:insert\s+into|delete\s+from|merge\s+into)\s+${table}`, 'gi'),
  new RegExp(String.raw`\btruncate\s+(?:table\s+)?${table}`, 'gi'),
  new RegExp(String.raw`\bupdate\s+${table}(?:\s+(?:as\s+)?\w+)?\s+set\b`, 'gi'),
]

/** The tables that a file writes, by Kysely or SQL text. A dynamic name is listed as its code. */
function tablesWritten(text: string): string[] {
  const byKysely = [...text.matchAll(kyselyWrite)].map(({ groups }) => groups?.name ?? groups?.code ?? '')
  const bySql = sqlWrites
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map(({ groups }) => groups?.name ?? groups?.code ?? '')
    // In a sentence, as in "delete from here", no table follows.
    .filter((name) => name in owners || name.startsWith('$'))
  return [...byKysely, ...bySql]
}

function writesOutsideOwner(path: string, text: string): string[] {
  return tablesWritten(text)
    .filter((name) => !owners[name] || !path.startsWith(`${owners[name]}/`))
    .map((name) => `${path} writes ${name}`)
}

async function findWritesOutsideOwner(): Promise<string[]> {
  const found: string[] = []
  const files = glob('{schema,server,worker,web,scripts}/**/*.{ts,tsx,mjs,sql}', {
    cwd: repositoryRoot,
    // The bench fills databases of its own, which it throws away: they hold no customers' rows.
    exclude: ['**/*.test.{ts,tsx}', 'schema/database/**', 'scripts/bench/**'],
  })
  for await (const path of files) {
    if (path.startsWith(claimFolder)) continue
    found.push(...writesOutsideOwner(path, await readFile(join(repositoryRoot, path), 'utf8')))
  }
  return found.sort()
}

const readRepositoryFile = (path: string) => readFile(join(repositoryRoot, path), 'utf8')
const schemaDump = await readRepositoryFile('schema/database/schema.sql')

const writtenByCommands: readonly string[] = [
  'ledger_proofs',
  'ledger_archives',
  'ledger_openings',
  'ledger_archived_sums',
]

/**
 * The processes whose database role may write a table. A right to update only `updated_at` serves row locks
 * and does not count. The ledger's tables are written by its SQL functions, the proofs by `npm run
 * ledger:verify`, and archived months by `npm run ledger:archive`.
 */
function writersOf(table: string): string {
  if (writtenByCommands.includes(table)) return 'the tables’ owner'
  if (owners[table] === 'schema/ledger') return 'ledger functions'
  const mayWrite = (role: string) =>
    [...schemaDump.matchAll(new RegExp(`^GRANT (.+) ON TABLE public.${table} TO tidemark_${role};`, 'gm'))]
      .map(([, rights]) => rights ?? '')
      .some((rights) => /INSERT|UPDATE|DELETE|ALL/.test(rights) && rights !== 'UPDATE(updated_at)')
  return ['server', 'worker'].filter(mayWrite).join(', ')
}

test('every table has an owner, which exists', () => {
  const tables = [...schemaDump.matchAll(/^CREATE TABLE public\.(\w+)/gm)].map(([, name]) => name)
  expect(Object.keys(owners).sort()).toEqual(tables.sort())
  for (const folder of Object.values(owners))
    expect(existsSync(join(repositoryRoot, folder)), folder).toBe(true)
})

test('docs/architecture.md names the owner and the writers of every table', async () => {
  const text = await readRepositoryFile('docs/architecture.md')
  const documented = [...text.matchAll(/^\| `(\w+)` +\| `(schema\/\w+)` +\|[^|]+\| ([^|]+?) +\|$/gm)]
  expect(documented.map(([, name, owner, writers]) => ({ name, owner, writers })).sort(byName)).toEqual(
    Object.entries(owners)
      .map(([name, owner]) => ({ name, owner, writers: writersOf(name) }))
      .sort(byName),
  )
})

test('no role of a process may write the ledger’s tables', () => {
  expect(schemaDump).not.toMatch(/^GRANT [^;]*(?:INSERT|UPDATE|DELETE|ALL)[^;]* ON TABLE public\.ledger_/m)
})

function byName(a: { name: string | undefined }, b: { name: string | undefined }): number {
  return (a.name ?? '').localeCompare(b.name ?? '')
}

test('a table is written by its owner only', async () => {
  const found = await findWritesOutsideOwner()
  expect(found).toEqual([])
})

test.each([
  ["await trx.insertInto('seats').values(seat).execute()", 'seats'],
  ["db\n    .updateTable('seats as s')\n    .set({ status: 'revoked' })", 'seats'],
  ['db.deleteFrom(`seats`).execute()', 'seats'],
  ["db.mergeInto('seats').using('users', 'a', 'b')", 'seats'],
  ['await sql`INSERT INTO seats (id) VALUES (1)`.execute(db)', 'seats'],
  ['sql`UPDATE public.seats SET status = 1`', 'seats'],
  ['sql`UPDATE ONLY "seats" AS s\n  SET status = 1`', 'seats'],
  ["client.query('delete from seats')", 'seats'],
  ['sql`TRUNCATE seats CASCADE`', 'seats'],
  ['sql`WITH gone AS (DELETE FROM seats RETURNING id) SELECT 1`', 'seats'],
  ['db.updateTable(table).set(fields)', 'table'],
  [`DELETE FROM \${sql.table(name)}`, `\${sql.table(name)}`],
])('a write in a foreign folder is found: %s', (code, name) => {
  expect(writesOutsideOwner('worker/jobs/planted.ts', code)).toEqual([
    `worker/jobs/planted.ts writes ${name}`,
  ])
})

test.each([
  ["db.selectFrom('seats').forUpdate()", 'worker/jobs/reader.ts'],
  ['sql`SELECT id FROM seats FOR UPDATE SKIP LOCKED`', 'worker/jobs/reader.ts'],
  [
    '/** Rows that we delete from here are gone, and an update of seats sets a role. */',
    'worker/jobs/reader.ts',
  ],
  ["db.insertInto('seats')", 'schema/seats/seats.ts'],
])('allowed code has no finding: %s', (code, path) => {
  expect(writesOutsideOwner(path, code)).toEqual([])
})
