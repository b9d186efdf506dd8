import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { listCatalogue } from '../../tests/support/database/catalogue.ts'
import { connectTestDatabase, testDatabase } from '../../tests/support/database/test-database.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { dropKept, keptReleases, restoreKept } from '../../tests/upgrade/kept.ts'
import { verifyLedger } from '../ledger/verify/verify.ts'
import { migrateToLatest } from './migrate.ts'

async function catalogueOf(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return listCatalogue(client).finally(() => client.end())
}

test('a database of a released version is kept', () => {
  expect(keptReleases.map(({ version }) => version)).toContain('0.2.0')
})

describe.each(keptReleases)('the kept database of $version', (release) => {
  const fresh = testDatabase()
  const kept = madeOnce(
    async () => connectTestDatabase(await restoreKept(release, inject('adminUrl'))),
    async (database) => {
      await database.close()
      await dropKept(database.url, inject('adminUrl'))
    },
  )

  test('it is upgraded to what a new database is, time and again, and its books are right', async () => {
    for (let time = 0; time < 2; time++) {
      await migrateToLatest({ connectionString: kept.url })
      expect(await catalogueOf(kept.url)).toEqual(await catalogueOf(fresh.url))
    }
    const { counts, problems } = await verifyLedger(kept.owner)
    expect(problems).toEqual([])
    expect(counts.transfers).toBeGreaterThan(300)
  })

  test('it has purchases, plans, seats, holds, refunds and acts', async () => {
    const filled = ['checkout_intents', 'subscriptions', 'seats', 'ledger_holds', 'charges', 'support_acts']
    for (const table of filled) {
      const { rows } = await sql`SELECT FROM ${sql.table(table)} LIMIT 1`.execute(kept.owner)
      expect(rows, table).toHaveLength(1)
    }
  })
})
