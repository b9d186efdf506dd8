import { randomUUID } from 'node:crypto'
import type { Database } from '../../schema/database/connect.ts'
import type { Json } from '../../schema/database/types.ts'
import { receiveEvent } from '../../schema/inbox/events.ts'
import type { Sandbox } from './sandbox.ts'

export interface SandboxEvent {
  readonly id: string
  readonly type: string
  readonly payload: { readonly timestamp: number; readonly data: Record<string, unknown> }
}

/** Everything that the sign-in stand-in has had to tell, in the order in which it happened. */
export async function listClerkEvents(clerk: Sandbox): Promise<SandboxEvent[]> {
  const response = await fetch(`${clerk.url}/_sandbox/events`)
  return ((await response.json()) as { data: SandboxEvent[] }).data
}

/** Puts an event into the inbox as its webhook would, as often as one likes; returns the row's id. */
export async function receiveClerkEvent(
  db: Database,
  event: Pick<SandboxEvent, 'type' | 'payload'>,
): Promise<string> {
  const id = `msg_${randomUUID()}`
  await receiveEvent(db, {
    source: 'clerk',
    id,
    type: event.type,
    payload: event.payload as unknown as Json,
    occurred_at: new Date(event.payload.timestamp),
    sweep_at: new Date(Date.now() + 3_600_000),
  })
  return id
}
