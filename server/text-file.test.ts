import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Router } from '@koa/router'
import Koa from 'koa'
import compress from 'koa-compress'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import type { RequestState } from './context.ts'
import { createRequestLog } from './context.ts'
import { TextFile } from './text-file.ts'

const running: Disposable[] = []
afterEach(() => {
  for (const server of running.splice(0)) server[Symbol.dispose]()
})

/** Serves the file through what every answer goes through. */
async function serve(parts: () => AsyncIterable<string>): Promise<{ url: string; logged: string[] }> {
  const logged: string[] = []
  const app = new Koa<RequestState>()
  const router = new Router<RequestState>()
  app.on('error', () => undefined)
  router.get('/', async (ctx) => {
    ctx.state.requestLog = createRequestLog(
      pino({}, { write: (line: string) => logged.push(line) }),
      'request-1',
    )
    await new TextFile('parts.csv', parts()).send(ctx, 'text/csv')
  })
  app.use(compress())
  app.use(router.routes())
  const server = createServer(app.callback()).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  running.push({
    [Symbol.dispose]: () => {
      server.closeAllConnections()
      server.close()
    },
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, logged }
}

test('a file is sent in the parts in which it is read, with the mark by which Excel knows its encoding', async () => {
  const { url } = await serve(async function* () {
    for (let part = 0; part < 3; part++) yield `${part}\r\n`.repeat(1000)
  })
  const answer = await fetch(url)
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="parts.csv"')
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect([...bytes.subarray(0, 4)]).toEqual([0xef, 0xbb, 0xbf, 0x30])
  expect(bytes.toString().split('\r\n')).toHaveLength(3001)
})

test('a failure before the first part is an ordinary error answer', async () => {
  const next = () => Promise.reject(new Error('The database is away'))
  const { url } = await serve(() => ({ [Symbol.asyncIterator]: () => ({ next }) }))
  expect((await fetch(url)).status).toBe(500)
})

test('a failure after the first bytes aborts the connection, so that a client cannot mistake a part for the whole', async () => {
  const { url, logged } = await serve(async function* () {
    yield 'first\r\n'.repeat(5000)
    throw new Error('The database is away')
  })
  const answer = await fetch(url).catch((error: unknown) => error)
  const text = answer instanceof Response ? answer.text() : Promise.reject(answer)
  await expect(text).rejects.toThrow()
  expect(logged.join()).toContain('A file could not be finished')
})
