import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateToLatest } from '../schema/database/migrate.ts'
import { generatedFiles, renderDatabaseTypes, renderSchemaDump } from './database-files.ts'
import { startPostgres } from './postgres.ts'

// A database that was migrated before would keep what an edited migration no longer says.
await using folder = await mkdtempDisposable(join(tmpdir(), 'tidemark-types-'))
const postgres = await startPostgres({ dataDir: join(folder.path, 'postgres') })
try {
  const connectionString = postgres.urlOf('postgres')
  await migrateToLatest({ connectionString })
  await writeFile(generatedFiles.types, await renderDatabaseTypes(connectionString))
} finally {
  await postgres.stop()
}
await writeFile(generatedFiles.dump, await renderSchemaDump())
