import * as playwright from '@playwright/test'
import pg from 'pg'
import { calmProduct } from './product.ts'

/** Tests of this kind turn a knob that all others would notice: faults, deliveries, the clock. */
export const alone = { tag: '@alone' }
/** Tests of this kind also run in the browser of a phone. */
export const alsoOnPhones = { tag: '@phone' }
/** Tests of this kind run in a German browser only. */
export const german = { tag: '@german' }

/** Tests run beside each other in one product, each with people of its own; a test that is `alone` waits for the others. */
export const test = playwright.test.extend<{ turn: undefined }>({
  turn: [
    async ({ browserName: _browser }, use, { tags }) => {
      const isAlone = tags.includes(alone.tag)
      const release = await takeTurn(isAlone)
      try {
        await use(undefined)
        if (isAlone) await calmProduct()
      } finally {
        await release()
      }
    },
    { auto: true, timeout: 5 * 60_000 },
  ],
})

export const expect = playwright.expect

const lock = 20_261_122

/** A lock in the product's database, which a test process that dies gives back. */
async function takeTurn(isAlone: boolean): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: process.env.E2E_DATABASE_URL })
  await client.connect()
  await client.query(`SELECT ${isAlone ? 'pg_advisory_lock' : 'pg_advisory_lock_shared'}($1)`, [lock])
  return () => client.end()
}
