import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { testDatabase } from '../tests/support/database/test-database.ts'
import { renderDatabaseTypes, typesFile } from './database-types.ts'

const database = testDatabase()

test('schema/database/types.ts is what the migrations make', async () => {
  expect(await renderDatabaseTypes(database.url), 'out of date: run `npm run db:types`').toBe(
    await readFile(typesFile, 'utf8'),
  )
})
