import { postTransfers } from '../../../schema/ledger/post/post.ts'
import { connectProduct, repeat } from '../database-load.ts'
import { insertTransfer } from '../floors/tables.ts'
import type { Bench, Line, Row } from '../row.ts'
import { createFloor, createProduct } from '../sides.ts'
import { takeTurns } from '../turns.ts'
import { anyWallet, giving } from '../wallets.ts'

const batch = 50

export const posting: Row = {
  name: 'posting',
  about: 'Transfers posted to the ledger, from one house account to 1,000 wallets, beside INSERTs of one row',
  measure,
}

async function measure(bench: Bench): Promise<Line[]> {
  await using running = new AsyncDisposableStack()
  const product = await createProduct(bench.machine, running)
  const floor = await createFloor(bench.machine, running)
  const { db, close } = connectProduct(product.place.databaseUrl, 'tidemark_worker')
  running.defer(close)

  const figures = await takeTurns(bench, {
    single: (seconds) => repeat(() => postTransfers(db, [giving(anyWallet(), 500)]), seconds),
    inserts: (seconds) => repeat(() => insertTransfer(floor.pool), seconds),
    batches: async (seconds) => {
      const transfers = () => Array.from({ length: batch }, () => giving(anyWallet(), 500))
      return batch * (await repeat(() => postTransfers(db, transfers()), seconds))
    },
  })
  const line = { row: 'posting', unit: 'transfers/s', floor: figures.inserts }
  return [
    { ...line, what: 'one by one', measured: figures.single, target: { at_least: 0.5 } },
    { ...line, what: `in batches of ${batch}`, measured: figures.batches, target: { at_least: 1 } },
  ]
}
