import { beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import {
  buildMonthGrant,
  buildPurchaseGrant,
  buildTransfer,
  use,
  user,
} from '../../tests/support/factories/grants.ts'
import { buildGrant } from '../../tests/support/factories/transfers.ts'
import { fillLedger } from '../../tests/support/growth/fill-ledger.ts'
import { pagesTouched } from '../../tests/support/growth/pages-touched.ts'
import type { DatabaseRole, DatabaseTransaction } from '../database/connect.ts'
import { findBalance } from './balances.ts'
import { closeMonth, lockOwner, readBooks, readGrant } from './books.ts'
import { type HistoryCursor, listHistory } from './history.ts'
import { postTransfer, postTransfers } from './post.ts'
import { findMonthStart, sumUsageSince } from './usage.ts'
import { verifyLedger } from './verify.ts'

/** What others have: `LEDGER_GROWTH_OWNERS=100000 npx vitest run schema/ledger/growth` is a million transfers. */
const owners = Number(process.env.LEDGER_GROWTH_OWNERS ?? 5000)
const transfersEach = 10
const few = Math.ceil(owners / 100)

const september = new Date('2026-09-01T00:00:00Z')
const ada = user('user_ada')
const month = buildMonthGrant(ada, september)
const bought = buildPurchaseGrant(ada)
const historyLength = 400
const pageSize = 20

const database = testDatabase()
/** Where the last page of the history begins. */
const deep: { cursor: HistoryCursor | undefined } = { cursor: undefined }
const before: Record<string, number> = {}
const after: Record<string, number> = {}

/** Each as its caller does it. */
const operations: Readonly<Record<string, [DatabaseRole, (trx: DatabaseTransaction) => Promise<unknown>]>> = {
  'the balance': ['tidemark_server', (trx) => findBalance(trx, ada)],
  'the first page of the history': ['tidemark_server', (trx) => listHistory(trx, ada, { limit: pageSize })],
  'a deep page of the history': [
    'tidemark_server',
    (trx) => listHistory(trx, ada, { limit: pageSize, before: deep.cursor }),
  ],
  'a usage': ['tidemark_server', (trx) => use(trx, ada, 1)],
  'the sum of usage': ['tidemark_server', (trx) => sumUsageSince(trx, ada, september)],
  'the start of the month': ['tidemark_server', (trx) => findMonthStart(trx, ada, new Date('2026-09-05Z'))],
  'a purchase': [
    'tidemark_worker',
    async (trx) => {
      const grant = buildPurchaseGrant(ada)
      await lockOwner(trx, ada)
      await readGrant(trx, grant.id)
      await postTransfer(trx, buildTransfer(grant, { kind: 'credit_purchase', ordinal: 1, amount: 5 }))
    },
  ],
  'a refund': [
    'tidemark_worker',
    async (trx) => {
      await lockOwner(trx, ada)
      const known = await readGrant(trx, bought.id)
      const ordinal = (known?.transfers ?? 0) + 1
      await postTransfer(trx, buildTransfer(bought, { kind: 'refund', ordinal, amount: -5 }))
    },
  ],
  'a renewal': [
    'tidemark_worker',
    async (trx) => {
      await lockOwner(trx, ada)
      const books = await readBooks(trx, ada)
      const next = buildMonthGrant(ada, new Date('2026-10-01T00:00:00Z'))
      const stripe_subscription_id = month.stripe_subscription_id ?? ''
      await closeMonth(trx, ada, { stripe_subscription_id, starts_at: september, used: books.used_open })
      await postTransfers(trx, [
        buildTransfer(month, { kind: 'expiry', ordinal: 2, amount: -books.plan.balance }),
        buildTransfer(next, { kind: 'plan_grant', ordinal: 1, amount: 500 }),
      ])
    },
  ],
}

async function measure(into: Record<string, number>): Promise<void> {
  for (const [name, [role, work]] of Object.entries(operations)) {
    into[name] = await pagesTouched({ url: database.url, role }, work)
  }
}

beforeAll(async () => {
  await postTransfers(database.worker, [
    buildTransfer(month, { kind: 'plan_grant', ordinal: 1, amount: 500 }),
    buildTransfer(bought, { kind: 'credit_purchase', ordinal: 1, amount: 500 }),
    buildGrant(ada.owner_id, 5),
  ])
  for (let i = 3; i < historyLength; i++) await use(database.server, ada, 1)
  deep.cursor = (await listHistory(database.server, ada, { limit: historyLength - pageSize })).at(-1)
  await fillLedger(database.owner, { prefix: 'few_', owners: few, transfers: transfersEach })
  await measure(before)
  await fillLedger(database.owner, { prefix: 'many_', owners: owners - few, transfers: transfersEach })
  await measure(after)
  process.stdout.write(
    `pages touched, with ${few * transfersEach} and ${owners * transfersEach} transfers of others:\n`,
  )
  for (const name of Object.keys(operations))
    process.stdout.write(`  ${name}: ${before[name]}, ${after[name]}\n`)
}, 600_000)

test.each(Object.keys(operations))('%s reads no more when others have a hundred times as much', (name) => {
  const pages = before[name] ?? 0
  expect(pages).toBeGreaterThan(0)
  // An index is one level deeper then, so a look-up of four pages becomes one of five.
  expect(after[name]).toBeLessThanOrEqual(pages * 1.5 + 5)
})

test('a page of history reads in proportion to its size, wherever it lies', () => {
  const perEntry = 10
  expect(after['the first page of the history']).toBeLessThan(pageSize * perEntry)
  expect(after['a deep page of the history']).toBeLessThan(pageSize * perEntry)
})

test('all of it is proven in one pass', { timeout: 600_000 }, async () => {
  const started = performance.now()
  const { counts, problems } = await verifyLedger(database.owner, { keepProof: true })
  // Only the purchase above has no checkout behind it.
  expect(problems).toEqual([
    { check: 'every purchase has its settled intent', subject: `grant ${bought.id}` },
  ])
  expect(counts.transfers).toBe(owners * transfersEach + historyLength)
  process.stdout.write(
    `verified ${counts.transfers} transfers in ${Math.round(performance.now() - started)} ms\n`,
  )
})
