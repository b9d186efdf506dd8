import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { launchThrowaway } from '../../../scripts/launch/throwaway.ts'
import { findChromium } from '../../../scripts/test/tools/chromium.ts'
import { databaseUrl } from '../../support/database/template-database.ts'

/**
 * Launches the product and tells the tests where it is: E2E_APP_URL, E2E_STRIPE_URL, E2E_CLERK_URL, E2E_DATABASE_URL. Whoever sets
 * E2E_APP_URL has launched one already. What the processes log is in `test-results/product.log`.
 */
export default async function setUpBrowserTests(): Promise<() => Promise<void>> {
  await nameChromium()
  if (process.env.E2E_APP_URL) return async () => undefined
  const running = new AsyncDisposableStack()
  try {
    const product = await launchThrowaway({
      logFile: 'test-results/product.log',
      databaseUrl: await ownDatabase(running),
    })
    running.defer(() => product.stop())
    process.env.E2E_APP_URL = product.url
    process.env.E2E_STRIPE_URL = product.stripeSandboxUrl
    process.env.E2E_CLERK_URL = product.clerkSandboxUrl
    process.env.E2E_DATABASE_URL = product.databaseUrl
    return () => running.disposeAsync()
  } catch (error) {
    await running.disposeAsync()
    throw error
  }
}

/** `npx playwright test` alone finds the browser as `npm test` does, but installs none. */
async function nameChromium(): Promise<void> {
  if (process.env.TEST_CHROMIUM_PATH) return
  const chromium = await findChromium({ install: false, say: console.log })
  if (!chromium.found) throw new Error(`${chromium.reason}; \`npm test -- e2e\` installs one.`)
  process.env.TEST_CHROMIUM_PATH = chromium.value
}

/** `npm test` has a Postgres already. */
async function ownDatabase(running: AsyncDisposableStack): Promise<string | undefined> {
  const { TEST_DATABASE_URL } = process.env
  if (!TEST_DATABASE_URL) return undefined
  const name = `browser_${randomBytes(6).toString('hex')}`
  await runOnServer(TEST_DATABASE_URL, `CREATE DATABASE ${name}`)
  running.defer(() => runOnServer(TEST_DATABASE_URL, `DROP DATABASE ${name} WITH (FORCE)`))
  return databaseUrl(TEST_DATABASE_URL, name)
}

async function runOnServer(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
