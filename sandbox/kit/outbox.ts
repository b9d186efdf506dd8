import { newId } from './id.ts'
import type { Collection } from './store.ts'

/** One copy of one event on its way to one endpoint. */
export type Delivery = {
  id: string
  event: string
  endpoint: string
  state: 'pending' | 'delivered' | 'abandoned' | 'withheld'
  attempts: number
  /** Real time, not the clock of the service: retries are about the network. */
  next_attempt_at_ms: number
  /** Deliveries of one batch are sent one by one, last created first: this is "out of order". */
  batch: string | null
  last_status: number | null
  last_error: string | null
}

export type DeliveryRule = {
  mode: 'normal' | 'never' | 'twice' | 'late' | 'out_of_order'
  copies: number
  delay_ms: number
  /** The event types that it is for; null for all. */
  types: string[] | null
}

type Event = { id: string; type: string }

export type Outbox<E extends Event> = {
  /** Creates a new event's deliveries by the present rules, and sends due ones. */
  enqueue(event: E, nowMs?: number): void
  /**
   * Starts sending, beginning with an earlier process's deliveries; starts over when the store was emptied.
   */
  resume(): void
  /** Immediately sends everything that waits, is delayed or is withheld. */
  release(): number
  /** Sends one more copy to every endpoint, regardless of the rules. */
  sendNow(event: E): Promise<(PostResult & { endpoint: string })[]>
  deliveriesOf(eventId: string): Delivery[]
  /** How many deliveries of this event have not arrived yet. */
  countPending(eventId: string): number
  forget(eventId: string): void
  stop(): void
}

type Options<E extends Event> = {
  endpointsFor: (event: E) => string[]
  /** Null when the endpoint no longer accepts anything. */
  post: (endpoint: string, event: E, signal: AbortSignal) => Promise<PostResult> | null
  rules: () => readonly DeliveryRule[]
  /** The pause after each failed attempt; when there is no further one, the delivery is abandoned. */
  retryDelaysMs: readonly number[]
  /** How many deliveries, or batches, may be under way at once. */
  concurrency: number
}

const normal: DeliveryRule = { mode: 'normal', copies: 1, delay_ms: 0, types: null }
const TIMER_MAX_MS = 60_000

