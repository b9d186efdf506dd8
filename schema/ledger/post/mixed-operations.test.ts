import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import {
  buildMonthGrant,
  buildPurchaseGrant,
  buildTransfer,
} from '../../../tests/support/factories/grants.ts'
import { postTransfer, spendNow } from '../../../tests/support/factories/transfers.ts'
import { isLong } from '../../../tests/support/long.ts'
import { madeOnce } from '../../../tests/support/made.ts'
import {
  connectDatabase,
  type DatabaseConnection,
  type DatabaseRole,
  type DatabaseTransaction,
} from '../../database/connect.ts'
import type { Grant } from '../grants.ts'
import { monthGrantId } from '../keys.ts'
import { verifyLedger } from '../verify/verify.ts'
import { closeMonth, lockOwner, readBooks } from './books.ts'
import { postTransfers } from './post.ts'

/** How many: `LEDGER_MIXED_OPERATIONS=100000 npx vitest run schema/ledger/post/mixed-operations`. */
const operations = Number(process.env.LEDGER_MIXED_OPERATIONS ?? (isLong ? 10_000 : 1000))
const connections = 20
const owners = Array.from({ length: 6 }, (_, index) => `user_mixed_${index}`)

const database = testDatabase()
const server = madeOnce(() => connect('tidemark_server'))
const worker = madeOnce(() => connect('tidemark_worker'))

function connect(role: DatabaseRole): DatabaseConnection {
  return connectDatabase({
    connectionString: database.url,
    role,
    poolMax: connections,
    onError: () => undefined,
  })
}

/** Bought credits as an invoice that was paid late brings them: they need no checkout intent. */
function boughtCredits(owner_id: string): Grant {
  const stripe_invoice_id = `in_${randomUUID()}`
  return {
    ...buildPurchaseGrant(owner_id),
    id: monthGrantId('late_month', stripe_invoice_id, new Date(0)),
    kind: 'late_month',
    intent_id: null,
    stripe_subscription_id: 'sub_late',
    stripe_invoice_id,
  }
}

const purchases = new Map<string, Grant[]>(owners.map((owner_id) => [owner_id, []]))

/** What the product does to one owner's books, all kinds of it; each is a transaction of its own. */
const kinds: Readonly<Record<string, (owner_id: string) => Promise<unknown>>> = {
  async purchase(owner_id) {
    const grant = boughtCredits(owner_id)
    await postTransfer(worker.db, buildTransfer(grant, { kind: 'plan_grant', ordinal: 1, amount: 50 }))
    purchases.get(owner_id)?.push(grant)
  },
  async refund(owner_id) {
    const grant = purchases.get(owner_id)?.pop()
    if (!grant) return
    await worker.db.transaction().execute(async (trx) => {
      await lockOwner(trx, owner_id)
      const known = (await readBooks(trx, owner_id)).grants.find(({ id }) => id === grant.id)
      const ordinal = (known?.transfers ?? 0) + 1
      await postTransfer(trx, buildTransfer(grant, { kind: 'refund', ordinal, amount: -20 }))
    })
  },
  usage: (owner_id) => spendNow(server.db, owner_id, 7),
  moreUsage: (owner_id) => spendNow(server.db, owner_id, 3),
  month: (owner_id) => worker.db.transaction().execute((trx) => beginMonth(trx, owner_id)),
  /** Two owners in one batch, in either order. */
  async batch(owner_id) {
    const other = owners[(owners.indexOf(owner_id) + 3) % owners.length] ?? owner_id
    await postTransfers(
      worker.db,
      [owner_id, other].map((one) =>
        buildTransfer(boughtCredits(one), { kind: 'plan_grant', ordinal: 1, amount: 5 }),
      ),
    )
  },
}

/** Closes the month that is open, expires what is left of it, and grants the next. */
async function beginMonth(trx: DatabaseTransaction, owner_id: string): Promise<void> {
  await lockOwner(trx, owner_id)
  const books = await readBooks(trx, owner_id)
  const months = books.grants.filter((grant) => grant.kind === 'month')
  const open = months.at(-1)
  const next = buildMonthGrant(owner_id, new Date(Date.UTC(2026, months.length)))
  const transfers = [buildTransfer(next, { kind: 'plan_grant', ordinal: 1, amount: 100 })]
  if (open?.stripe_subscription_id && open.month_starts_at) {
    await closeMonth(trx, owner_id, {
      stripe_subscription_id: open.stripe_subscription_id,
      starts_at: open.month_starts_at,
      used: books.used_open,
    })
    const left = open.gross - books.used_open
    if (left > 0) transfers.unshift(buildTransfer(open, { kind: 'expiry', ordinal: 2, amount: -left }))
  }
  await postTransfers(trx, transfers)
}

test(`${operations} operations of all kinds on six owners, over 40 connections: no deadlock, and the books are right`, {
  timeout: 10 * 60_000 + operations * 20,
}, async () => {
  const names = Object.keys(kinds)
  let started = 0
  await Promise.all(
    Array.from({ length: 2 * connections }, async () => {
      while (started < operations) {
        const number = started++
        const name = number % 100 === 0 ? 'month' : names[number % 4]
        const owner_id = owners[Math.floor(Math.random() * owners.length)]
        if (name && owner_id) await kinds[number % 50 === 1 ? 'batch' : name]?.(owner_id)
      }
    }),
  )
  // Sessions hand in what they counted when they end.
  await Promise.all([server.close(), worker.close()])
  const { rows } = await sql<{ deadlocks: number }>`
    SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`.execute(database.owner)
  expect(rows).toEqual([{ deadlocks: 0 }])
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})
