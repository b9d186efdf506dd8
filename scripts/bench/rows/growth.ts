import { randomUUID } from 'node:crypto'
import { postTransfers } from '../../../schema/ledger/post/post.ts'
import { findBalance } from '../../../schema/ledger/read/balances.ts'
import { spendCredits } from '../../../schema/ledger/spend/usage.ts'
import { connectProduct, repeat } from '../database-load.ts'
import { fillLedger } from '../fill.ts'
import type { Bench, Line, Row } from '../row.ts'
import { type Side, takeTurns } from '../turns.ts'
import { giving, walletId, wallets } from '../wallets.ts'

export const growth: Row = {
  name: 'growth',
  about: 'Posting, usage and balance in the database with a long ledger, beside a short one',
  measure,
}

const entriesEachTransfer = 2
const transfersEach = 5
const fewEntries = wallets * transfersEach * entriesEachTransfer

async function measure(bench: Bench): Promise<Line[]> {
  await using running = new AsyncDisposableStack()
  const manyEntries = bench.isFull ? 10_000_000 : 1_000_000
  const long = await sidesWith(bench, running, manyEntries)
  const short = await sidesWith(bench, running, fewEntries)
  const figures = await takeTurns(bench, {
    postingLong: long.posting,
    postingShort: short.posting,
    usageLong: long.usage,
    usageShort: short.usage,
    balanceLong: long.balance,
    balanceShort: short.balance,
  })
  const count = (entries: number) => entries.toLocaleString('en-US')
  const line = {
    row: 'growth',
    target: { at_least: 0.95 },
    ...(!bench.isFull && { note: `${count(manyEntries)} entries; --full takes 10,000,000` }),
  }
  const entries = `with ${count(manyEntries)} entries beside ${count(fewEntries)}`
  return [
    {
      ...line,
      what: `posting, ${entries}`,
      unit: 'transfers/s',
      measured: figures.postingLong,
      floor: figures.postingShort,
    },
    {
      ...line,
      what: `usage, ${entries}`,
      unit: 'debits/s',
      measured: figures.usageLong,
      floor: figures.usageShort,
    },
    {
      ...line,
      what: `balance, ${entries}`,
      unit: 'reads/s',
      measured: figures.balanceLong,
      floor: figures.balanceShort,
    },
  ]
}

interface Sides {
  readonly posting: Side
  readonly usage: Side
  readonly balance: Side
}

/** Works on as many wallets in either ledger; in the long one they lie among all the others. */
async function sidesWith(bench: Bench, running: AsyncDisposableStack, entries: number): Promise<Sides> {
  const { databaseUrl } = await bench.machine.createPlace('postgres')
  const owners = entries / entriesEachTransfer / transfersEach
  await fillLedger(databaseUrl, { owners, transfersEach })
  const worker = connectProduct(databaseUrl, 'tidemark_worker')
  const server = connectProduct(databaseUrl, 'tidemark_server')
  running.defer(worker.close)
  running.defer(server.close)
  const anyOwner = () => {
    const owner_id = walletId(Math.floor(Math.random() * wallets) * Math.floor(owners / wallets))
    return { owner_kind: 'user', owner_id } as const
  }
  return {
    posting: (seconds) => repeat(() => postTransfers(worker.db, [giving(anyOwner(), 500)]), { seconds }),
    usage: (seconds) => repeat(() => spend(anyOwner()), { seconds }),
    balance: (seconds) => repeat(() => findBalance(server.db, anyOwner()), { seconds }),
  }

  function spend(owner: ReturnType<typeof anyOwner>) {
    return spendCredits(server.db, [
      {
        ...owner,
        credits: 1,
        idempotency_key: randomUUID(),
        occurred_at: new Date(),
        actor: owner.owner_id,
        reason: 'Bench',
      },
    ])
  }
}
