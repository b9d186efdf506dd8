import type { Service } from '../service.ts'
import { createId, type EventSubjects } from '../state.ts'

const EVENTS_KEPT = 500

/** Records an event and starts its delivery. Events are rows of the state, so a restart loses none. */
export function emit<Type extends keyof EventSubjects>(
  { store, outbox, renderEvent, nowMs }: Service,
  type: Type,
  subject: EventSubjects[Type],
): void {
  const now = Date.now()
  const payload = renderEvent(type, subject, nowMs())
  outbox.enqueue(store.events.put({ id: createId('msg'), type, payload, created_at: now }), now)
  const isDone = ({ id }: { id: string }) => outbox.deliveriesOf(id).every(({ state }) => state !== 'pending')
  if (store.events.size > EVENTS_KEPT) {
    for (const { id } of store.events.trim(EVENTS_KEPT, isDone)) outbox.forget(id)
  }
}
