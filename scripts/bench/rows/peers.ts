import { createHttpSide } from '../http-load.ts'
import type { Bench, Line, Row } from '../row.ts'
import { createFloor, createProduct, startServer } from '../sides.ts'
import { takeTurns } from '../turns.ts'
import { makeDeliveries } from '../webhooks.ts'

/** Only with --peers. */
export const peers: Row = {
  name: 'peers',
  about:
    'Webhooks accepted, beside a handler that adds to a balance in its own transaction, as many products do',
  measure,
}

async function measure(bench: Bench): Promise<Line[]> {
  await using running = new AsyncDisposableStack()
  const product = await createProduct(bench.machine, running)
  const server = await startServer(bench.machine, running, product)
  const inlineServer = await startServer(bench.machine, running, await createFloor(bench.machine, running))
  const { accepted, inline } = await takeTurns(bench, {
    accepted: createHttpSide(server.url, (count) => makeDeliveries(count, product.pool)),
    inline: createHttpSide(inlineServer.url, async (count) =>
      (await makeDeliveries(count, null)).map((delivery) => ({ ...delivery, path: '/inline' })),
    ),
  })
  return [
    {
      row: 'peers',
      what: 'webhooks answered, beside the inline way',
      unit: 'requests/s',
      measured: accepted,
      floor: inline,
      target: null,
      note: 'the inline way has no ledger, no proof, no retry of its own and no order of events; its answer waits for the balance’s row',
    },
    {
      row: 'peers',
      what: 'posting, beside pgledger',
      unit: 'transfers/s',
      measured: [],
      floor: null,
      target: null,
      note: 'not measured: pgledger is SQL in a repository and in no package of a registry, and nobody else’s source is copied into this one',
    },
  ]
}
