import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { testDatabase } from '../tests/support/database/test-database.ts'
import { isLong } from '../tests/support/long.ts'
import { generatedFiles, renderDatabaseTypes, renderSchemaDump } from './database-files.ts'

const stale = 'out of date: run `npm run db:types`'

const database = testDatabase()

test('schema/database/types.ts is what the migrations make', async () => {
  expect(await renderDatabaseTypes(database.url), stale).toBe(await readFile(generatedFiles.types, 'utf8'))
})

// One command writes both files, so by default the types, which take a tenth, stand for the dump.
if (isLong) {
  test('schema/database/schema.sql is what the migrations make', { timeout: 10 * 60_000 }, async () => {
    expect(await renderSchemaDump(), stale).toBe(await readFile(generatedFiles.dump, 'utf8'))
  })
}
