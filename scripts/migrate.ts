import { type Login, makeLogins } from '../schema/database/logins.ts'
import { migrateToLatest } from '../schema/database/migrate.ts'
import { type Environment, parseEnvironment } from '../schema/env.ts'
import { withDatabase } from './database.ts'
import { loadDotEnv } from './dot-env.ts'
import { explainError } from './explain-error.ts'

/** `npm run db:migrate`: migrates the database and creates the configured logins of the processes. */
loadDotEnv()
try {
  const environment = parseEnvironment(process.env)
  await withDatabase(async (url) => {
    const connectionString = environment.DATABASE_MIGRATION_URL ?? url
    const applied = await migrateToLatest({ connectionString })
    console.log(applied.length > 0 ? `applied ${applied.join(', ')}` : 'the database is up to date')
    const logins = loginsOf(environment)
    if (logins.length === 0) return
    for (const change of await makeLogins({ connectionString, logins })) console.log(change)
  })
} catch (error) {
  console.error(explainError(error))
  process.exitCode = 1
}

function loginsOf({ DATABASE_SERVER_URL, DATABASE_WORKER_URL }: Environment): Login[] {
  return [
    ...(DATABASE_SERVER_URL ? [{ url: DATABASE_SERVER_URL, role: 'tidemark_server' } as const] : []),
    ...(DATABASE_WORKER_URL ? [{ url: DATABASE_WORKER_URL, role: 'tidemark_worker' } as const] : []),
  ]
}
