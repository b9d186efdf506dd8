import { expect, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { retryTransaction } from './retry-transaction.ts'

const database = testDatabase()

const rename = (userId: string, first_name: string) =>
  database.owner.updateTable('users').set({ first_name }).where('clerk_id', '=', userId)

test('two transactions that block each other both end well', async () => {
  const [one, other] = [await buildUser(database.owner), await buildUser(database.owner)]
  const begun: Promise<void>[] = []
  let tries = 0
  const transaction = ([first, second]: readonly [string, string]) => {
    let hasFirst = () => {}
    begun.push(new Promise((resolve) => (hasFirst = resolve)))
    return () =>
      retryTransaction(database.owner, async (trx) => {
        tries += 1
        await trx.executeQuery(rename(first, 'Ada'))
        hasFirst()
        await Promise.all(begun)
        await trx.executeQuery(rename(second, 'Ada'))
        return first
      })
  }
  const both = [transaction([one, other]), transaction([other, one])]
  expect(await Promise.all(both.map((run) => run()))).toEqual([one, other])
  expect(tries).toBe(3)
})

test('what Postgres says for ever is thrown in the end', async () => {
  let tries = 0
  const failing = retryTransaction(database.owner, async () => {
    tries += 1
    throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
  })
  await expect(failing).rejects.toThrow('deadlock detected')
  expect(tries).toBe(6)
})

test('anything else is thrown at once', async () => {
  let tries = 0
  const failing = retryTransaction(database.owner, async () => {
    tries += 1
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(tries).toBe(1)
})
