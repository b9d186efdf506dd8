import { migrateToLatest } from '../schema/database/migrate.ts'
import { withDatabase } from './database.ts'
import { loadDotEnv } from './dot-env.ts'

loadDotEnv()
try {
  await withDatabase(async (url) => {
    const applied = await migrateToLatest({ connectionString: process.env.DATABASE_MIGRATION_URL || url })
    console.log(applied.length > 0 ? `applied ${applied.join(', ')}` : 'the database is up to date')
  })
} catch (error) {
  console.error(explainError(error))
  process.exitCode = 1
}

/** The messages of an error and its causes; a refused connection is an AggregateError without a message of its own. */
function explainError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  const message = error.message || error.name
  return inner === undefined ? message : `${message}: ${explainError(inner)}`
}
