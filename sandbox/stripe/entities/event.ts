import type Stripe from 'stripe'
import { newId } from '../../kit/id.ts'
import type { Cause, Service } from '../service.ts'
import type { StoredEvent } from '../state.ts'
import { firstEntries, type Page } from './list.ts'

export const api_version = '2026-10-28.endive'

/** Records and sends an event. The object is a snapshot, since stored values are never mutated. */
export function emit(
  service: Service,
  type: Stripe.Event.Type,
  object: object,
  { cause, previous_attributes }: { cause: Cause; previous_attributes?: object },
): StoredEvent {
  const event: StoredEvent = {
    id: newId('evt'),
    object: 'event',
    api_version,
    created: service.clock.now(),
    data: { object: snapshotOf(object), ...(previous_attributes && { previous_attributes }) },
    livemode: service.livemode,
    request: { id: cause.request_id, idempotency_key: cause.idempotency_key },
    type,
  }
  service.store.events.put(event)
  service.outbox.enqueue(event)
  return event
}

/** Like any answer, an event shows an invoice's first lines only. */
function snapshotOf(object: object): object {
  return 'lines' in object ? { ...object, lines: firstEntries(object.lines as Page<unknown>) } : object
}

/**
 * What an update event reports: the old values of the fields that changed, of a hash only those, and null for
 * one that is new. A list is told whole:
 * https://docs.stripe.com/api/events/object#event_object-data-previous_attributes
 */
export function changedFields(before: object, after: object): Record<string, unknown> {
  const old = new Map<string, unknown>(Object.entries(before))
  const changed = Object.entries({ ...before, ...after }).flatMap(([key]) => {
    const [was = null, is = null] = [old.get(key), (after as Record<string, unknown>)[key]]
    if (JSON.stringify(was) === JSON.stringify(is)) return []
    return [[key, isHash(was) && isHash(is) ? changedFields(was, is) : was]]
  })
  return Object.fromEntries(changed)
}

function isHash(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('object' in value)
}
