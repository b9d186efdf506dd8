import { createHttpSide } from '../http-load.ts'
import type { Bench, Line, Row } from '../row.ts'
import { createFloor, createProduct, startServer } from '../sides.ts'
import { takeTurns } from '../turns.ts'
import { makeDeliveries } from '../webhooks.ts'

export const accept: Row = {
  name: 'accept',
  about:
    'Signed webhooks over HTTP into inbox and queue, beside a bare route that checks, inserts and enqueues',
  measure,
}

async function measure(bench: Bench): Promise<Line[]> {
  await using running = new AsyncDisposableStack()
  const product = await createProduct(bench.machine, running)
  const floor = await createFloor(bench.machine, running)
  const server = await startServer(bench.machine, running, product)
  const floorServer = await startServer(bench.machine, running, floor)
  const { measured, bare } = await takeTurns(bench, {
    measured: createHttpSide(server.url, (count) => makeDeliveries(count, product.pool)),
    bare: createHttpSide(floorServer.url, (count) => makeDeliveries(count, null)),
  })
  const what = `signed webhooks, queue on ${bench.machine.queues}`
  return [{ row: 'accept', what, unit: 'requests/s', measured, floor: bare, target: { at_least: 0.8 } }]
}
