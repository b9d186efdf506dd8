import { defineConfig, devices } from '@playwright/test'
import { browserArguments } from './scripts/test/tools/browser-arguments.ts'
import { isLong } from './tests/support/long.ts'

const longest = '**/screens.spec.ts'
const summaryFile = process.env.TEST_SUMMARY_FILE

/** Of two kinds of browser `npm test` has a test in one, and the long run in both. */
const desktop = { grepInvert: isLong ? /@alone|@german/ : /@alone|@german|@long|@phone-first/ }
const phones = { grep: isLong ? /@phone/ : /@phone-first/ }
const notLong = { grepInvert: isLong ? [] : /@long/ }

/**
 * The whole product runs as a user would have it, launched by the global setup once for each worker; the
 * browser is the one it found. The limits are for a machine that is busy or slow; no test needs them otherwise.
 */
export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  globalSetup: './tests/e2e/support/global-setup.ts',
  globalTimeout: (isLong ? 180 : 60) * 60_000,
  timeout: 240_000,
  expect: { timeout: 30_000 },
  fullyParallel: true,
  // Tests wait for pages and for the worker a third of the time, so there is one more than cores.
  workers: 3,
  retries: process.env.CI ? 1 : 0,
  forbidOnly: Boolean(process.env.CI),
  reporter: summaryFile ? [['list'], ['json', { outputFile: summaryFile }]] : [['list']],
  use: {
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(process.env.TEST_CHROMIUM_PATH ? { executablePath: process.env.TEST_CHROMIUM_PATH } : {}),
      args: browserArguments(),
    },
  },
  // No project depends on another: of a dependency every test runs, also when one file was asked for.
  projects: [
    // The longest file, whose tests share their users, begins first.
    { name: 'screens', testMatch: longest, fullyParallel: false, use: devices['Desktop Chrome'], ...desktop },
    { name: 'desktop', testIgnore: longest, use: devices['Desktop Chrome'], ...desktop },
    { name: 'phone', use: devices['Pixel 7'], ...phones, ...notLong },
    { name: 'german', grep: /@german/, use: { ...devices['Desktop Chrome'], locale: 'de-DE' }, ...notLong },
    { name: 'alone', grep: /@alone/, use: devices['Desktop Chrome'], ...notLong },
  ],
})
