import { writeFile } from 'node:fs/promises'
import { generatedFiles, renderDatabaseTypes, renderSchemaDump } from './database-files.ts'

const connectionString = process.env.DATABASE_URL
if (!connectionString) throw new Error('DATABASE_URL must name a migrated database')

await writeFile(generatedFiles.types, await renderDatabaseTypes(connectionString))
await writeFile(generatedFiles.dump, await renderSchemaDump())
