import { type HttpRequest, sendRequests } from '../http-load.ts'
import { createLatencySide } from '../latency.ts'
import type { Bench, Line, Row } from '../row.ts'
import { warmUp } from '../settling.ts'
import { createProduct, startServer, startWorkers } from '../sides.ts'
import { median, takeTurns } from '../turns.ts'
import { usageReports } from '../usage-reports.ts'
import { hotPool } from '../wallets.ts'

export const noise: Row = {
  name: 'noise',
  about: 'Purchases while one organization reports usage as fast as it can, beside purchases alone',
  measure,
}

const perSecond = 20
const shortestTurnSeconds = 5
/** Editors of the noisy organization that wait for nothing but their last answer. */
const floodConnections = 16

async function measure(bench: Bench): Promise<Line[]> {
  await using running = new AsyncDisposableStack()
  const product = await createProduct(bench.machine, running)
  const server = await startServer(bench.machine, running, product)
  await startWorkers(bench.machine, running, product)
  const settled = { server, pool: product.pool, table: 'ledger_transfers' } as const
  await warmUp(settled)
  const buy = createLatencySide({ ...settled, perSecond })

  const floods: number[] = []
  const besideFlood = async (seconds: number) => {
    const reports: HttpRequest[] = []
    let isOver = false
    const next = () => {
      if (reports.length === 0) reports.push(...usageReports(1000, hotPool.owner_id))
      return isOver ? undefined : reports.pop()
    }
    const flood = sendRequests(server.url, next, {
      seconds: 60,
      status: 200,
      connections: floodConnections,
    })
    const bought = await buy(seconds).finally(() => {
      isOver = true
    })
    floods.push((await flood).perSecond)
    return bought
  }
  const { noisy, alone } = await takeTurns(
    { ...bench, seconds: Math.max(shortestTurnSeconds, bench.seconds) },
    { noisy: besideFlood, alone: buy },
  )
  return [
    {
      row: 'noise',
      what: `p99 of ${perSecond} purchases/s beside a flood`,
      unit: 'ms',
      measured: noisy.map(({ p99_ms }) => p99_ms),
      floor: alone.map(({ p99_ms }) => p99_ms),
      target: { at_most: 2 },
      note: `the flood is ${Math.round(median(floods))} reports of usage a second, of one organization, over ${floodConnections} connections`,
    },
  ]
}
