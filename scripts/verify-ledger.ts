import { connectDatabase } from '../schema/database/connect.ts'
import { verifyLedger } from '../schema/ledger/verify/verify.ts'
import { withDatabase } from './database.ts'
import { loadDotEnv } from './dot-env.ts'

/** `npm run ledger:verify`: proves the books; progress goes to standard error. Exit code 1 for a problem. */
loadDotEnv()
const report = await withDatabase(async (url) => {
  const connectionString = process.env.DATABASE_MIGRATION_URL || url
  const database = connectDatabase({ connectionString, role: 'owner', poolMax: 4, onError: () => undefined })
  try {
    return await verifyLedger(database.db, {
      keepProof: true,
      onProgress: everySecond(({ transfers }) => void process.stderr.write(`${transfers} transfers\n`)),
    })
  } finally {
    await database.close()
  }
})

const { counts, problems, proof } = report
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

function everySecond<T>(show: (value: T) => void): (value: T) => void {
  let shownAt = performance.now()
  return (value) => {
    if (performance.now() - shownAt < 1000) return
    shownAt = performance.now()
    show(value)
  }
}
