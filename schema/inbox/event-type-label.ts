import { isClerkEventType } from '../clerk/event-types.ts'
import { isStripeEventType } from '../stripe/event-types.ts'
import type { EventSource } from './events.ts'

const isHandled: Record<EventSource, (type: string) => boolean> = {
  stripe: isStripeEventType,
  clerk: isClerkEventType,
}

/** The type as metrics count it: a metric must not grow a series for every type that a caller can make up. */
export function eventTypeLabel({ source, type }: { source: EventSource; type: string }): string {
  return isHandled[source](type) ? type : 'other'
}
