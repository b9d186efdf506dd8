import { writeFile } from 'node:fs/promises'
import { migrateToLatest } from '../schema/database/migrate.ts'
import { withDatabase } from './database.ts'
import { generatedFiles, renderDatabaseTypes, renderSchemaDump } from './database-files.ts'

await withDatabase(async (connectionString) => {
  await migrateToLatest({ connectionString })
  await writeFile(generatedFiles.types, await renderDatabaseTypes(connectionString))
})
await writeFile(generatedFiles.dump, await renderSchemaDump())
