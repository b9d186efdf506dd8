import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { creditsCostMinor } from '../../schema/catalogue/credits.ts'
import { migrateToLatest } from '../../schema/database/migrate.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { type Caller, callerOf, openBrowser, signIn, signUp } from '../../scripts/demo/caller.ts'
import { migrateDatabase, repositoryRoot } from '../../scripts/launch/script.ts'
import { connectTestDatabase } from '../support/database/test-database.ts'
import { tried } from '../support/tried.ts'
import { waitUntil } from '../support/wait-until.ts'
import { dropKept, keptReleases, restoreKept } from '../upgrade/kept.ts'
import { type OldProduct, startOldProduct } from '../upgrade/old-product.ts'

/** As an editor and a browser at once. */
interface Customer extends Caller {
  readonly editor: <T>(path: string, data?: object) => Promise<T>
}

/** Fresh people, whom the stand-ins know; and Dana, whose credits and organization the dump has. */
async function enterCustomers({ url }: OldProduct): Promise<Customer[]> {
  const customers: Customer[] = []
  for (const name of ['ada', 'ben', 'cy', 'dana']) {
    const ask = openBrowser(url)
    const person = { email: `${name}@load.test`, password: 'load-and-upgrade-1' }
    if (name === 'dana') await signIn(ask, { email: 'demo@tidemark.test', password: 'tidemark-demo-1' })
    else await signUp(ask, person)
    const caller = await callerOf(ask, url)
    if (name !== 'dana') {
      const emailAddresses = [{ emailAddress: person.email }]
      const clerkUser = { id: caller.userId, emailAddresses }
      await caller.call('/api/user/initialize', { clerkUser, planType: 'starter' })
    }
    const token = await caller.call<{ access_token: string }>('/api/extension-token/generate', {})
    const headers = { authorization: `Bearer ${token.access_token}` }
    const editor = <T>(path: string, data?: object) =>
      ask<T>(`/api/extension/${path}`, { headers, ...(data && { data }) })
    customers.push({ ...caller, editor })
  }
  return customers
}

/** What customers do all the while; each failure is kept. A pause keeps an editor below its limit of calls. */
function startLoad(product: OldProduct, customers: readonly Customer[]) {
  const failures: string[] = []
  const counts = { usage: 0, balances: 0, holds: 0, purchases: 0, landed: 0 }
  let isOver = false

  async function buy({ call, userId }: Customer): Promise<void> {
    const order = { clerkUserId: userId, credits: 500, amount: creditsCostMinor(500) / 100, currency: 'EUR' }
    const { sessionId } = await call<{ sessionId: string }>('/api/billing/credit-purchase', order)
    counts.purchases += 1
    const paid = await fetch(`${product.stripeSandboxUrl}/_sandbox/sessions/${sessionId}/pay`, {
      method: 'POST',
    })
    if (!paid.ok) throw new Error(`The payment of ${sessionId}: ${await paid.text()}`)
    await waitUntil(async () => {
      const path = `/api/stripe/session-status?session_id=${sessionId}`
      const { data } = await call<{ data: { fulfilment: { state: string } } }>(path)
      return data.fulfilment.state === 'applied'
    }, `the credits of ${sessionId}`)
    counts.landed += 1
  }
  async function use({ editor }: Customer): Promise<void> {
    const asked = () => ({ credits: 2, payer: 'personal', idempotency_key: randomUUID() })
    await editor('usage', asked())
    counts.usage += 1
    await editor('balance?payer=personal')
    counts.balances += 1
    const { hold } = await editor<{ hold: { id: string } }>('holds', asked())
    await editor(`holds/${hold.id}/settle`, { credits: 1 })
    counts.holds += 1
  }
  async function live(customer: Customer, isBuyer: boolean): Promise<void> {
    for (let round = 0; !isOver; round++) {
      const buys = isBuyer && round % 10 === 0
      await (buys ? buy(customer) : use(customer)).catch((error: Error) => failures.push(error.message))
      await delay(300)
    }
  }
  // Stripe's stand-in does not know Dana's customer, who paid before.
  const lives = customers.map((customer, index) => live(customer, index < customers.length - 1))
  return {
    /** Until each of these has been done five times more, or a call failed. */
    async goOn(): Promise<void> {
      const before = { ...counts }
      const isEnough = () =>
        Object.entries(before).every(([what, count]) => counts[what as keyof typeof counts] >= count + 5)
      await waitUntil(
        () => failures.length > 0 || isEnough(),
        () => JSON.stringify(counts),
        5 * 60_000,
      )
    },
    async stop() {
      isOver = true
      await Promise.all(lives)
      return { failures, counts }
    },
  }
}

/** A release after this one, which adds to the tables that calls write most. */
async function migrateToNextRelease(connectionString: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-next-'))
  try {
    for (const name of ['migrations', 'functions'])
      await cp(join(repositoryRoot, 'schema/database', name), join(folder, name), { recursive: true })
    const added = ['users', 'checkout_intents', 'extension_tokens', 'ledger_owners', 'ledger_transfers']
    await writeFile(
      join(folder, 'migrations/9999_next.sql'),
      added.map((table) => `ALTER TABLE ${table} ADD COLUMN added text;`).join('\n'),
    )
    expect(await migrateToLatest({ connectionString, folder })).toEqual(['9999_next'])
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('the database of the release before is upgraded to this version and to a next one while its server and worker go on, and no call fails', async () => {
  const release = keptReleases.at(-1)
  if (!release) throw new Error('No database is kept.')
  await using running = new AsyncDisposableStack()
  const databaseUrl = await restoreKept(release, inject('adminUrl'))
  running.defer(() => dropKept(databaseUrl, inject('adminUrl')))
  const old = await startOldProduct({ ...release, databaseUrl }, running)
  console.log(`The old product of ${release.version} is the code of ${old.code}.`)
  const load = startLoad(old, await enterCustomers(old))
  await load.goOn()
  await migrateDatabase({ PATH: process.env.PATH, DATABASE_URL: databaseUrl })
  await load.goOn()
  await migrateToNextRelease(databaseUrl)
  await load.goOn()
  const { failures, counts } = await load.stop()
  tried({ calls_during_upgrades: counts.usage + counts.balances + 2 * counts.holds + 2 * counts.purchases })
  expect(failures.slice(0, 10)).toEqual([])
  expect(counts.landed).toBe(counts.purchases)
  const database = connectTestDatabase(databaseUrl)
  running.defer(() => database.close())
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})
