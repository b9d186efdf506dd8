import { setTimeout as delay } from 'node:timers/promises'
import { Faults } from '../kit/http.ts'
import { createOutbox } from '../kit/outbox.ts'
import { listen, type Sandbox } from '../kit/serve.ts'
import { createApp } from './app.ts'
import { CallQuota } from './entities/call-quota.ts'
import { createSigningKey } from './entities/signing-key.ts'
import { seed } from './seed.ts'
import type { Service } from './service.ts'
import { defaultSettings, type Settings } from './settings.ts'
import { openState, type WebhookEvent } from './state.ts'
import { postEvent, renderEvent } from './wire/webhooks.ts'

/** Starts state, webhooks and HTTP. Resolves when it listens; rejects when the port is taken. */
export async function startClerkSandbox(
  given: Partial<Settings> = {},
): Promise<Sandbox & { service: Service }> {
  const settings = { ...defaultSettings, ...given }
  const { server, port, url, close } = await listen(settings)
  const store = openState(settings.stateFile)
  const deliveryRule: Service['deliveryRule'] = { current: null }
  const outbox = createOutbox<WebhookEvent>(store, {
    // The one receiver gets the events one at a time, the oldest first.
    concurrency: 1,
    retryDelaysMs: settings.retryDelaysMs,
    rules: () => (deliveryRule.current ? [deliveryRule.current] : []),
    endpointsFor: () => ['configured'],
    post: (_endpoint, event, signal) => postEvent(settings, event, signal),
  })
  const clock = followClock(settings.clockUrl)
  const service: Service = {
    store,
    outbox,
    deliveryRule,
    renderEvent: (type, subject, timestamp) => renderEvent(service, { type, subject, timestamp }),
    faults: new Faults(),
    nowMs: () => Date.now() + clock.offsetMs(),
    settings,
    instance: { ...settings.instance },
    // https://clerk.com/docs/guides/how-clerk-works/system-limits and
    // https://clerk.com/docs/reference/backend/organization/create-organization-invitation-bulk (read on
    // 2026-11-22)
    quotas: { invitations: new CallQuota(250) },
  }
  server.on('request', createApp(service).callback())
  if (!store.signing_keys.get('signing_key')) {
    store.signing_keys.put(createSigningKey())
    await seed(service)
  }
  store.flush()
  // Without a receiver events are kept, for one that a later start names.
  if (settings.webhookUrl) outbox.resume()

  return {
    port,
    url,
    service,
    async close() {
      outbox.stop()
      clock.stop()
      await close()
      store.close()
    },
  }
}

/** How far a clock is ahead of the real time, as long as it is followed. */
export type FollowedClock = {
  offsetMs(): number
  stop(): void
}

const PAUSE_MS = 500

/** Follows another sandbox's clock by long polling. Null: the real time. */
function followClock(url: string | null): FollowedClock {
  const stopping = new AbortController()
  let offsetMs = 0

  async function follow(): Promise<void> {
    let query = ''
    while (!stopping.signal.aborted) {
      try {
        const response = await fetch(`${url}${query}`, { signal: stopping.signal })
        offsetMs = ((await response.json()) as { offset_ms: number }).offset_ms
        query = `?after=${offsetMs}`
      } catch {
        query = ''
        await delay(PAUSE_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
      }
    }
  }
  if (url) void follow()
  return { offsetMs: () => offsetMs, stop: () => stopping.abort() }
}
