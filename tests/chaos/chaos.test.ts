import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { findRedis } from '../../scripts/test/tools/redis.ts'
import { seed } from '../simulation/seed.ts'
import { tried } from '../support/tried.ts'
import { describeReport, howToRepeat } from './report.ts'
import { runChaos } from './run.ts'

/**
 * A rare failure may be the product's, but with a dozen processes on a busy machine also the run's. CI tries
 * once more, and the summary of `npm test` lists tests that passed only then.
 */
const retry = process.env.CI ? 1 : 0

/** Short locks and claims, so that lost work is found soon. */
const env = { JOB_LOCK_MS: '1000', JOB_STALLED_MS: '300', CLAIM_EVERY_MS: '300', CLAIM_AFTER_MS: '500' }

/** `npm run chaos` for a quarter of a minute; there are its figures and how it is run for longer. */
describe.concurrent.each(['postgres', 'redis'] as const)('on %s', (backend) => {
  let redis: Awaited<ReturnType<typeof findRedis>>
  beforeAll(async () => {
    redis = await findRedis({ install: false, say: () => undefined })
  })

  test('whatever is killed while customers are at it, nothing is lost and nothing is doubled', {
    retry,
  }, async ({ skip }) => {
    if (backend === 'redis' && !redis.found) skip(`no Redis: ${redis.reason}`)
    const report = await runChaos({
      seed,
      events: 100,
      kills: 5,
      longest_ms: 15_000,
      crowd: 10,
      storm: {
        kill_every_ms: [300, 1500],
        databases_every_ms: [4000, 10_000],
        clock_every_ms: [3000, 6000],
      },
      isInHurry: true,
      env,
      redisProgram: backend === 'redis' && redis.found ? redis.value : undefined,
      logFile: join(import.meta.dirname, `../../reports/chaos/test-${backend}.log`),
      say: () => undefined,
    })
    console.log(describeReport(report))
    const { kills, sent, customers, payments, faults } = report
    tried({ kills, events: sent['copies sent'] ?? 0, owners: customers, purchases: payments })
    expect(report.problems, `Again, for longer: ${howToRepeat(report)}`).toEqual([])
    expect(report.kills).toBeGreaterThan(0)
    expect(faults['Postgres killed']).toBeGreaterThan(0)
    if (backend === 'redis') expect(faults['Redis killed, and empty afterwards']).toBeGreaterThan(0)
    expect(report.sent['copies sent']).toBeGreaterThan(0)
  })
})
