import { parseArgs } from 'node:util'
import { connectDatabase } from '../schema/database/connect.ts'
import { type VerifyProgress, verifyLedger } from '../schema/ledger/verify/verify.ts'
import { withDatabase } from './database.ts'
import { loadDotEnv } from './dot-env.ts'
import { explainError } from './explain-error.ts'

/**
 * `npm run ledger:verify`: proves the books; progress goes to standard error. Exit code 1 for a problem, 2 when
 * they could not be read. `npm run ledger:verify -- --incremental` continues from the last run without one.
 */
loadDotEnv()
const { values } = parseArgs({ options: { incremental: { type: 'boolean', default: false } } })
const report = await withDatabase(async (url) => {
  const connectionString = process.env.DATABASE_MIGRATION_URL || url
  const database = connectDatabase({ connectionString, role: 'owner', poolMax: 4, onError: () => undefined })
  try {
    return await verifyLedger(database.db, {
      incremental: values.incremental,
      keepProof: true,
      onProgress: everySecond(showProgress),
    })
  } finally {
    await database.close()
  }
}).catch((error: unknown) => {
  // insufficient_privilege
  const isOther = (error as { code?: unknown }).code === '42501'
  const why = isOther
    ? 'it needs the login that owns the tables (DATABASE_MIGRATION_URL)'
    : explainError(error)
  process.stderr.write(`The books could not be read: ${why}\n`)
  process.exit(2)
})

const { counts, problems, continued_from, proof } = report
if (continued_from) {
  process.stdout.write(
    `Went on from transfer ${continued_from.transfer_id}, proven ${continued_from.proven_at.toISOString()}.\n`,
  )
} else if (values.incremental) process.stdout.write('There is no earlier proof: everything was read.\n')
process.stdout.write(
  `Read ${counts.accounts} accounts, ${counts.transfers} transfers, ${counts.entries} entries, ${counts.grants} grants, ` +
    `${counts.settled_intents} settled intents.\n`,
)
for (const problem of problems) process.stdout.write(`WRONG  ${problem.check}: ${problem.subject}\n`)
process.stdout.write(
  problems.length === 0 ? 'The books are right.\n' : `${problems.length} problems found.\n`,
)
// The owner of the database could rewrite the proofs in it.
if (proof)
  process.stdout.write(
    `Keep this elsewhere: proven up to transfer ${proof.transfer_id}, digest ${proof.heads_digest.toString('hex')}\n`,
  )
process.exitCode = problems.length === 0 ? 0 : 1

function showProgress({ what, done, total }: VerifyProgress): void {
  const share = total ? ` of ${total} (${Math.floor((100 * done) / total)} %)` : ''
  process.stderr.write(`${done}${share} ${what}\n`)
}

function everySecond<T>(show: (value: T) => void): (value: T) => void {
  let shownAt = performance.now()
  return (value) => {
    if (performance.now() - shownAt < 1000) return
    shownAt = performance.now()
    show(value)
  }
}
