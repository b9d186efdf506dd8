import { describe, expect, test } from 'vitest'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { isLong } from '../support/long.ts'
import { madeOnce } from '../support/made.ts'
import { tried } from '../support/tried.ts'
import { startFaultyProduct } from './faulty-product.ts'
import { enabledKinds } from './owner-history.ts'
import { playOwner } from './play-owner.ts'
import { regressions } from './regressions.ts'
import { daysUntilStart } from './seed.ts'

const kinds = enabledKinds()

// These check the books, not queues: one backend is enough. A separate file, so that two workers share them.
describe('on Postgres', () => {
  const product = madeOnce(
    async () => {
      const started = await startFaultyProduct({ redisUrl: undefined })
      await started.advanceDays(daysUntilStart('12-28'))
      return started
    },
    async (made) => {
      const { problems } = await verifyLedger(made.database.owner)
      await made.close()
      expect(problems).toEqual([])
    },
  )

  const named = regressions
    .filter(({ isUsual, needs }) => (isLong || isUsual) && needs.every((kind) => kinds.has(kind)))
    .map(({ title, history }) => [title, history] as const)
  test.each(named)('a history that was once wrong ends right: %s', async (_, history) => {
    tried({ histories: 1 })
    const owner = await playOwner(product, history)
    expect(owner.refusals, 'what was to happen').toEqual([])
  })
})
