import type pg from 'pg'
import { postTransfers } from '../../../schema/ledger/post/post.ts'
import { verifyLedger } from '../../../schema/ledger/verify/verify.ts'
import { connectProduct } from '../database-load.ts'
import type { Bench, Line, Row } from '../row.ts'
import { createProduct } from '../sides.ts'
import { takeTurns } from '../turns.ts'
import { anyWallet, giving } from '../wallets.ts'

export const verify: Row = {
  name: 'verify',
  about: 'Entries that ledger:verify proves, beside reading the same rows with COPY … TO',
  measure,
}

const batch = 50
const transfers = 20_000

async function measure(bench: Bench): Promise<Line[]> {
  await using running = new AsyncDisposableStack()
  const { place, pool } = await createProduct(bench.machine, running)
  const worker = connectProduct(place.databaseUrl, 'tidemark_worker')
  const owner = connectProduct(place.databaseUrl, 'owner')
  running.defer(worker.close)
  running.defer(owner.close)
  // Proven books need real hashes, so they are posted; nothing of that is measured.
  const rounds = Array.from({ length: 4 }, async () => {
    for (let posted = 0; posted < transfers / 4; posted += batch) {
      await postTransfers(
        worker.db,
        Array.from({ length: batch }, () => giving(anyWallet(), 500)),
      )
    }
  })
  await Promise.all(rounds)
  let entries = 0
  const { proven, copied } = await takeTurns(bench, {
    proven: async () => {
      const started = performance.now()
      const { counts, problems } = await verifyLedger(owner.db)
      if (problems.length > 0) throw new Error(`The books are wrong: ${JSON.stringify(problems.slice(0, 3))}`)
      entries = counts.entries
      return entries / ((performance.now() - started) / 1000)
    },
    copied: async () => {
      const started = performance.now()
      for (const table of ['ledger_transfers', 'ledger_entries']) await copyOut(pool, table)
      return entries / ((performance.now() - started) / 1000)
    },
  })
  const what = `${entries.toLocaleString('en-US')} entries`
  return [
    { row: 'verify', what, unit: 'entries/s', measured: proven, floor: copied, target: { at_least: 0.15 } },
  ]
}

/** Receives a table through the driver's own connection, which has no call for that, and forgets it. */
async function copyOut(pool: pg.Pool, table: string): Promise<void> {
  const client = await pool.connect()
  try {
    await new Promise<void>((resolve, reject) => {
      client.query({
        submit: (connection) => connection.query(`COPY (TABLE ${table}) TO STDOUT`),
        handleCopyData: () => undefined,
        handleCommandComplete: () => undefined,
        handleReadyForQuery: () => resolve(),
        handleError: (error: Error) => reject(error),
      } as pg.Submittable)
    })
  } finally {
    client.release()
  }
}
