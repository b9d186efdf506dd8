import { newId } from '../ids.ts'
import type { Delivery, StoredEvent, StoredWebhookEndpoint } from '../state.ts'
import type { Store } from '../store/store.ts'
import { type PostResult, postEvent } from '../wire/webhooks.ts'
import { deliveryRuleFor } from './delivery-rules.ts'

export type Deliverer = {
  /** Makes the deliveries of a new event, as the rules of the moment say, and sends those that are due. */
  enqueue(event: StoredEvent): void
  /** Takes up what a former process left behind. */
  resume(): void
  /** Sends now what waits, is late or is withheld. */
  release(): number
  /** One more copy to every endpoint, whatever the rules say. */
  sendNow(event: StoredEvent): Promise<(PostResult & { endpoint: string; url: string })[]>
  /** How many deliveries of this event have not arrived yet: Stripe's `pending_webhooks`. */
  countPending(event_id: string): number
  stop(): void
}

const concurrency = 32

/** Sends events to webhook endpoints, retries with growing pauses, and remembers in the store how far it came. */
export function createDeliverer(
  store: Store,
  { retry_delays_ms }: { retry_delays_ms: readonly number[] },
): Deliverer {
  const waiting = new Set<string>()
  const in_flight = new Set<string>()
  const of_event = new Map<string, string[]>()
  let timer: NodeJS.Timeout | null = null
  let is_stopped = false
  let open_window: { batch: string; closes_at_ms: number } | null = null

  function add(delivery: Delivery) {
    store.deliveries.put(delivery)
    track(delivery)
  }

  function track({ id, event, state }: Delivery) {
    const ids = of_event.get(event)
    if (ids) ids.push(id)
    else of_event.set(event, [id])
    if (state === 'pending') waiting.add(id)
  }

  function enqueue(event: StoredEvent) {
    const rule = deliveryRuleFor(store, event.type)
    const schedule = {
      attempts: 0,
      batch: rule.mode === 'out_of_order' ? windowFor(rule.delay_ms).batch : null,
      last_error: null,
      last_status: null,
      next_attempt_at_ms:
        rule.mode === 'out_of_order' ? windowFor(rule.delay_ms).closes_at_ms : Date.now() + rule.delay_ms,
      state: rule.mode === 'never' ? 'withheld' : 'pending',
    } as const
    for (const endpoint of endpointsFor(store, event)) {
      for (let copy = 0; copy < rule.copies; copy++) {
        add({ id: newId('whd'), event: event.id, endpoint: endpoint.id, ...schedule })
      }
    }
    wake()
  }

  /** Events of one window are held together and sent the last one first. */
  function windowFor(delay_ms: number) {
    if (!open_window || open_window.closes_at_ms <= Date.now()) {
      open_window = { batch: newId('batch'), closes_at_ms: Date.now() + delay_ms }
    }
    return open_window
  }

  function wake() {
    if (is_stopped) return
    if (timer) clearTimeout(timer)
    timer = null
    const now = Date.now()
    let next_ms = Number.POSITIVE_INFINITY
    const due = new Map<string, Delivery[]>()
    for (const id of waiting) {
      const delivery = store.deliveries.get(id)
      if (!delivery) waiting.delete(id)
      else if (in_flight.has(id)) continue
      else if (delivery.next_attempt_at_ms > now) next_ms = Math.min(next_ms, delivery.next_attempt_at_ms)
      else due.set(delivery.batch ?? id, [delivery, ...(due.get(delivery.batch ?? id) ?? [])])
    }
    for (const batch of due.values()) {
      if (in_flight.size >= concurrency) break
      for (const { id } of batch) in_flight.add(id)
      void attemptInTurn(batch)
    }
    // A timer may not be longer than 2^31 ms; waking up early does no harm.
    if (next_ms < Number.POSITIVE_INFINITY) timer = setTimeout(wake, Math.min(next_ms - now, 60_000))
    timer?.unref()
  }

  async function attemptInTurn(batch: Delivery[]) {
    for (const { id } of batch) {
      await attempt(id)
      in_flight.delete(id)
    }
    wake()
  }

  async function attempt(id: string) {
    const delivery = store.deliveries.get(id)
    if (!delivery || is_stopped) return
    const event = store.events.get(delivery.event)
    const endpoint = store.webhook_endpoints.get(delivery.endpoint)
    if (!event || endpoint?.status !== 'enabled') return finish({ ...delivery, state: 'abandoned' })
    const result = await post(endpoint, event)
    if (is_stopped || !store.deliveries.get(id)) return
    const attempts = delivery.attempts + 1
    const tried = { ...delivery, attempts, last_status: result.status, last_error: result.error }
    const delay_ms = retry_delays_ms[attempts - 1]
    if (result.ok) finish({ ...tried, state: 'delivered' })
    else if (delay_ms === undefined) finish({ ...tried, state: 'abandoned' })
    else store.deliveries.put({ ...tried, batch: null, next_attempt_at_ms: Date.now() + delay_ms })
  }

  function post({ id, url }: StoredWebhookEndpoint, event: StoredEvent) {
    const secret = store.signing_secrets.get(id)?.secret ?? ''
    return postEvent({ url, secret }, { ...event, pending_webhooks: countPending(event.id) })
  }

  function finish(delivery: Delivery) {
    waiting.delete(delivery.id)
    store.deliveries.put(delivery)
  }

  function countPending(event_id: string) {
    const ids = of_event.get(event_id) ?? []
    return ids.filter((id) => /pending|withheld/.test(store.deliveries.get(id)?.state ?? '')).length
  }

  return {
    enqueue,
    countPending,

    resume() {
      waiting.clear()
      of_event.clear()
      for (const delivery of store.deliveries.oldestFirst()) track(delivery)
      wake()
    },

    release() {
      const held = [...store.deliveries.oldestFirst()].filter(({ state }) => /pending|withheld/.test(state))
      for (const delivery of held) {
        store.deliveries.put({ ...delivery, state: 'pending', next_attempt_at_ms: Date.now() })
        waiting.add(delivery.id)
      }
      wake()
      return held.length
    },

    async sendNow(event) {
      return Promise.all(
        endpointsFor(store, event).map(async (endpoint) => {
          const result = await post(endpoint, event)
          if (result.ok) settleWithheld(event.id, endpoint.id)
          return { endpoint: endpoint.id, url: endpoint.url, ...result }
        }),
      )
    },

    stop() {
      is_stopped = true
      if (timer) clearTimeout(timer)
    },
  }

  /** A copy that was held back counts as arrived once it has been sent by hand; one that is being retried goes on. */
  function settleWithheld(event_id: string, endpoint_id: string) {
    for (const id of of_event.get(event_id) ?? []) {
      const delivery = store.deliveries.get(id)
      if (delivery?.state === 'withheld' && delivery.endpoint === endpoint_id) {
        finish({ ...delivery, state: 'delivered' })
      }
    }
  }
}

function endpointsFor(store: Store, event: StoredEvent) {
  return [...store.webhook_endpoints.oldestFirst()].filter(
    ({ status, enabled_events }) =>
      status === 'enabled' && (enabled_events.includes('*') || enabled_events.includes(event.type)),
  )
}
