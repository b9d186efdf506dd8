import * as fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { isLong } from '../support/long.ts'
import { madeOnce } from '../support/made.ts'
import { ownRedisUrl } from '../support/own-redis.ts'
import { tried } from '../support/tried.ts'
import { startFaultyProduct } from './faulty-product.ts'
import { history } from './history.ts'
import { enabledKinds, ownerHistory } from './owner-history.ts'
import { play } from './play.ts'
import { playOwner, playTogether } from './play-owner.ts'
import { daysUntilStart, numRuns, seed } from './seed.ts'
import { putAside, settlePurchases } from './settle-purchases.ts'

const buyers = numRuns({ short: 15, long: 100 })
const owners = numRuns({ short: 5, long: 25 })
const kinds = enabledKinds()

/** The first months go over the turn of the year and over the end of February. */
const backends = [
  { name: 'Postgres', redisUrl: undefined, missing: undefined, starts: '12-28' },
  ...(isLong
    ? [{ name: 'Redis', redisUrl: ownRedisUrl(), missing: inject('redisReason'), starts: '02-27' }]
    : []),
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
      fc.asyncProperty(ownerHistory(kinds), async (planned) => {
        tried({ owners: 1 })
        await playOwner(product, planned)
      }),
      { numRuns: owners, seed, endOnFailure: !process.env.SIMULATION_SHRINK },
    )
    await fc.assert(
      fc.asyncProperty(fc.tuple(ownerHistory(kinds), ownerHistory(kinds)), async (both) => {
        tried({ owners: both.length })
        await playTogether(product, both)
      }),
      { numRuns: Math.ceil(owners / 8), seed, endOnFailure: !process.env.SIMULATION_SHRINK },
    )
    const report = await verifyLedger(product.database.owner)
    console.log(`${name}: ${owners} owners, seed ${seed}`, report.counts, product.mishaps)
    expect(report.problems).toEqual([])
    expect(report.counts.transfers, 'grants and their like').toBeGreaterThan(owners)
    if (kinds.has('crash_worker') && owners >= 20)
      expect(product.mishaps.worker_crashes, 'crashes of the worker').toBeGreaterThan(owners / 20)
  })

  // The last one, because only our clock waits in it.
  test('whatever happens on the way, the ledger ends with what was paid', async ({ skip }) => {
    if (missing) skip(`no Redis: ${missing}`)
    const since = product.clock.now()
    const before = await verifyLedger(product.database.owner)
    const crashesBefore = product.mishaps.worker_crashes
    await fc.assert(
      fc.asyncProperty(history, async (planned) => {
        tried({ histories: 1, purchases: planned.purchases.length })
        const person = await play(product, planned)
        await product.repair()
        await settlePurchases(product, { userId: person.user_id, since })
        await putAside(product, person.user_id)
      }),
      { numRuns: buyers, seed, endOnFailure: true },
    )
    const report = await verifyLedger(product.database.owner)
    console.log(`${name}: ${buyers} buyers, seed ${seed}`, report.counts, product.mishaps)
    expect(report.problems).toEqual([])
    const settled = report.counts.settled_intents - before.counts.settled_intents
    expect(settled, 'purchases that were paid').toBeGreaterThan(buyers / 4)
    const crashes = product.mishaps.worker_crashes - crashesBefore
    expect(crashes, 'crashes of the worker').toBeGreaterThan(buyers / 20)
  })
})
