import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Database } from '../../database/connect.ts'
import { endOfMonth, firstIdOf } from '../months.ts'
import { makeLedgerMonths } from '../post/months.ts'
import { findFinalTransferId } from '../verify/proofs.ts'
import { verifyLedger } from '../verify/verify.ts'
import { type ArchiveRow, listArchives, setArchiveState } from './archives.ts'
import { type ArchiveRange, closeRange } from './close.ts'
import { detachMonth, dropTable, listMonths, listTables } from './detach.ts'
import { ArchiveRefusedError } from './errors.ts'
import { digestManifest, manifestName } from './manifest.ts'
import { proveArchive } from './prove.ts'
import { monthlyTables } from './tables.ts'
import { writeArchive } from './write.ts'

export interface ArchiveOptions {
  /** All months before this one, `2025-01`. */
  readonly before: string
  /** Each archive is a folder in it. */
  readonly to: string
  /** Leaves the detached tables in the database. */
  readonly keepTables?: boolean
  /** What has been done; awaited, so that a test can stop here. */
  readonly onStep?: (step: string) => void | Promise<void>
}

export interface ArchiveResult {
  /** Those that this call finished. */
  readonly finished: readonly ArchiveRow[]
  /** Of the latest archive that there is, to be kept where the archive is not. */
  readonly manifest_digest: string | null
}

/**
 * This month and so many before it stay: pages show sums of this month and the last one, which may be a
 * billing month.
 */
const monthsKept = 3

/**
 * Months leave the ledger: they are proven, what the books go on from is kept, they are written to files,
 * detached, proven once more from the files and dropped. Posting and reading go on meanwhile. Interrupted
 * anywhere, calling it again goes on. Throws ArchiveRefusedError when it must not be done.
 */
export async function archiveMonths(
  database: { readonly db: Database; readonly pool: pg.Pool },
  options: ArchiveOptions,
): Promise<ArchiveResult> {
  return database.db.connection().execute(async (session) => {
    const lock = sql`hashtextextended('ledger_archive', 0)`
    const { rows } = await sql<{ is_ours: boolean }>`SELECT pg_try_advisory_lock(${lock}) AS is_ours`.execute(
      session,
    )
    if (!rows[0]?.is_ours)
      throw new ArchiveRefusedError('Another process is archiving months of this ledger.')
    try {
      return await archiveUnderLock(database, options)
    } finally {
      await sql`SELECT pg_advisory_unlock(${lock})`.execute(session)
    }
  })
}

async function archiveUnderLock(
  database: { readonly db: Database; readonly pool: pg.Pool },
  options: ArchiveOptions,
): Promise<ArchiveResult> {
  const { db } = database
  const finished: ArchiveRow[] = []
  const finishLatest = async () => {
    const archives = await listArchives(db)
    const archive = archives.at(-1)
    if (!archive || archive.state === 'finished') return
    await finishArchive(database, archive, archives.at(-2)?.manifest_digest ?? null, options)
    finished.push(archive)
  }
  await finishLatest()
  const range = await findRange(db, options.before)
  if (range) {
    await closeMonths(db, range, options)
    await finishLatest()
  }
  const latest = (await listArchives(db)).at(-1)
  return { finished, manifest_digest: latest?.manifest_digest?.toString('hex') ?? null }
}

/** What is attached before a month. Null when there is nothing. */
async function findRange(db: Database, before: string): Promise<ArchiveRange | null> {
  const { rows } = await sql<{ latest: string }>`
    SELECT right(ledger_partition_of('', ledger_month_of(now()) - ${monthsKept}::bigint), 7) AS latest`.execute(
    db,
  )
  const [{ latest } = { latest: '' }] = rows
  const month = before.replace('-', '_')
  if (month > latest) {
    throw new ArchiveRefusedError(
      `Months before ${latest.replace('_', '-')} can be archived now: the last ones are still shown.`,
    )
  }
  const end_transfer_id = firstIdOf(month)
  const months = (await listMonths(db)).filter((name) => endOfMonth(name) <= end_transfer_id)
  if (months.length === 0) return null
  const first_transfer_id = (await listArchives(db)).at(-1)?.end_transfer_id ?? 0
  return { first_transfer_id, end_transfer_id, months }
}

async function closeMonths(db: Database, range: ArchiveRange, { onStep }: ArchiveOptions): Promise<void> {
  await endRange(db, range)
  await refuseOpenDays(db, range)
  await refuseUnexplained(db, range)
  const { problems, proof } = await verifyLedger(db, { keepProof: true, upTo: range.end_transfer_id - 1 })
  if (problems.length > 0 || !proof) {
    const [first] = problems
    throw new ArchiveRefusedError(
      `The books are not right (${problems.length} problems${first ? `, the first one: ${first.check}: ${first.subject}` : ''}). Nothing was archived.`,
    )
  }
  await onStep?.('proven')
  await closeRange(db, range, proof)
  await onStep?.('closed')
}

