import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { preparedText } from './prepared.ts'

const database = testDatabase()
const measure = preparedText<{ length: number }>('measure', 'SELECT length($1::text)')

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void
/** Of the whole heap, without what a small collection finds. */
function heldBytes(): number {
  collect({ type: 'minor' })
  collect({ type: 'minor' })
  return process.memoryUsage().heapUsed
}

test('small collections remove what statements leave behind', { timeout: 5 * 60_000 }, async () => {
  const statements = 1500
  const length = 4000
  const run = async () => {
    for (let number = 0; number < statements; number++) {
      const [row] = await measure(database.server, [String(number).padStart(length, ' ')])
      expect(row?.length).toBe(length)
      if (number % 100 === 0) collect({ type: 'minor' })
    }
  }
  await run()
  collect()
  const before = heldBytes()
  await run()
  expect(heldBytes() - before).toBeLessThan((statements * length) / 3)
})

test('a statement that fails says where it was called', async () => {
  const [failure] = await Promise.allSettled([measure(database.server, ['\0'])])
  expect(failure).toMatchObject({ status: 'rejected', reason: { code: '22021' } })
  if (failure.status === 'rejected') expect(failure.reason.stack).toContain('prepared.test.ts')
})
