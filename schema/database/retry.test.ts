import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { retryConflicts } from './retry.ts'

const database = testDatabase()
beforeAll(async () => {
  await sql`CREATE TABLE counters (name text PRIMARY KEY, n integer NOT NULL)`.execute(database.owner)
  await sql`INSERT INTO counters VALUES ('a', 0), ('b', 0)`.execute(database.owner)
})

test('two transactions that wait for each other are both done in the end', async () => {
  const bothHoldOne = Promise.withResolvers<void>()
  let holding = 0
  let attempts = 0
  const incrementBoth = (first: string, second: string) =>
    retryConflicts(() =>
      database.owner.transaction().execute(async (trx) => {
        attempts++
        await sql`UPDATE counters SET n = n + 1 WHERE name = ${first}`.execute(trx)
        if (++holding === 2) bothHoldOne.resolve()
        await bothHoldOne.promise
        await sql`UPDATE counters SET n = n + 1 WHERE name = ${second}`.execute(trx)
      }),
    )
  await Promise.all([incrementBoth('a', 'b'), incrementBoth('b', 'a')])
  // The one that was ended may be there again before the other has woken up: then both wait for each other once more.
  expect(attempts).toBeGreaterThanOrEqual(3)
  const { rows } = await sql`SELECT name, n FROM counters ORDER BY name`.execute(database.owner)
  expect(rows).toEqual([
    { name: 'a', n: 2 },
    { name: 'b', n: 2 },
  ])
})

test('another failure is not tried again', async () => {
  let attempts = 0
  const failing = retryConflicts(() => {
    attempts++
    return sql`SELECT 1 / 0`.execute(database.owner)
  })
  await expect(failing).rejects.toThrow(/division by zero/)
  expect(attempts).toBe(1)
})

test('a conflict that does not end is an error after five attempts', async () => {
  let attempts = 0
  const failing = retryConflicts(async () => {
    attempts++
    throw Object.assign(new Error('could not serialize access'), { code: '40001' })
  })
  await expect(failing).rejects.toThrow(/serialize/)
  expect(attempts).toBe(5)
})