/** Makes sure that nothing is posted in the range any more, not even by a transaction that began long ago. */
async function endRange(db: Database, { end_transfer_id }: ArchiveRange): Promise<void> {
  await makeLedgerMonths(db, 0)
  // Drawing an id begins the present month.
  await sql`SELECT ledger_draw_id(ledger_month_of(now())) FROM ledger_transfers_id_seq WHERE last_value < ${end_transfer_id}`.execute(
    db,
  )
  const finished = await findFinalTransferId(db)
  const { rows } = await sql<{ is_over: boolean }>`
    SELECT last_value >= ${end_transfer_id} AS is_over FROM ledger_transfers_id_seq`.execute(db)
  if (finished === null || !rows[0]?.is_over) {
    throw new ArchiveRefusedError(
      'A transaction may still be posting in these months. Nothing was archived; try again.',
    )
  }
}

/** A day's statement is computed from its transfers until it is closed. */
async function refuseOpenDays(db: Database, { end_transfer_id }: ArchiveRange): Promise<void> {
  const { rows } = await sql<{ date: string }>`
    SELECT min(date)::text AS date FROM statement_days
    WHERE closed_at IS NULL AND ledger_first_id(ledger_month_of(date::timestamptz)) < ${end_transfer_id}
    HAVING count(*) > 0`.execute(db)
  if (rows[0]) {
    throw new ArchiveRefusedError(`The statement of ${rows[0].date} is not closed yet. Nothing was archived.`)
  }
}

/** The comparison that found it looks for it among the transfers, and would take it for gone. */
async function refuseUnexplained(db: Database, { end_transfer_id }: ArchiveRange): Promise<void> {
  const { rows } = await sql<{ id: number | null }>`
    SELECT min(object_id::bigint) AS id FROM reconciliation_findings
    WHERE CASE WHEN kind = 'adjustment_unexplained' AND gone_at IS NULL THEN object_id::bigint END < ${end_transfer_id}`.execute(
    db,
  )
  const id = rows[0]?.id ?? null
  if (id !== null) {
    throw new ArchiveRefusedError(
      `Transfer ${id} was posted by hand and is not explained yet (npm run support). Nothing was archived.`,
    )
  }
}

async function finishArchive(
  { db, pool }: { readonly db: Database; readonly pool: pg.Pool },
  archive: ArchiveRow,
  previousManifest: Buffer | null,
  { to, keepTables, onStep }: ArchiveOptions,
): Promise<void> {
  const folder = join(to, nameOf(archive))
  const { id, months } = archive
  let { state, manifest_digest } = archive
  // While the tables are all there, what is missing is written again.
  const isWritten = await hasManifest(folder, archive)
  const tables = await listTables(db, months)
  if (!isWritten && tables.length === months.length * monthlyTables.length) {
    manifest_digest = await writeArchive(pool, archive, { folder, previousManifest })
    if (state === 'closed') state = 'written'
    await setArchiveState(db, id, { state, manifest_digest })
    await onStep?.('written')
  }
  for (const month of months) {
    for (const { name } of monthlyTables) {
      await detachMonth(db, name, month)
      await onStep?.(`detached ${name} of ${month}`)
    }
  }
  if (state === 'written') {
    await setArchiveState(db, id, { state: 'detached' })
    await onStep?.('detached')
  }
  const { problems, manifest_sha256 } = await proveArchive(folder)
  if (problems.length > 0 || manifest_sha256 !== manifest_digest?.toString('hex')) {
    throw new ArchiveRefusedError(
      `The archive in ${folder} is not right: ${problems[0] ?? 'its manifest is another one'}. ` +
        'What it holds is still in detached tables: remove the folder and try again, and it is written again.',
    )
  }
  await onStep?.('proven from its files')
  for (const name of keepTables ? [] : tables) {
    await dropTable(db, name)
    await onStep?.(`dropped ${name}`)
  }
  await setArchiveState(db, id, { state: 'finished' })
  await onStep?.('finished')
}

/** Archives sort by their names as they follow each other. */
function nameOf({ id, months }: ArchiveRow): string {
  return [String(id).padStart(4, '0'), ...new Set([months.at(0), months.at(-1)])].join('-')
}

/**
 * Whether its files were written. What lies there and is of another archive, from before a backup was
 * restored perhaps, is left alone.
 */
async function hasManifest(folder: string, { closed_at, manifest_digest }: ArchiveRow): Promise<boolean> {
  let text: string
  try {
    text = await readFile(join(folder, manifestName), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
  if (digestManifest(text) === manifest_digest?.toString('hex')) return true
  if (!text.includes(`"closed_at": "${closed_at.toISOString()}"`)) {
    throw new ArchiveRefusedError(
      `There is another archive in ${folder}. Move it away, or name another folder.`,
    )
  }
  return false
}
