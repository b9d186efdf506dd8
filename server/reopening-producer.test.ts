import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { findFreePort } from '../scripts/processes/ports.ts'
import { testDatabase } from '../tests/support/database/test-database.ts'
import { ownRedisUrl } from '../tests/support/own-redis.ts'
import { startTestServer } from '../tests/support/product/test-server.ts'
import { waitUntil } from '../tests/support/wait-until.ts'

const database = testDatabase()

/** An address that refuses connections until `appear` is called, and then forwards to `target`. */
async function lateAddress(target: string) {
  const port = await findFreePort()
  const { hostname, port: targetPort } = new URL(target)
  const server = createServer((socket) => {
    const upstream = connect(Number(targetPort), hostname)
    socket.pipe(upstream).pipe(socket)
    socket.on('error', () => upstream.destroy())
    upstream.on('error', () => socket.destroy())
  })
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    appear: async () => {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    close: () => server.close(),
  }
}

async function enqueuesOnceItIsThere(
  options: { databaseUrl: string; redisUrl?: string },
  appear: () => Promise<void>,
) {
  await using server = await startTestServer(options)
  const add = (eventId: string) => server.deps.producer.add('stripe-events', eventId, { event_id: eventId })
  await expect(add('evt_early')).rejects.toThrow()
  await expect(add('evt_early')).rejects.toThrow()
  await appear()
  await waitUntil(
    () =>
      add('evt_late').then(
        () => true,
        () => false,
      ),
    'the queue to accept a job again',
  )
  const jobs = await server.deps.producer.queue('stripe-events').getJobs(['waiting'])
  return jobs.map((job) => job.data)
}

test.for(['Postgres', 'Redis'] as const)(
  'a queue on %s that was unavailable at the start accepts jobs once it is available',
  async (name, { skip }) => {
    const url = name === 'Redis' ? ownRedisUrl() : database.url
    if (!url) return skip(`no ${name}`)
    const address = await lateAddress(url)
    const options =
      name === 'Redis' ? { databaseUrl: database.url, redisUrl: address.url } : { databaseUrl: address.url }
    const jobs = await enqueuesOnceItIsThere(options, address.appear)
    address.close()
    expect(jobs).toContainEqual({ event_id: 'evt_late' })
    expect(jobs).not.toContainEqual({ event_id: 'evt_early' })
  },
)
