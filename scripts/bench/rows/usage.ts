import { randomUUID } from 'node:crypto'
import { createHttpSide, type HttpRequest } from '../http-load.ts'
import type { Bench, Line, Row } from '../row.ts'
import { createFloor, createProduct, startServer } from '../sides.ts'
import { takeTurns } from '../turns.ts'
import { hotPool, tokenOf, walletId, wallets } from '../wallets.ts'

export const usage: Row = {
  name: 'usage',
  about: 'Usage reported over HTTP by 1,000 editors, beside a bare route with one UPDATE',
  measure,
}

async function measure(bench: Bench): Promise<Line[]> {
  await using running = new AsyncDisposableStack()
  const server = await startServer(bench.machine, running, await createProduct(bench.machine, running))
  const floor = await startServer(bench.machine, running, await createFloor(bench.machine, running))
  const figures = await takeTurns(bench, {
    spread: createHttpSide(server.url, (count) => productReports(count, 'personal')),
    spreadFloor: createHttpSide(floor.url, (count) => floorReports(count, walletId)),
    hot: createHttpSide(server.url, (count) => productReports(count, hotPool.owner_id)),
    hotFloor: createHttpSide(floor.url, (count) => floorReports(count, () => hotPool.owner_id)),
  })
  const line = { row: 'usage', unit: 'debits/s' }
  return [
    {
      ...line,
      what: 'over HTTP, 1,000 wallets',
      measured: figures.spread,
      floor: figures.spreadFloor,
      target: { at_least: 0.5 },
    },
    {
      ...line,
      what: 'over HTTP, one hot pool',
      measured: figures.hot,
      floor: figures.hotFloor,
      target: { at_least: 0.8 },
    },
  ]
}

function productReports(count: number, payer: string): HttpRequest[] {
  return reports(count, (index) => ({
    headers: { authorization: `Bearer ${tokenOf(index)}` },
    body: { payer },
  }))
}

function floorReports(count: number, wallet: (index: number) => string): HttpRequest[] {
  return reports(count, (index) => ({ headers: { 'x-wallet': wallet(index) }, body: {} }))
}

/** Of all users in turn, each with a key of its own. */
function reports(
  count: number,
  of: (index: number) => { readonly headers: Record<string, string>; readonly body: object },
): HttpRequest[] {
  return Array.from({ length: count }, (_, index) => {
    const { headers, body } = of(index % wallets)
    const report = { credits: 1, idempotency_key: randomUUID(), description: 'Completion' }
    return {
      method: 'POST',
      path: '/api/extension/usage',
      headers: { 'content-type': 'application/json', ...headers },
      body: Buffer.from(JSON.stringify({ ...report, ...body })),
    }
  })
}
