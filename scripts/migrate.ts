import { migrateToLatest } from '../schema/database/migrate.ts'
import { withDatabase } from './database.ts'
import { loadDotEnv } from './dot-env.ts'
import { explainError } from './explain-error.ts'

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
