import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateToLatest } from '../schema/database/migrate.ts'
import { renderDatabaseTypes, typesFile } from './database-types.ts'
import { startPostgres } from './postgres.ts'

/** `npm run db:types`: writes the Kysely types of what the migrations make in an empty database. */
await using folder = await mkdtempDisposable(join(tmpdir(), 'tidemark-types-'))
const postgres = await startPostgres({ dataDir: join(folder.path, 'postgres') })
try {
  const connectionString = postgres.urlOf('postgres')
  await migrateToLatest({ connectionString })
  await writeFile(typesFile, await renderDatabaseTypes(connectionString))
} finally {
  await postgres.stop()
}
