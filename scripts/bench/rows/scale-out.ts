import type { Bench, Line, Row } from '../row.ts'
import { createSettlingSide } from '../settling.ts'
import { createProduct, startServer, startWorkers } from '../sides.ts'
import { takeTurns } from '../turns.ts'

export const scaleOut: Row = {
  name: 'scale-out',
  about: 'Events from a full queue into the ledger, by two and by four workers beside one',
  measure,
}

async function measure(bench: Bench): Promise<Line[]> {
  await using running = new AsyncDisposableStack()
  const { machine } = bench
  const product = await createProduct(machine, running)
  const server = await startServer(machine, running, product)
  const workers = await startWorkers(machine, running, product, 4)
  const side = (count: number) =>
    createSettlingSide({ ...product, server, workers: workers.slice(0, count), table: 'ledger_transfers' })
  // Those that do not take part in a turn stand still.
  const sides = { four: await side(4), two: await side(2), one: await side(1) }
  const { four, two, one } = await takeTurns(bench, sides)
  const line = { row: 'scale-out', unit: 'events/s', floor: one, target: { at_least: 1 } }
  return [
    { ...line, what: `2 workers beside 1, queue on ${machine.queues}`, measured: two },
    { ...line, what: `4 workers beside 1, queue on ${machine.queues}`, measured: four },
  ]
}
