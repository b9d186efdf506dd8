import { isClerkEventType } from '../clerk/event-types.ts'
import { isStripeEventType } from '../stripe/event-types.ts'
import type { EventSource } from './events.ts'

interface EventKind {
  readonly source: EventSource
  readonly type: string
}

const handled: Record<EventSource, (type: string) => boolean> = {
  stripe: isStripeEventType,
  clerk: isClerkEventType,
}

/** Whether anything follows from events of this type. */
export function isHandledEvent({ source, type }: EventKind): boolean {
  return handled[source](type)
}

/** The type as metrics count it: a metric must not grow a series for every type that a caller can make up. */
export function eventTypeLabel(event: EventKind): string {
  return isHandledEvent(event) ? event.type : 'other'
}