/** Sends events to webhook endpoints, retries with growing pauses, and keeps its progress in the store. */
export function createOutbox<E extends Event>(
  store: { deliveries: Collection<Delivery>; events: Collection<E> },
  { endpointsFor, post, rules, retryDelaysMs, concurrency }: Options<E>,
): Outbox<E> {
  const waiting = new Set<string>()
  const inFlight = new Set<string>()
  const ofEvent = new Map<string, string[]>()
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | null = null
  let isRunning = false
  let openWindow: { batch: string; closesAtMs: number } | null = null

  function track({ id, event, state }: Delivery) {
    const ids = ofEvent.get(event)
    if (ids) ids.push(id)
    else ofEvent.set(event, [id])
    if (state === 'pending') waiting.add(id)
  }

  function load() {
    waiting.clear()
    ofEvent.clear()
    for (const delivery of store.deliveries.oldestFirst()) track(delivery)
  }

  /** The newest of the rules that name the type, else the general one. */
  function ruleFor(type: string): DeliveryRule {
    const all = rules()
    return all.findLast((rule) => rule.types?.includes(type)) ?? all.findLast((rule) => !rule.types) ?? normal
  }

  function enqueue(event: E, nowMs = Date.now()) {
    const rule = ruleFor(event.type)
    const window = rule.mode === 'out_of_order' ? windowFor(rule.delay_ms) : null
    for (const endpoint of endpointsFor(event)) {
      for (let copy = 0; copy < rule.copies; copy++) {
        const delivery = store.deliveries.put({
          id: newId('whd'),
          event: event.id,
          endpoint,
          attempts: 0,
          batch: window?.batch ?? null,
          last_error: null,
          last_status: null,
          next_attempt_at_ms: window?.closesAtMs ?? nowMs + rule.delay_ms,
          state: rule.mode === 'never' ? 'withheld' : 'pending',
        })
        track(delivery)
      }
    }
    wake()
  }

  /** Events of one window are held together and sent the last one first. */
  function windowFor(delayMs: number) {
    if (!openWindow || openWindow.closesAtMs <= Date.now()) {
      openWindow = { batch: newId('batch'), closesAtMs: Date.now() + delayMs }
    }
    return openWindow
  }

  function wake() {
    if (!isRunning) return
    if (timer) clearTimeout(timer)
    timer = null
    const now = Date.now()
    let nextMs = Number.POSITIVE_INFINITY
    const due = new Map<string, Delivery[]>()
    for (const id of waiting) {
      const delivery = store.deliveries.get(id)
      if (!delivery) waiting.delete(id)
      else if (inFlight.has(id)) continue
      else if (delivery.next_attempt_at_ms > now) nextMs = Math.min(nextMs, delivery.next_attempt_at_ms)
      else due.set(delivery.batch ?? id, [delivery, ...(due.get(delivery.batch ?? id) ?? [])])
    }
    for (const batch of due.values()) {
      if (inFlight.size >= concurrency) break
      for (const { id } of batch) inFlight.add(id)
      void attemptInTurn(batch)
    }
    // A timer may not be longer than 2^31 ms; waking up early does no harm.
    if (nextMs < Number.POSITIVE_INFINITY) timer = setTimeout(wake, Math.min(nextMs - now, TIMER_MAX_MS))
    timer?.unref()
  }

  async function attemptInTurn(batch: Delivery[]) {
    for (const { id } of batch) {
      await attempt(id)
      inFlight.delete(id)
    }
    wake()
  }

  async function attempt(id: string) {
    const delivery = store.deliveries.get(id)
    if (!delivery || !isRunning) return
    const event = store.events.get(delivery.event)
    const result = event && (await post(delivery.endpoint, event, stopping.signal))
    if (!isRunning || !store.deliveries.get(id)) return
    if (!result) return finish({ ...delivery, state: 'abandoned' })
    const tried = afterAttempt(delivery, result)
    const delayMs = retryDelaysMs[tried.attempts - 1]
    if (result.ok) finish({ ...tried, state: 'delivered' })
    else if (delayMs === undefined) finish({ ...tried, state: 'abandoned' })
    else store.deliveries.put({ ...tried, batch: null, next_attempt_at_ms: Date.now() + delayMs })
  }

  function finish(delivery: Delivery) {
    waiting.delete(delivery.id)
    store.deliveries.put(delivery)
  }

  function deliveriesOf(eventId: string): Delivery[] {
    return (ofEvent.get(eventId) ?? []).flatMap((id) => store.deliveries.get(id) ?? [])
  }

  /** A manual delivery settles an abandoned copy; one that is still being retried continues. */
  function settleByHand(eventId: string, endpoint: string, result: PostResult) {
    for (const delivery of deliveriesOf(eventId)) {
      if (delivery.endpoint !== endpoint || !/withheld|abandoned/.test(delivery.state)) continue
      const tried = afterAttempt(delivery, result)
      finish(result.ok ? { ...tried, state: 'delivered' } : tried)
    }
  }

  load()
  return {
    enqueue,
    deliveriesOf,
    countPending: (eventId) =>
      deliveriesOf(eventId).filter(({ state }) => /pending|withheld/.test(state)).length,

    resume() {
      isRunning = true
      load()
      wake()
    },

    release() {
      const held = store.deliveries.filter(({ state }) => /pending|withheld/.test(state))
      for (const delivery of held) {
        store.deliveries.put({ ...delivery, state: 'pending', next_attempt_at_ms: Date.now() })
        waiting.add(delivery.id)
      }
      wake()
      return held.length
    },

    async sendNow(event) {
      const sent = endpointsFor(event).map(async (endpoint) => {
        const result = await post(endpoint, event, stopping.signal)
        if (result) settleByHand(event.id, endpoint, result)
        return result ? [{ endpoint, ...result }] : []
      })
      return (await Promise.all(sent)).flat()
    },

    forget(eventId) {
      for (const { id } of deliveriesOf(eventId)) {
        waiting.delete(id)
        store.deliveries.remove(id)
      }
      ofEvent.delete(eventId)
    },

    stop() {
      isRunning = false
      stopping.abort()
      if (timer) clearTimeout(timer)
    },
  }
}

function afterAttempt(delivery: Delivery, { status, error }: PostResult): Delivery {
  return { ...delivery, attempts: delivery.attempts + 1, last_status: status, last_error: error }
}

export type PostResult = { ok: boolean; status: number | null; error: string | null }

type Post = {
  url: string
  headers: Record<string, string>
  body: string
  timeoutMs: number
  signal: AbortSignal
}

/** One POST without redirects; anything but 2xx is a failure. Never throws. */
export async function post({ url, headers, body, timeoutMs, signal }: Post): Promise<PostResult> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headers,
      body,
    })
    // The connection goes back to the pool only when the answer has been read.
    await response.arrayBuffer()
    return { ok: response.ok, status: response.status, error: response.ok ? null : `HTTP ${response.status}` }
  } catch (error) {
    return { ok: false, status: null, error: reasonOf(error) }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message || String(error.cause) : error.message
}
