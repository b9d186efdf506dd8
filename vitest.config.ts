import { defineConfig } from 'vitest/config'
import { SummaryReporter } from './scripts/test/summary-reporter.ts'

const timeouts = { testTimeout: 30_000, hookTimeout: 60_000 }
/** Rooms that need no database; everything else gets one. */
const withoutDatabase = [
  '{sandbox,web}/**/*.test.{ts,tsx}',
  'scripts/!(database-files){,/**/*}.test.ts',
  'schema/{api,catalogue,stripe}/**/*.test.ts',
  'schema/*.test.ts',
  'tests/{support,live-check}/**/*.test.ts',
]
const summaryFile = process.env.TEST_SUMMARY_FILE

/**
 * `unit` and `database` stand beside the files they test and are one to whoever runs them (`npm run test:unit`); they are
 * two so that a test of a button does not wait for a Postgres.
 */
export default defineConfig({
  test: {
    reporters: summaryFile ? ['default', new SummaryReporter(summaryFile)] : ['default'],
    projects: [
      { test: { ...timeouts, name: 'unit', include: withoutDatabase } },
      {
        test: {
          ...timeouts,
          name: 'database',
          include: ['{schema,server,worker,scripts,tests/growth}/**/*.test.ts'],
          exclude: withoutDatabase,
          globalSetup: 'tests/support/database/global-setup.ts',
        },
      },
      {
        test: {
          name: 'simulation',
          include: ['tests/simulation/**/*.test.ts'],
          globalSetup: 'tests/support/database/global-setup.ts',
          fileParallelism: false,
          testTimeout: 20 * 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
