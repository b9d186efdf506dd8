import type { Json } from '../../schema/database/types.ts'
import { eventTypeLabel } from '../../schema/inbox/event-type-label.ts'
import { type EventSource, receiveEvent } from '../../schema/inbox/events.ts'
import type { Trace } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { enqueue } from '../enqueue.ts'

export interface VerifiedEvent {
  readonly source: EventSource
  readonly id: string
  readonly type: string
  readonly occurred_at: Date
  /** The event as it came. */
  readonly payload: unknown
}

const queueOf = { stripe: 'stripe-events', clerk: 'clerk-events' } as const

/**
 * Puts a verified event into the inbox and tells the worker. When this returns the row is committed, and the sender may
 * forget the event; when it throws, the sender must send it again.
 */
export async function receiveVerifiedEvent(
  deps: Dependencies,
  event: VerifiedEvent,
  trace: Trace,
): Promise<void> {
  trace.note({ event_id: event.id, event_type: event.type })
  const { unsettled } = await receiveEvent(deps.db, {
    ...event,
    payload: event.payload as Json,
    sweep_at: new Date(deps.now().getTime() + deps.settings.sweep_after_ms),
  })
  if (unsettled) {
    await enqueue(deps, trace.log, {
      queue: queueOf[event.source],
      id: event.id,
      payload: { event_id: event.id },
    })
  }
  deps.metrics.webhooksAccepted.inc({ source: event.source, type: eventTypeLabel(event) })
}
