import { createHmac } from 'node:crypto'
import { Faults } from '../kit/http.ts'
import { createOutbox, type Outbox, type PostResult, post } from '../kit/outbox.ts'
import { listen, type Sandbox } from '../kit/serve.ts'
import { createApp } from './app.ts'
import { createClock } from './clock.ts'
import { settingsOf } from './entities/account.ts'
import { runDueWork } from './entities/due-work.ts'
import { configureEndpoint, endpointsFor } from './entities/webhook-endpoint.ts'
import type { Service } from './service.ts'
import { defaultSettings, type Settings } from './settings.ts'
import { openState, type State, type StoredEvent } from './state.ts'

const DUE_WORK_INTERVAL_MS = 250
const ANSWERS_KEPT_MS = 24 * 60 * 60 * 1000

/** Starts state, webhooks and HTTP. Resolves when it listens; rejects when the port is taken. */
export async function startStripeSandbox(given: Partial<Settings>): Promise<Sandbox> {
  const settings = { ...defaultSettings, ...given }
  const { server, port, url, close } = await listen(settings)
  const testMode = createMode(settings, url, { livemode: false, otherMode: () => liveMode })
  const liveMode = createMode(settings, url, { livemode: true, otherMode: () => testMode })
  server.on('request', createApp(testMode))

  configureEndpoint(testMode)
  for (const { store, outbox } of [testMode, liveMode]) {
    store.answers.removeWhere(({ created_at_ms }) => created_at_ms < Date.now() - ANSWERS_KEPT_MS)
    outbox.resume()
  }
  const dueWork = setInterval(() => {
    runDueWork(testMode)
    runDueWork(liveMode)
  }, DUE_WORK_INTERVAL_MS)

  return {
    port,
    url,
    async close() {
      clearInterval(dueWork)
      for (const { outbox } of [testMode, liveMode]) outbox.stop()
      await close()
      for (const { store } of [testMode, liveMode]) store.close()
    },
  }
}

/** Test or live mode: its own objects, events and endpoints, with the clock and faults of test mode. */
function createMode(
  settings: Settings,
  url: string,
  { livemode, otherMode }: Pick<Service, 'livemode' | 'otherMode'>,
): Service {
  const store = openState(stateFileOf(settings, livemode))
  const outbox: Outbox<StoredEvent> = createOutbox(store, {
    concurrency: 32,
    retryDelaysMs: settings.retryDelaysMs,
    rules: () => settingsOf(store).delivery_rules,
    endpointsFor: (event) => endpointsFor(store, event),
    post: (endpoint, event, signal) =>
      postEvent(store, { endpoint, event, signal, pending_webhooks: outbox.countPending(event.id) }),
  })
  return {
    livemode,
    otherMode,
    store,
    clock: livemode ? otherMode().clock : createClock(store, settings),
    outbox,
    settings,
    faults: livemode ? otherMode().faults : new Faults(),
    restrictedKeys: new Map(),
    publicUrl: settings.publicUrl ?? url,
  }
}

/** `sandbox-stripe.db` and, beside it, `sandbox-stripe-live.db`. */
function stateFileOf({ stateFile }: Settings, livemode: boolean): string | null {
  return stateFile && livemode ? stateFile.replace(/(\.db)?$/, '-live$1') : stateFile
}

const TIMEOUT_MS = 10_000

/** One signed copy of an event to one endpoint, as Stripe sends it; null when the endpoint takes none. */
function postEvent(
  store: State,
  {
    endpoint,
    event,
    pending_webhooks,
    signal,
  }: { endpoint: string; event: StoredEvent; pending_webhooks: number; signal: AbortSignal },
): Promise<PostResult> | null {
  const target = store.webhook_endpoints.get(endpoint)
  if (target?.status !== 'enabled') return null
  const payload = JSON.stringify({ ...event, pending_webhooks }, null, 2)
  const secret = store.signing_secrets.get(endpoint)?.secret ?? ''
  return post({
    url: target.url,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      'stripe-signature': signPayload({ payload, secret }),
    },
    body: payload,
    timeoutMs: TIMEOUT_MS,
    signal,
  })
}

/**
 * The `Stripe-Signature` header: HMAC-SHA256 over "<seconds>.<body>", in real time, as receivers check it.
 */
function signPayload({ payload, secret }: { payload: string; secret: string }): string {
  const seconds = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', secret).update(`${seconds}.${payload}`).digest('hex')
  return `t=${seconds},v1=${signature}`
}
