import type { WebhookEvent as Payload } from '@clerk/backend/webhooks'
import { createId } from '../entities/id.ts'
import type { Store } from '../store.ts'

/** `withheld` events wait until someone delivers them by hand. */
export type DeliveryMode = { mode: 'normal' | 'never' | 'twice' } | { mode: 'late'; delay_ms: number }

// Several types share one shape there, so the union has to be taken apart.
type DataOf<Type, Event = Payload> = Event extends { type: infer Types; data: infer Data }
  ? Type extends Types
    ? Data
    : never
  : never

const EVENTS_KEPT = 500

/** Where events go when something has happened. They are rows of the state, so a restart loses none. */
export class Outbox {
  readonly #store: Store
  readonly #instanceId: string
  readonly #onChange: () => void
  mode: DeliveryMode = { mode: 'normal' }

  constructor(store: Store, onChange: () => void) {
    this.#store = store
    this.#instanceId = store.signingKey.kid
    this.#onChange = onChange
  }

  emit<Type extends Payload['type']>(type: Type, data: DataOf<Type>): void {
    const now = Date.now()
    this.#store.events.add({
      id: createId('msg'),
      type,
      payload: {
        object: 'event',
        type,
        // A snapshot: entities go on changing, an event does not.
        data: structuredClone(data),
        timestamp: now,
        instance_id: this.#instanceId,
        event_attributes: { http_request: { client_ip: '127.0.0.1', user_agent: 'sandbox' } },
      } as unknown as Payload & { timestamp: number; instance_id: string },
      status: this.mode.mode === 'never' ? 'withheld' : 'pending',
      deliveries_wanted: this.mode.mode === 'twice' ? 2 : 1,
      attempts: 0,
      next_attempt_at: this.mode.mode === 'late' ? now + this.mode.delay_ms : now,
      last_status: null,
      last_error: null,
      created_at: now,
    })
    this.#store.events.trim(EVENTS_KEPT, (row) => row.status !== 'pending')
    this.#onChange()
  }
}
