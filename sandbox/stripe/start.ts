import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApp } from './app.ts'
import { createClock } from './clock.ts'
import { runDueWork } from './entities/due-work.ts'
import { configureEndpoint } from './entities/webhook-endpoint.ts'
import { createFaults } from './knobs/faults.ts'
import type { Service } from './service.ts'
import { defaultOptions, type StripeSandboxOptions } from './settings.ts'
import { createStore } from './store/store.ts'
import { createDeliverer } from './webhooks/deliverer.ts'

export type StripeSandbox = {
  port: number
  url: string
  /** Writes the state and lets go of the port and the file. */
  close(): Promise<void>
}

const due_work_interval_ms = 250
const answer_retention_ms = 24 * 60 * 60 * 1000

/** Starts a whole sandbox: state, webhooks, HTTP. Resolves when it listens; rejects when the port is taken. */
export async function createStripeSandbox(given: Partial<StripeSandboxOptions>): Promise<StripeSandbox> {
  const options = { ...defaultOptions, ...given }
  const server = createServer()
  // Longer than the pause between two calls of a client, else it reuses a connection that is just being closed.
  server.keepAliveTimeout = 75_000
  // The port comes before the state file: a second process on the same port must fail before it touches the file.
  await listen(server, options.port)
  const { port } = server.address() as AddressInfo

  const store = createStore(options)
  const clock = createClock(store)
  const deliverer = createDeliverer(store, options)
  const service: Service = {
    store,
    clock,
    deliverer,
    options,
    faults: createFaults(),
    public_url: () => options.public_url ?? `http://localhost:${port}`,
  }
  server.on('request', createApp(service).callback())

  for (const { id, created_at_ms } of [...store.answers.oldestFirst()]) {
    if (created_at_ms < Date.now() - answer_retention_ms) store.answers.remove(id)
  }
  configureEndpoint(service, options)
  deliverer.resume()
  const due_work = setInterval(() => runDueWork(service), due_work_interval_ms)

  return {
    port,
    url: `http://localhost:${port}`,
    async close() {
      clearInterval(due_work)
      deliverer.stop()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
      store.close()
    },
  }
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
