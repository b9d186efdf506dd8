import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { launchProduct } from '../../../scripts/launch.ts'
import { findChromium } from '../../../scripts/test/tools/chromium.ts'
import { databaseUrl } from '../../support/database/template-database.ts'

/**
 * Launches the product with the launcher of `npm start`, on free ports and with data of its own, and tells the tests
 * where it is: E2E_APP_URL, E2E_STRIPE_URL, E2E_CLERK_URL, E2E_DATABASE_URL. Whoever sets E2E_APP_URL has launched one
 * already. What the processes log is in `test-results/product.log`.
 */
export default async function setUpBrowserTests(): Promise<() => Promise<void>> {
  await nameChromium()
  if (process.env.E2E_APP_URL) return async () => undefined
  const running = new AsyncDisposableStack()
  try {
    const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-browser-'))
    await chmod(dataDir, 0o711)
    running.defer(() => rm(dataDir, { recursive: true, force: true }))
    await mkdir('test-results', { recursive: true })
    const log = createWriteStream('test-results/product.log')
    running.defer(() => void log.end())
    const product = await launchProduct({
      env: await productEnvironment(running),
      dataDir,
      onLine: (source, line) => log.write(`${source} ${line}\n`),
      say: (message) => log.write(`${message}\n`),
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

/** Nothing of a person's own `.env` reaches the tests. */
async function productEnvironment(running: AsyncDisposableStack): Promise<NodeJS.ProcessEnv> {
  const { PATH, HOME, TEST_DATABASE_URL } = process.env
  const env = { PATH, HOME, PORT: '0', SANDBOX_STRIPE_PORT: '0', SANDBOX_CLERK_PORT: '0' }
  if (!TEST_DATABASE_URL) return env
  const name = `browser_${randomBytes(6).toString('hex')}`
  await runOnServer(TEST_DATABASE_URL, `CREATE DATABASE ${name}`)
  running.defer(() => runOnServer(TEST_DATABASE_URL, `DROP DATABASE ${name} WITH (FORCE)`))
  return { ...env, DATABASE_URL: databaseUrl(TEST_DATABASE_URL, name) }
}

async function runOnServer(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
