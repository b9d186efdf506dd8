import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApp } from './app.ts'
import { seed } from './seed.ts'
import type { Service } from './service.ts'
import { defaultSettings, type Settings } from './settings.ts'
import { Store } from './store.ts'
import { Outbox } from './webhooks/outbox.ts'
import { Sender } from './webhooks/sender.ts'

export type ClerkSandbox = {
  url: string
  port: number
  service: Service
  /** Stops listening, lets the delivery under way go, and leaves the state on disk. */
  close(): Promise<void>
}

/** Starts listening. Rejects with the system's own error when the port is taken. */
export async function createClerkSandbox(wanted: Partial<Settings> = {}): Promise<ClerkSandbox> {
  const settings: Settings = { ...defaultSettings, ...wanted }
  const store = await Store.open(settings.stateFile)
  const sender = new Sender(store, settings)
  const outbox = new Outbox(store, () => sender.wake())
  const service: Service = { settings, store, outbox, sender }
  const server = createServer(createApp(service).callback())

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.port, settings.host, resolve)
  })
  // Only who has the port may touch the state: two sandboxes on one file would overwrite each other.
  if (store.isNew) await seed(service)
  await store.save()
  sender.wake()

  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}`,
    port,
    service,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await Promise.all([closed, sender.close()])
      await store.save()
    },
  }
}
