import * as fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { madeOnce } from '../support/made.ts'
import { ownRedisUrl } from '../support/own-redis.ts'
import { tried } from '../support/tried.ts'
import { startFaultyProduct } from './faulty-product.ts'
import { enabledKinds, ownerHistory } from './owner-history.ts'
import { playOwner, playTogether } from './play-owner.ts'
import { daysUntilStart, numRuns, seed } from './seed.ts'

const histories = numRuns({ short: 5, long: 25 })
const kinds = enabledKinds()

/** The first months go over the turn of the year and over the end of February. */
const backends = [
  { name: 'Postgres', redisUrl: undefined, missing: undefined, starts: '12-28' },
  { name: 'Redis', redisUrl: ownRedisUrl(), missing: inject('redisReason'), starts: '02-27' },
]

describe.each(backends)(`on $name, with seed ${seed}`, ({ name, redisUrl, missing, starts }) => {
  const product = madeOnce(
    async () => {
      if (missing) return
      const started = await startFaultyProduct({ redisUrl })
      await started.advanceDays(daysUntilStart(starts))
      return started
    },
    (made) => made.close(),
  )

  test('whatever an owner lives through, alone or beside another one, the product says what the model says after every turn', async ({
    skip,
  }) => {
    if (missing) skip(`no Redis: ${missing}`)
    await fc.assert(
      fc.asyncProperty(ownerHistory(kinds), async (history) => {
        tried({ owners: 1 })
        await playOwner(product, history)
      }),
      { numRuns: histories, seed, endOnFailure: !process.env.SIMULATION_SHRINK },
    )
    await fc.assert(
      fc.asyncProperty(fc.tuple(ownerHistory(kinds), ownerHistory(kinds)), async (both) => {
        tried({ owners: both.length })
        await playTogether(product, both)
      }),
      { numRuns: Math.ceil(histories / 8), seed, endOnFailure: !process.env.SIMULATION_SHRINK },
    )
    const report = await verifyLedger(product.database.owner)
    console.log(`${name}: ${histories} owners, seed ${seed}`, report.counts, product.mishaps)
    expect(report.problems).toEqual([])
    expect(report.counts.transfers, 'grants and their like').toBeGreaterThan(histories)
    if (kinds.has('crash_worker') && histories >= 20)
      expect(product.mishaps.worker_crashes, 'crashes of the worker').toBeGreaterThan(histories / 20)
  })
})
