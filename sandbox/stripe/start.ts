import { Faults } from '../kit/faults.ts'
import { createOutbox, type Outbox } from '../kit/outbox.ts'
import { listen, type Sandbox } from '../kit/serve.ts'
import { createApp } from './app.ts'
import { createClock } from './clock.ts'
import { settingsOf } from './entities/account.ts'
import { runDueWork } from './entities/due-work.ts'
import { configureEndpoint, endpointsFor } from './entities/webhook-endpoint.ts'
import type { Service } from './service.ts'
import { defaultSettings, type Settings } from './settings.ts'
import { openState, type StoredEvent } from './state.ts'
import { postEvent } from './wire/webhooks.ts'

const DUE_WORK_INTERVAL_MS = 250
const ANSWERS_KEPT_MS = 24 * 60 * 60 * 1000

/** Starts a whole sandbox: state, webhooks, HTTP. Resolves when it listens; rejects when the port is taken. */
export async function startStripeSandbox(given: Partial<Settings>): Promise<Sandbox> {
  const settings = { ...defaultSettings, ...given }
  const { server, port, url, close } = await listen(settings)
  const store = openState(settings.stateFile)
  const outbox: Outbox<StoredEvent> = createOutbox(store, {
    concurrency: 32,
    retryDelaysMs: settings.retryDelaysMs,
    rules: () => settingsOf(store).delivery_rules,
    endpointsFor: (event) => endpointsFor(store, event),
    post: (endpoint, event, signal) =>
      postEvent(store, { endpoint, event, signal, pending_webhooks: outbox.countPending(event.id) }),
  })
  const service: Service = {
    store,
    clock: createClock(store),
    outbox,
    settings,
    faults: new Faults(),
    unlistedEvents: new Set(),
    publicUrl: settings.publicUrl ?? url,
  }
  server.on('request', createApp(service).callback())

  store.answers.removeWhere(({ created_at_ms }) => created_at_ms < Date.now() - ANSWERS_KEPT_MS)
  configureEndpoint(service)
  outbox.resume()
  const dueWork = setInterval(() => runDueWork(service), DUE_WORK_INTERVAL_MS)

  return {
    port,
    url,
    async close() {
      clearInterval(dueWork)
      outbox.stop()
      await close()
      store.close()
    },
  }
}
