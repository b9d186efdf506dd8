import { createHttpSide, type HttpRequest } from '../http-load.ts'
import type { Bench, Line, Row } from '../row.ts'
import { createFloor, createProduct, startServer } from '../sides.ts'
import { takeTurns } from '../turns.ts'
import { tokenOf, walletId, wallets } from '../wallets.ts'

export const balance: Row = {
  name: 'balance',
  about: 'Balances asked for by 1,000 editors, beside a bare route with one SELECT by primary key',
  measure,
}

async function measure(bench: Bench): Promise<Line[]> {
  await using running = new AsyncDisposableStack()
  const server = await startServer(bench.machine, running, await createProduct(bench.machine, running))
  const floor = await startServer(bench.machine, running, await createFloor(bench.machine, running))

  const fresh = requests((index) => ({ authorization: `Bearer ${tokenOf(index)}` }))
  const tags = await Promise.all(fresh.map((request) => tagOf(server.url, request)))
  const known = requests((index) => ({
    authorization: `Bearer ${tokenOf(index)}`,
    'if-none-match': tags[index] ?? '',
  }))
  const bare = requests((index) => ({ 'x-wallet': walletId(index) }))
  const { answered, unchanged, selects } = await takeTurns(bench, {
    answered: createHttpSide(server.url, inTurn(fresh)),
    selects: createHttpSide(floor.url, inTurn(bare)),
    unchanged: createHttpSide(server.url, inTurn(known), 304),
  })
  const line = { row: 'balance', unit: 'requests/s', floor: selects }
  return [
    { ...line, what: 'the balance', measured: answered, target: { at_least: 0.6 } },
    { ...line, what: 'not modified (304)', measured: unchanged, target: { at_least: 0.8 } },
  ]
}

function requests(headers: (index: number) => Record<string, string>): HttpRequest[] {
  return Array.from({ length: wallets }, (_, index) => ({
    method: 'GET',
    path: '/api/extension/balance',
    headers: headers(index),
  }))
}

function inTurn(all: readonly HttpRequest[]): (count: number) => HttpRequest[] {
  return (count) => Array.from({ length: count }, (_, index) => all[index % all.length] as HttpRequest)
}

async function tagOf(url: string, { path, headers }: HttpRequest): Promise<string> {
  const response = await fetch(`${url}${path}`, { headers })
  await response.arrayBuffer()
  const tag = response.headers.get('etag')
  if (!tag) throw new Error(`The balance has no ETag: ${response.status}`)
  return tag
}
