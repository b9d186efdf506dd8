import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { listen } from './listen.ts'

/** Calls over one connection each, as long as it is kept; what ended it. */
async function callUntilEnd(port: number, onAnswer: () => void): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const call = () =>
    new Promise<string | undefined>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, agent }, (answer) => {
        answer.resume().on('end', () => resolve(answer.headers.connection))
      })
      sent.on('error', reject).end()
    })
  try {
    for (;;) {
      if ((await call()) === 'close') return 'told to close'
      onAnswer()
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 40))
    }
  } catch (error) {
    return String((error as { code?: string }).code)
  } finally {
    agent.destroy()
  }
}

test('a server that ends tells the clients of kept connections, and resets none', async () => {
  const server = await listen(
    (_, response) => void setTimeout(() => response.end('answer'), Math.random() * 20),
    { host: '127.0.0.1', port: 0 },
    { log: pino({ level: 'silent' }) },
  )
  const clients = Array.from({ length: 50 }, () => {
    const connected = Promise.withResolvers<void>()
    return { connected: connected.promise, end: callUntilEnd(server.port, connected.resolve) }
  })
  // One that was not accepted yet would be reset.
  await Promise.all(clients.map(({ connected }) => connected))
  await server.close({ limit_ms: 3_600_000, grace_ms: 3_600_000 })
  expect(new Set(await Promise.all(clients.map(({ end }) => end)))).toEqual(new Set(['told to close']))
})

test('a server that ends waits for kept connections no longer than their grace', async () => {
  const server = await listen(
    (_, response) => void response.end('answer'),
    { host: '127.0.0.1', port: 0 },
    { log: pino({ level: 'silent' }) },
  )
  const agent = new Agent({ keepAlive: true })
  const kept = once(agent, 'free') as Promise<[Socket]>
  request({ host: '127.0.0.1', port: server.port, agent }, (answer) => answer.resume()).end()
  const [connection] = await kept
  const ended = once(connection, 'close')
  await server.close({ limit_ms: 3_600_000, grace_ms: 100 })
  await ended
  await expect(fetch(`http://127.0.0.1:${server.port}`)).rejects.toThrow()
})
