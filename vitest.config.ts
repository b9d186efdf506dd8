import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { SummaryReporter } from './scripts/test/summary-reporter.ts'
import { isLong } from './tests/support/long.ts'

/** Files that only `npm run test:long` runs, beside the project `long`. */
const longFiles = isLong ? [] : ['**/*.long.test.ts']

/**
 * On a busy CI machine one test in thousands loses a race of its own now and then. It is run once more, and
 * the summary of `npm test` names it, so that it is repaired. Not the simulation: what it finds only now and
 * then may be a fault of the product. The limits are for a machine that does eight things at once.
 */
const limits = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  retry: process.env.CI ? 1 : 0,
  // The files that a worker runs share what they import: reading server, worker and SDKs anew for each of 250
  // was an eighth of the time.
  isolate: false,
  setupFiles: 'tests/support/isolation/leave-nothing-behind.ts',
}
/** For what plays for minutes. */
const patience = { testTimeout: 40 * 60_000, hookTimeout: 300_000 }
const globalSetup = 'tests/support/database/global-setup.ts'
/** Rooms that need no database; everything else gets one. */
const withoutDatabase = [
  '{sandbox,web}/**/*.test.{ts,tsx}',
  'scripts/!(database-types|operator-key|support){,/**/*}.test.ts',
  'schema/{api,catalogue,vendors/stripe}/**/*.test.ts',
  'schema/*.test.ts',
  'tests/{support,live-check,screens}/**/*.test.ts',
]
const summaryFile = process.env.TEST_SUMMARY_FILE

/**
 * `unit` and `database` stand beside the files they test and are one for the developer who runs them (`npm run
 * test:unit`); they are two so that a test of a button does not wait for a Postgres.
 */
export default defineConfig({
  test: {
    // Tests wait for Postgres and for processes a third of the time, so there is one more worker than cores.
    maxWorkers: availableParallelism() + 1,
    reporters: summaryFile ? ['default', new SummaryReporter(summaryFile)] : ['default'],
    projects: [
      { test: { ...limits, name: 'unit', include: withoutDatabase, exclude: longFiles } },
      {
        test: {
          ...limits,
          name: 'database',
          include: ['{schema,server,worker,scripts}/**/*.test.ts'],
          exclude: [...withoutDatabase, ...longFiles],
          globalSetup,
        },
      },
      // It replaces a module that the others share.
      {
        test: {
          ...limits,
          name: 'catalogue',
          isolate: true,
          include: ['tests/*.test.ts'],
          globalSetup,
        },
      },
      {
        test: {
          ...patience,
          name: 'simulation',
          include: ['tests/simulation/**/*.test.ts'],
          exclude: longFiles,
          globalSetup,
        },
      },
      {
        test: {
          ...patience,
          name: 'long',
          include: ['tests/{chaos,growth,operator,restore}/**/*.test.ts'],
          globalSetup,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
