import { pino } from 'pino'
import { openClerk } from '../../schema/clerk/client.ts'
import { createClerkDirectory } from '../../schema/clerk/directory.ts'
import { createStripe } from '../../schema/stripe/client.ts'
import type { WorkerDependencies } from '../../worker/dependencies.ts'
import { createWorkerMetrics } from '../../worker/metrics.ts'
import type { TestDatabase } from './database.ts'

/** What a job is given in a test that calls it directly. Without `stripe`, a call to Stripe fails the test. */
export function createTestDependencies(
  database: TestDatabase,
  overrides: Partial<WorkerDependencies> = {},
): WorkerDependencies {
  return {
    db: database.worker,
    stripe: createStripe({ secretKey: 'sk_test_none', apiBase: 'http://127.0.0.1:1' }),
    organizations: {
      makeOrganization: () => {
        throw new Error('This test makes no organization')
      },
    },
    clerk: createClerkDirectory(openClerk({ secretKey: 'sk_test_none', apiUrl: 'http://127.0.0.1:1/bapi' })),
    producer: {
      add: () => {
        throw new Error('This test enqueues nothing')
      },
      countWaiting: async () => 0,
    },
    log: pino({ level: 'silent' }),
    metrics: createWorkerMetrics(),
    now: () => new Date(),
    sweepAfterMs: 1000,
    ...overrides,
  }
}
