import { randomUUID } from 'node:crypto'
import type { Database } from '../../../schema/database/connect.ts'
import type { Owner } from '../../../schema/ledger/accounts.ts'
import { lockOwner } from '../../../schema/ledger/post/books.ts'
import { postSums } from '../../../schema/ledger/post/sums.ts'
import { spendCredits, type Usage } from '../../../schema/ledger/spend/usage.ts'
import { createUsageGroups } from '../../../schema/ledger/spend/usage-groups.ts'
import { spendOne } from '../../../tests/support/factories/transfers.ts'
import { connectProduct, repeat } from '../database-load.ts'
import { floorStatements } from '../floors/tables.ts'
import { createHttpSide, type HttpRequest } from '../http-load.ts'
import type { Bench, Line, Row } from '../row.ts'
import { createFloor, createProduct, type Part, startServer } from '../sides.ts'
import { takeTurns } from '../turns.ts'
import { usageReports } from '../usage-reports.ts'
import {
  anySummedWallet,
  anyWallet,
  hotPool,
  summedHotPool,
  summedWallet,
  walletId,
  wallets,
} from '../wallets.ts'

export const usage: Row = {
  name: 'usage',
  about: 'Usage reported over HTTP and posted in the database, beside UPDATEs of one row',
  measure,
}

const spread = { at_least: 0.5 }
const hot = { at_least: 0.8 }

type Spend = (owner: Owner) => Promise<unknown>

async function measure(bench: Bench): Promise<Line[]> {
  await using running = new AsyncDisposableStack()
  const product = await createProduct(bench.machine, running)
  const floor = await createFloor(bench.machine, running)
  const server = await startServer(bench.machine, running, product)
  const floorServer = await startServer(bench.machine, running, floor)
  const { db, close } = connectProduct(product.place.databaseUrl, 'tidemark_server')
  running.defer(close)
  const worker = connectProduct(product.place.databaseUrl, 'tidemark_worker')
  running.defer(worker.close)

  const spend: Spend = (owner) => spendOne(db, usageOf(owner))
  // As the server does it. As many callers as the floor has connections, each of whom waits for the commit of their own report.
  const group = createUsageGroups(db)
  const spendTogether: Spend = (owner) => group(usageOf(owner))
  // A sum is begun and posted once a minute: so many of them in the time of a turn, each with the reports of its minute. What they lack is added before,
  // and every wallet has a sum that is open then.
  const summedSpread = async (seconds: number) => {
    const ending = Math.ceil((wallets * seconds) / 60)
    await openSums(db)
    const owners = await fillOldestSums(product, db, { sums: ending, reports: reportsPerMinute })
    return repeat(
      () => spendTogether(anySummedWallet()),
      seconds,
      async () => {
        await postSums(worker.db, { older_than_ms: 0, sums_max: ending })
        await Promise.all(owners.map(spendTogether))
      },
    )
  }
  // One sum, posted with all reports of the turn.
  const summedHot = (seconds: number) =>
    repeat(
      () => spendTogether(summedHotPool),
      seconds,
      () => postSumOf(worker.db, summedHotPool),
    )
  const update = (wallet: string) => floor.pool.query({ ...floorStatements.spend, values: [wallet, 1] })
  const figures = await takeTurns(bench, {
    httpSpread: createHttpSide(server.url, (count) => usageReports(count, 'personal')),
    httpSpreadFloor: createHttpSide(floorServer.url, (count) => bareReports(count, walletId)),
    httpHot: createHttpSide(server.url, (count) => usageReports(count, hotPool.owner_id)),
    httpHotFloor: createHttpSide(floorServer.url, (count) => bareReports(count, () => hotPool.owner_id)),
    spread: (seconds) => repeat(() => spend(anyWallet()), seconds),
    spreadFloor: (seconds) => repeat(() => update(anyWallet().owner_id), seconds),
    hot: (seconds) => repeat(() => spend(hotPool), seconds),
    spreadTogether: (seconds) => repeat(() => spendTogether(anyWallet()), seconds),
    hotTogether: (seconds) => repeat(() => spendTogether(hotPool), seconds),
    summedSpread,
    summedHot,
    hotFloor: (seconds) => repeat(() => update(hotPool.owner_id), seconds),
  })
  const line = (what: string, measured: number[], bare: number[], target: Line['target']): Line => ({
    row: 'usage',
    what,
    unit: 'debits/s',
    measured,
    floor: bare,
    target,
  })
  return [
    line('over HTTP, 1,000 wallets', figures.httpSpread, figures.httpSpreadFloor, spread),
    line('over HTTP, one hot pool', figures.httpHot, figures.httpHotFloor, hot),
    line('in the database, a call each, 1,000 wallets', figures.spread, figures.spreadFloor, spread),
    line('in the database, a call each, one hot pool', figures.hot, figures.hotFloor, hot),
    {
      ...line(`${shared}, 1,000 wallets`, figures.spreadTogether, figures.spreadFloor, spread),
      note: 'sharing commits: as the server does it; reports that come together share a statement and a commit, and each of 20 callers waits for their own',
    },
    line(`${shared}, one hot pool`, figures.hotTogether, figures.hotFloor, hot),
    line(`${shared}, 1,000 wallets, summed by the minute`, figures.summedSpread, figures.spreadFloor, spread),
    line(`${shared}, one hot pool, summed by the minute`, figures.summedHot, figures.hotFloor, hot),
  ]
}

const shared = 'in the database, sharing commits'

/** What 1,000 wallets report in a minute at 4,000 reports a second. */
const reportsPerMinute = 240

/** Begins the sum of this minute for every wallet. */
async function openSums(db: Database): Promise<void> {
  for (let first = 0; first < wallets; first += 100) {
    const indexes = Array.from({ length: 100 }, (_, index) => first + index)
    await spendCredits(
      db,
      indexes.map((index) => usageOf(summedWallet(index))),
    )
  }
}

/** Gives the sums that are posted next the reports that they would have after a minute. */
async function fillOldestSums(
  { pool }: Part,
  db: Database,
  { sums, reports }: { readonly sums: number; readonly reports: number },
): Promise<Owner[]> {
  const { rows } = await pool.query<{ owner_id: string; lacking: number }>(
    `SELECT owner_id, $2 - unposted_reports AS lacking FROM ledger_owners
     WHERE unposted_since IS NOT NULL AND owner_id <> $3 ORDER BY unposted_since LIMIT $1`,
    [sums, reports, summedHotPool.owner_id],
  )
  const owners = rows.map(({ owner_id }) => ({ owner_kind: 'organization', owner_id }) as const)
  for (const [index, owner] of owners.entries()) {
    const lacking = Math.max(0, rows[index]?.lacking ?? 0)
    await spendCredits(
      db,
      Array.from({ length: lacking }, () => usageOf(owner)),
    )
  }
  return owners
}

/** Whoever locks an owner posts the sum. */
async function postSumOf(db: Database, owner: Owner): Promise<void> {
  await db.transaction().execute((trx) => lockOwner(trx, owner))
}

function usageOf(owner: Owner): Usage {
  return {
    ...owner,
    credits: 1,
    idempotency_key: randomUUID(),
    occurred_at: new Date(),
    actor: owner.owner_id,
    reason: 'Bench',
  }
}

function bareReports(count: number, wallet: (index: number) => string): HttpRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    method: 'POST',
    path: '/api/extension/usage',
    headers: { 'content-type': 'application/json', 'x-wallet': wallet(index % wallets) },
    body: Buffer.from(
      JSON.stringify({ credits: 1, idempotency_key: randomUUID(), description: 'Completion' }),
    ),
  }))
}
