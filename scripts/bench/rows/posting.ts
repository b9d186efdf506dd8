import { postTransfers } from '../../../schema/ledger/post/post.ts'
import { connectProduct, repeat } from '../database-load.ts'
import { insertTransfer } from '../floors/tables.ts'
import type { Bench, Line, Row } from '../row.ts'
import { createFloor, createProduct } from '../sides.ts'
import { takeTurns } from '../turns.ts'
import { anyWallet, giving } from '../wallets.ts'

/** As many events as a worker applies in one transaction. */
const batch = 50

export const posting: Row = {
  name: 'posting',
  about: 'Transfers posted in batches, from one house account to 1,000 wallets, beside INSERTs of one row',
  measure,
}

async function measure(bench: Bench): Promise<Line[]> {
  await using running = new AsyncDisposableStack()
  const product = await createProduct(bench.machine, running)
  const floor = await createFloor(bench.machine, running)
  const { db, close } = connectProduct(product.place.databaseUrl, 'tidemark_worker')
  running.defer(close)

  const { connections } = bench
  const transfers = () => Array.from({ length: batch }, () => giving(anyWallet(), 500))
  const { batches, inserts } = await takeTurns(bench, {
    batches: async (seconds) =>
      batch * (await repeat(() => postTransfers(db, transfers()), { seconds, connections })),
    inserts: (seconds) => repeat(() => insertTransfer(floor.pool), { seconds, connections }),
  })
  return [
    {
      row: 'posting',
      what: `in batches of ${batch}, ${connections} connections`,
      unit: 'transfers/s',
      measured: batches,
      floor: inserts,
      target: { at_least: 1 },
    },
  ]
}
