import { defineConfig, devices } from '@playwright/test'
import { browserArguments } from './scripts/test/tools/browser-arguments.ts'

const longest = '**/screens.spec.ts'
const isLong = process.env.TEST_LONG === '1'
const summaryFile = process.env.TEST_SUMMARY_FILE

/**
 * The whole product runs as a user would have it, launched by the global setup once for each worker; the
 * browser is the one it found.
 */
export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  globalSetup: './tests/e2e/support/global-setup.ts',
  globalTimeout: 40 * 60_000,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  // Tests wait for pages and for the worker a third of the time, so there is one more than cores.
  workers: 3,
  retries: process.env.CI ? 1 : 0,
  grepInvert: isLong ? [] : /@long/,
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
    { name: 'screens', testMatch: longest, use: devices['Desktop Chrome'] },
    {
      name: 'desktop',
      testIgnore: longest,
      grepInvert: /@alone|@german/,
      use: devices['Desktop Chrome'],
    },
    { name: 'phone', grep: /@phone/, use: devices['Pixel 7'] },
    { name: 'german', grep: /@german/, use: { ...devices['Desktop Chrome'], locale: 'de-DE' } },
    { name: 'alone', grep: /@alone/, fullyParallel: true, use: devices['Desktop Chrome'] },
  ],
})
