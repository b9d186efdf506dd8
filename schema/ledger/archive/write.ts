import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, writeFile as writeTextFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { ArchiveRow } from './archives.ts'
import { type ArchivedFile, digestManifest, type Manifest, manifestName, printManifest } from './manifest.ts'
import { monthlyTables, partitionOf } from './tables.ts'

/** What a file holds: rows of one table as `COPY … TO` prints them, in an order. */
interface Contents {
  readonly table: string
  /** Null for what is not of a month. */
  readonly month: string | null
  readonly columns: readonly string[]
  readonly select: string
}

/**
 * Writes an archive's files and, when they are there, its manifest, and returns the manifest's digest. Doing
 * it again writes the same. The months may be attached or detached.
 */
export async function writeArchive(
  pool: pg.Pool,
  archive: ArchiveRow,
  to: { readonly folder: string; readonly previousManifest: Buffer | null },
): Promise<Buffer> {
  await mkdir(to.folder, { recursive: true })
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    await client.query(
      `BEGIN READ ONLY; SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO'; SET LOCAL bytea_output = 'hex'; SET LOCAL work_mem = '64MB'`,
    )
    const files: ArchivedFile[] = []
    for (const contents of await listContents(client, archive)) {
      files.push(await writeContents(client, to.folder, contents))
    }
    await client.query('COMMIT')
    const text = printManifest(manifestOf(archive, files, to.previousManifest))
    await writeDurably(join(to.folder, manifestName), (path) => writeTextFile(path, text, { flush: true }))
    return Buffer.from(digestManifest(text), 'hex')
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    // After a failure it may be in the middle of a copy.
    client.release(failure)
  }
}

/** Of a transfer. A text that is erased in the database must not stay in a file; its hash does. */
const erasableColumns: readonly string[] = ['reason', 'reason_salt', 'model', 'project', 'run']

async function listContents(client: pg.PoolClient, { id, months }: ArchiveRow): Promise<Contents[]> {
  const openings = ['account_id', 'version', 'balance', 'hash', 'used']
  const sums = [
    'grant_id',
    'account_id',
    'gross',
    'refunded',
    'disputed',
    'expired',
    'written_off',
    'adjusted',
    'transfers',
  ]
  const contents: Contents[] = [
    {
      table: 'ledger_openings',
      month: null,
      columns: openings,
      select: `SELECT DISTINCT ON (account_id) ${openings.join(', ')} FROM ledger_openings WHERE archive_id < ${id} ORDER BY account_id, archive_id DESC`,
    },
    {
      table: 'ledger_archived_sums',
      month: null,
      columns: sums,
      select: `SELECT ${sums.join(', ')} FROM ledger_archived_sums WHERE archive_id = ${id} ORDER BY grant_id COLLATE "C"`,
    },
  ]
  for (const month of months) {
    for (const { name, order } of monthlyTables) {
      const partition = partitionOf(name, month)
      const { rows } = await client.query<{ column: string }>(
        `SELECT attname AS column FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
        [`public.${partition}`],
      )
      const columns = rows.map(({ column }) => column).filter((column) => !erasableColumns.includes(column))
      contents.push({
        table: name,
        month,
        columns,
        select: `SELECT ${columns.join(', ')} FROM ${partition} ORDER BY ${order}`,
      })
    }
  }
  return contents
}

async function writeContents(
  client: pg.PoolClient,
  folder: string,
  { select, ...what }: Contents,
): Promise<ArchivedFile> {
  const name = `${what.month === null ? what.table : `${what.table}_${what.month}`}.copy.gz`
  const sha256 = createHash('sha256')
  let rows = 0
  let bytes = 0
  // A line break within a value is printed as \n, so each one ends a row.
  const countRows = passThrough((chunk) => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) rows++
  })
  const measure = passThrough((chunk) => {
    sha256.update(chunk)
    bytes += chunk.length
  })
  await writeDurably(join(folder, name), (path) =>
    pipeline(
      client.query(copyTo(`COPY (${select}) TO STDOUT`)),
      countRows,
      createGzip(),
      measure,
      createWriteStream(path, { flush: true }),
    ),
  )
  return {
    name,
    table: what.table,
    month: what.month,
    columns: [...what.columns],
    rows,
    bytes,
    sha256: sha256.digest('hex'),
  }
}

function passThrough(see: (chunk: Buffer) => void): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      see(chunk)
      done(null, chunk)
    },
  })
}

/**
 * A file that is there under its name is there whole, also after a crash of the machine. `write` flushes it.
 */
async function writeDurably(path: string, write: (unfinished: string) => Promise<void>): Promise<void> {
  const unfinished = `${path}.unfinished`
  await write(unfinished)
  await rename(unfinished, path)
  const folder = await open(dirname(path))
  await folder.sync().finally(() => folder.close())
}

function manifestOf(archive: ArchiveRow, files: ArchivedFile[], previousManifest: Buffer | null): Manifest {
  return {
    format: 1,
    archive: archive.id,
    first_transfer_id: archive.first_transfer_id,
    end_transfer_id: archive.end_transfer_id,
    months: [...archive.months],
    transfers: archive.transfers,
    entries: archive.entries,
    keys: archive.keys,
    heads_digest_before: archive.heads_digest_before.toString('hex'),
    heads_digest: archive.heads_digest.toString('hex'),
    kept_digest: archive.kept_digest.toString('hex'),
    previous_manifest_sha256: previousManifest?.toString('hex') ?? null,
    closed_at: archive.closed_at.toISOString(),
    files,
  }
}
