import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { connectDatabase } from '../schema/database/connect.ts'
import { archiveMonths } from '../schema/ledger/archive/archive.ts'
import { ArchiveRefusedError } from '../schema/ledger/archive/errors.ts'
import { proveArchives } from '../schema/ledger/archive/prove.ts'
import { withDatabase } from './database.ts'
import { loadDotEnv } from './dot-env.ts'

const usage = `npm run ledger:archive -- --before 2025-01 --to FOLDER [--keep]
  takes the months before that one out of the ledger and into FOLDER; --keep leaves the detached tables in the database
npm run ledger:archive -- --prove FOLDER [--expect DIGEST]
  proves all archives in FOLDER from their files; DIGEST is that of the last manifest, as it was printed when it was written
`

/** Exit code 1 for a refusal or a problem; progress goes to standard error. */
loadDotEnv()
const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    to: { type: 'string' },
    keep: { type: 'boolean', default: false },
    prove: { type: 'string' },
    expect: { type: 'string' },
  },
})
try {
  if (values.prove !== undefined) await prove(resolve(values.prove), values.expect)
  else if (values.to !== undefined && /^\d{4}-(0[1-9]|1[0-2])$/.test(values.before ?? '')) {
    await archive({ before: values.before ?? '', to: resolve(values.to), keepTables: values.keep })
  } else {
    process.stderr.write(usage)
    process.exitCode = 1
  }
} catch (error) {
  if (!(error instanceof ArchiveRefusedError)) throw error
  process.stdout.write(`${error.message}\n`)
  process.exitCode = 1
}

async function archive(options: { before: string; to: string; keepTables: boolean }): Promise<void> {
  const { finished, manifest_digest } = await withDatabase(async (url) => {
    const connectionString = process.env.DATABASE_MIGRATION_URL || url
    const database = connectDatabase({
      connectionString,
      role: 'owner',
      poolMax: 8,
      onError: () => undefined,
    })
    try {
      return await archiveMonths(database, { ...options, onStep: tell })
    } finally {
      await database.close()
    }
  })
  for (const { months, transfers, entries } of finished) {
    process.stdout.write(`Archived ${transfers} transfers and ${entries} entries of ${months.join(', ')}.\n`)
  }
  if (finished.length === 0) process.stdout.write('There is nothing to archive.\n')
  if (manifest_digest)
    process.stdout.write(`Keep this elsewhere, the digest of the last manifest: ${manifest_digest}\n`)
}

async function prove(folder: string, expected: string | undefined): Promise<void> {
  const proof = await proveArchives(folder, { ...(expected !== undefined && { expected }), onArchive: tell })
  for (const { archive: id, months, transfers, entries } of proof.archives) {
    process.stdout.write(
      `Read archive ${id}: ${transfers} transfers and ${entries} entries of ${months.join(', ')}.\n`,
    )
  }
  for (const problem of proof.problems) process.stdout.write(`WRONG  ${problem}\n`)
  process.stdout.write(
    proof.problems.length === 0 ? 'The archives are right.\n' : `${proof.problems.length} problems found.\n`,
  )
  if (proof.manifest_sha256) process.stdout.write(`Digest of the last manifest: ${proof.manifest_sha256}\n`)
  process.exitCode = proof.problems.length === 0 ? 0 : 1
}

function tell(step: string): void {
  process.stderr.write(`${step}\n`)
}
