import { randomBytes } from 'node:crypto'
import type { FullConfig } from '@playwright/test'
import pg from 'pg'
import { ensureWebBuilt } from '../../../scripts/build-web.ts'
import { launchThrowaway } from '../../../scripts/launch/throwaway.ts'
import { findChromium } from '../../../scripts/test/tools/chromium.ts'
import { databaseUrl } from '../../support/database/template-database.ts'

/** Where a worker of the tests finds the product that it has for itself. */
export interface ProductAddresses {
  readonly E2E_APP_URL: string
  readonly E2E_STRIPE_URL: string
  readonly E2E_CLERK_URL: string
  readonly E2E_DATABASE_URL: string
}

/** Launches a product per worker, listed in E2E_PRODUCTS for test.ts; logs: `test-results/product-*.log`. */
export default async function setUpBrowserTests({ workers }: FullConfig): Promise<() => Promise<void>> {
  await nameChromium()
  const running = new AsyncDisposableStack()
  try {
    await ensureWebBuilt({ say: console.log })
    const launches = await Promise.allSettled(
      Array.from({ length: workers }, (_, number) => launchFor(number, running)),
    )
    const products = launches.map((launch) => {
      if (launch.status === 'rejected') throw launch.reason
      return launch.value
    })
    process.env.E2E_PRODUCTS = JSON.stringify(products)
    return () => running.disposeAsync()
  } catch (error) {
    await running.disposeAsync()
    throw error
  }
}

async function launchFor(number: number, running: AsyncDisposableStack): Promise<ProductAddresses> {
  const product = await launchThrowaway({
    logFile: `test-results/product-${number}.log`,
    databaseUrl: await ownDatabase(running),
  })
  running.defer(() => product.stop())
  return {
    E2E_APP_URL: product.url,
    E2E_STRIPE_URL: product.stripeSandboxUrl,
    E2E_CLERK_URL: product.clerkSandboxUrl,
    E2E_DATABASE_URL: product.databaseUrl,
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
