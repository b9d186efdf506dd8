import type { QueueKind } from '../machine.ts'
import type { Bench, Line, Row } from '../row.ts'
import { createSettlingSide } from '../settling.ts'
import { createFloor, createProduct, startServer, startWorker } from '../sides.ts'
import { takeTurns } from '../turns.ts'

export const settle: Row = {
  name: 'settle',
  about:
    'Events from a full queue into the ledger, by one worker, beside the same queue with a job of one INSERT',
  measure,
}

const targets = { redis: { at_least: 0.8 }, postgres: { at_least: 1 } }

async function measure(bench: Bench): Promise<Line[]> {
  const lines: Line[] = []
  for (const queues of ['redis', 'postgres'] as const) {
    if (queues === 'redis' && bench.machine.queues !== 'redis') continue
    lines.push(await measureOn(bench, queues))
  }
  return lines
}

async function measureOn(bench: Bench, queues: QueueKind): Promise<Line> {
  await using running = new AsyncDisposableStack()
  const { machine } = bench
  const product = await createProduct(machine, running, queues)
  const floor = await createFloor(machine, running, queues)
  const { measured, bare } = await takeTurns(bench, {
    measured: await createSettlingSide({
      ...product,
      server: await startServer(machine, running, product),
      worker: await startWorker(machine, running, product),
      table: 'ledger_transfers',
    }),
    bare: await createSettlingSide({
      ...floor,
      server: await startServer(machine, running, floor),
      worker: await startWorker(machine, running, floor),
      table: 'floor.settled',
    }),
  })
  return {
    row: 'settle',
    what: `queue on ${queues}, one worker`,
    unit: 'events/s',
    measured,
    floor: bare,
    target: targets[queues],
  }
}
