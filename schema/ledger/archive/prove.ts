import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { endOfMonth } from '../months.ts'
import { digestOpenings, type Opening } from './digests.ts'
import { ArchiveRefusedError } from './errors.ts'
import { type ArchivedFile, digestManifest, type Manifest, manifestName, manifestSchema } from './manifest.ts'
import { MonthsProof } from './prove-months.ts'
import { hexOf, numberOf, type Row, readRows } from './rows.ts'

export interface ArchiveProof {
  /** What is wrong, in sentences; nothing when the archive is what was posted. */
  readonly problems: readonly string[]
  /** Null when there is no readable manifest. */
  readonly manifest: Manifest | null
  readonly manifest_sha256: string | null
}

/** More would not be read. */
const problemsMax = 100

/**
 * Proves one archive by its files alone, without a database: that they are what the manifest names, that the
 * chain of each account runs from the openings before it to the end that the manifest names, and that grants
 * come to what is kept of them. Keeps one entry per account in memory.
 */
export async function proveArchive(folder: string): Promise<ArchiveProof> {
  const problems: string[] = []
  const problem = (what: string) => {
    if (problems.length < problemsMax) problems.push(what)
  }
  let text: string
  let manifest: Manifest
  try {
    text = await readFile(join(folder, manifestName), 'utf8')
    manifest = manifestSchema.parse(JSON.parse(text))
  } catch (error) {
    return {
      problems: [`There is no readable manifest: ${(error as Error).message}`],
      manifest: null,
      manifest_sha256: null,
    }
  }
  try {
    await proveFiles(folder, manifest, problem)
  } catch (error) {
    problem((error as Error).message)
  }
  return { problems, manifest, manifest_sha256: digestManifest(text) }
}

async function proveFiles(
  folder: string,
  manifest: Manifest,
  problem: (what: string) => void,
): Promise<void> {
  const find = (table: string, month: string | null): ArchivedFile => {
    const file = manifest.files.find((one) => one.table === table && one.month === month)
    if (!file)
      throw new Error(`The manifest names no file of ${table}${month === null ? '' : ` of ${month}`}`)
    return file
  }
  const rowsOf = (file: ArchivedFile) => readRows(join(folder, file.name), file, problem)

  const openings = new Map<number, Opening>()
  for await (const row of rowsOf(find('ledger_openings', null))) {
    const opening = openingOf(row)
    openings.set(opening.account_id, opening)
  }
  const { digest } = await digestOpenings(openings.values())
  if (digest.toString('hex') !== manifest.heads_digest_before)
    problem('The openings are not what was there before these months')

  const proof = new MonthsProof(openings, problem)
  for await (const row of rowsOf(find('ledger_archived_sums', null))) proof.expectGrant(row)
  let first = manifest.first_transfer_id
  for (const month of manifest.months) {
    const end = endOfMonth(month)
    const transfers = rowsOf(find('ledger_transfers', month))
    const entries = rowsOf(find('ledger_entries', month))
    await proof.read({ transfers, entries }, { first, end })
    first = end
  }
  if (first > manifest.end_transfer_id) problem('The months end after the range does')
  const { heads, kept } = await proof.finish()
  if (proof.transfers !== manifest.transfers || proof.entries !== manifest.entries) {
    problem(
      `There are ${proof.transfers} transfers and ${proof.entries} entries, and the manifest says ${manifest.transfers} and ${manifest.entries}`,
    )
  }
  if (proof.transfers !== manifest.keys) {
    problem(`There are ${proof.transfers} transfers, and the manifest says ${manifest.keys} keys`)
  }
  if (heads.toString('hex') !== manifest.heads_digest)
    problem('The last entries of the accounts are not those that the manifest names')
  if (kept.toString('hex') !== manifest.kept_digest)
    problem('What the grants and accounts come to is not what the database keeps of them')
}

function openingOf(row: Row): Opening {
  return {
    account_id: numberOf(row, 'account_id'),
    version: numberOf(row, 'version'),
    balance: numberOf(row, 'balance'),
    hash: hexOf(row, 'hash'),
    used: numberOf(row, 'used'),
  }
}

export interface ArchivesProof {
  readonly archives: readonly Manifest[]
  readonly problems: readonly string[]
  /** Of the last manifest: to be compared with the one that was noted elsewhere. */
  readonly manifest_sha256: string | null
}

/**
 * Proves all archives in a folder, and that each one goes on where the one before it ended and names its
 * manifest. A last manifest that was made anew with all its files shows by its digest alone: `expected` is
 * the one that was noted when it was written. Throws ArchiveRefusedError where there is none.
 */
export async function proveArchives(
  folder: string,
  options: { readonly expected?: string; readonly onArchive?: (name: string) => void } = {},
): Promise<ArchivesProof> {
  const problems: string[] = []
  const archives: Manifest[] = []
  let previous: ArchiveProof | undefined
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  if (names.length === 0) throw new ArchiveRefusedError(`There is no archive in ${folder}`)
  for (const name of names.sort()) {
    options.onArchive?.(name)
    const proof = await proveArchive(join(folder, name))
    problems.push(...proof.problems.map((what) => `${name}: ${what}`))
    if (proof.manifest) {
      problems.push(...findBreaks(previous, proof.manifest).map((what) => `${name}: ${what}`))
      archives.push(proof.manifest)
    }
    previous = proof
  }
  const manifest_sha256 = previous?.manifest_sha256 ?? null
  if (options.expected !== undefined && options.expected !== manifest_sha256) {
    problems.push(`The last manifest has the digest ${manifest_sha256}, and not the one that was expected`)
  }
  return { archives, problems, manifest_sha256 }
}

/**
 * What is wrong between an archive and the one before it. An archive whose predecessors lie elsewhere is
 * proven by itself.
 */
function findBreaks(previous: ArchiveProof | undefined, manifest: Manifest): string[] {
  if (!previous) return []
  const breaks: string[] = []
  if (manifest.previous_manifest_sha256 !== previous.manifest_sha256)
    breaks.push('It names another manifest before it')
  if (manifest.first_transfer_id !== previous.manifest?.end_transfer_id)
    breaks.push('It does not begin where the one before it ends')
  if (manifest.heads_digest_before !== previous.manifest?.heads_digest)
    breaks.push('Its openings are not the end of the one before it')
  return breaks
}
