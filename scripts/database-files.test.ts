import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../tests/support/database.ts'
import { generatedFiles, renderDatabaseTypes, renderSchemaDump } from './database-files.ts'

const stale = 'out of date: run `npm run db:types`'

test('schema/database/types.ts is what the migrations make', async () => {
  const database = await createTestDatabase()
  try {
    expect(await renderDatabaseTypes(database.url), stale).toBe(await readFile(generatedFiles.types, 'utf8'))
  } finally {
    await database.close()
  }
})

test('schema/database/schema.sql is what the migrations make', { timeout: 120_000 }, async () => {
  expect(await renderSchemaDump(), stale).toBe(await readFile(generatedFiles.dump, 'utf8'))
})
