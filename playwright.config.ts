import { defineConfig, devices } from '@playwright/test'

const summaryFile = process.env.TEST_SUMMARY_FILE
const root = process.getuid?.() === 0

/** The whole product runs as a user would have it, launched by the global setup; the browser is the one it found. */
export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  globalSetup: './tests/e2e/support/global-setup.ts',
  globalTimeout: 40 * 60_000,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  workers: 1,
  retries: process.env.CI ? 1 : 0,
  forbidOnly: Boolean(process.env.CI),
  reporter: summaryFile ? [['list'], ['json', { outputFile: summaryFile }]] : [['list']],
  use: {
    ...devices['Desktop Chrome'],
    ...(process.env.E2E_APP_URL ? { baseURL: process.env.E2E_APP_URL } : {}),
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(process.env.TEST_CHROMIUM_PATH ? { executablePath: process.env.TEST_CHROMIUM_PATH } : {}),
      args: [
        ...(root ? ['--no-sandbox'] : []),
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})
