import { objectOfClerkEvent } from '../vendors/clerk/event-types.ts'
import { objectOfStripeEvent } from '../vendors/stripe/event-types.ts'
import type { EventSource } from './events.ts'

interface EventKind {
  readonly source: EventSource
  readonly type: string
}

export function isHandledEvent({ source, type }: EventKind): boolean {
  return (source === 'stripe' ? objectOfStripeEvent(type) : objectOfClerkEvent(type)) !== undefined
}

/** The type as metrics count it: a metric must not grow a series for every type that a caller can make up. */
export function eventTypeLabel(event: EventKind): string {
  return isHandledEvent(event) ? event.type : 'other'
}
