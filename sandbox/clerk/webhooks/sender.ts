import { Webhook } from 'svix'
import type { WebhookEvent } from '../entities/event.ts'
import type { Settings } from '../settings.ts'
import type { Store } from '../store.ts'

const TIMEOUT_MS = 15_000

/**
 * Delivers pending events, oldest first, one at a time. One that is refused waits for its next turn, each wait longer
 * than the one before, and does not hold up the others. Nothing promises order to the receiver.
 */
export class Sender {
  readonly #store: Store
  readonly #settings: Settings
  readonly #stop = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | null = null

  constructor(store: Store, settings: Settings) {
    this.#store = store
    this.#settings = settings
  }

  /** Looks for work as soon as the current turn of the event loop is over. */
  wake(): void {
    this.#schedule(0)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    clearTimeout(this.#timer)
    await this.#running
  }

  /** One attempt right now, whatever is planned. Resolves to whether it was accepted. */
  async deliver(event: WebhookEvent): Promise<boolean> {
    if (!this.#settings.webhookUrl) return false
    event.attempts += 1
    try {
      event.last_status = await this.#post(event, this.#settings.webhookUrl)
      event.last_error = null
    } catch (error) {
      event.last_status = null
      event.last_error = error instanceof Error ? explain(error) : String(error)
    }
    const isAccepted = event.last_status !== null && event.last_status >= 200 && event.last_status < 300
    if (isAccepted) event.deliveries_wanted = Math.max(0, event.deliveries_wanted - 1)
    this.#plan(event, isAccepted)
    return isAccepted
  }

  #plan(event: WebhookEvent, isAccepted: boolean): void {
    if (isAccepted) {
      event.status = event.deliveries_wanted > 0 ? 'pending' : 'delivered'
      event.next_attempt_at = event.deliveries_wanted > 0 ? Date.now() : null
      return
    }
    // What was delivered by hand is tried again by hand.
    if (event.status === 'withheld') return
    const delayMs = this.#settings.webhookRetryDelaysMs[event.attempts - 1]
    event.status = delayMs === undefined ? 'failed' : 'pending'
    event.next_attempt_at = delayMs === undefined ? null : Date.now() + delayMs
  }

  async #post(event: WebhookEvent, url: string): Promise<number> {
    const body = JSON.stringify(event.payload)
    const at = new Date()
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Svix-Webhooks/1.99 (sandbox)',
        'svix-id': event.id,
        'svix-timestamp': String(Math.floor(at.getTime() / 1000)),
        'svix-signature': new Webhook(this.#settings.webhookSecret).sign(event.id, at, body),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    await response.body?.cancel()
    return response.status
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer)
    if (this.#stop.signal.aborted || !this.#settings.webhookUrl) return
    this.#timer = setTimeout(() => this.#turn(), delayMs)
    this.#timer.unref()
  }

  #turn(): void {
    this.#running ??= this.#deliverDue().finally(() => {
      this.#running = null
      const next = this.#planned()[0]
      if (next) this.#schedule(Math.max(0, (next.next_attempt_at ?? 0) - Date.now()))
    })
  }

  async #deliverDue(): Promise<void> {
    for (;;) {
      const event = this.#planned()[0]
      if (!event || (event.next_attempt_at ?? 0) > Date.now() || this.#stop.signal.aborted) return
      await this.deliver(event)
      await this.#store.save()
    }
  }

  #planned(): WebhookEvent[] {
    return this.#store.events
      .filter((row) => row.status === 'pending' && row.next_attempt_at !== null)
      .sort((a, b) => (a.next_attempt_at ?? 0) - (b.next_attempt_at ?? 0))
  }
}

function explain(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : null
  return cause && 'code' in cause ? `${error.message}: ${cause.code}` : error.message
}
