import { createLatencySide } from '../latency.ts'
import type { Bench, Line, Row } from '../row.ts'
import { warmUp } from '../settling.ts'
import { createFloor, createProduct, type Part, startServer, startWorker } from '../sides.ts'
import { takeTurns } from '../turns.ts'

export const latency: Row = {
  name: 'latency',
  about: 'From a webhook that is sent until its credits are committed, at 50 events a second',
  measure,
}

const perSecond = 50
/** A turn has at least so many events that the slowest hundredth is more than one of them. */
const shortestTurnSeconds = 4

async function measure(bench: Bench): Promise<Line[]> {
  await using running = new AsyncDisposableStack()
  const sideOf = async (part: Part) => {
    const server = await startServer(bench.machine, running, part)
    await startWorker(bench.machine, running, part)
    const table = part.kind === 'product' ? 'ledger_transfers' : 'floor.settled'
    const settled = { server, pool: part.pool, table } as const
    await warmUp(settled)
    return createLatencySide({ ...settled, perSecond })
  }
  const { measured, bare } = await takeTurns(
    { ...bench, seconds: Math.max(shortestTurnSeconds, bench.seconds) },
    {
      measured: await sideOf(await createProduct(bench.machine, running)),
      bare: await sideOf(await createFloor(bench.machine, running)),
    },
  )
  const line = { row: 'latency', unit: 'ms' }
  return [
    {
      ...line,
      what: `p50 at ${perSecond}/s, queue on ${bench.machine.queues}`,
      measured: measured.map(({ p50_ms }) => p50_ms),
      floor: bare.map(({ p50_ms }) => p50_ms),
      target: null,
    },
    {
      ...line,
      what: `p99 at ${perSecond}/s, queue on ${bench.machine.queues}`,
      measured: measured.map(({ p99_ms }) => p99_ms),
      floor: bare.map(({ p99_ms }) => p99_ms),
      target: { at_most: 2 },
    },
  ]
}
