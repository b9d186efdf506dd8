import { connectDatabase } from '../schema/database/connect.ts'
import { verifyLedger } from '../schema/ledger/verify.ts'
import { withDatabase } from './database.ts'
import { loadDotEnv } from './dot-env.ts'

/** `npm run ledger:verify`: proves the books and says what it read. Exit code 1 when something is wrong. */
loadDotEnv()
const report = await withDatabase(async (url) => {
  const connectionString = process.env.DATABASE_MIGRATION_URL || url
  const database = connectDatabase({ connectionString, role: 'owner', poolMax: 1, onError: () => undefined })
  try {
    return await verifyLedger(database.db)
  } finally {
    await database.close()
  }
})

const { accounts, transfers, entries, settled_intents } = report.counts
process.stdout.write(
  `Read ${accounts} accounts, ${transfers} transfers, ${entries} entries, ${settled_intents} settled intents.\n`,
)
for (const problem of report.problems) process.stdout.write(`WRONG  ${problem.check}: ${problem.subject}\n`)
process.stdout.write(
  report.problems.length === 0 ? 'The books are right.\n' : `${report.problems.length} problems found.\n`,
)
process.exitCode = report.problems.length === 0 ? 0 : 1
