import { randomUUID } from 'node:crypto'
import type { Database } from '../../../schema/database/connect.ts'
import type { Json } from '../../../schema/database/types.ts'
import { storeEvent } from '../../../schema/inbox/store-event.ts'
import type { CheckoutSession, StripeEvent } from '../../../schema/vendors/stripe/events.ts'
import type { ClerkSandboxEvent } from '../services/clerk.ts'

/** A checkout session as Stripe reports it for an intent of 500 credits; `fields` make it another. */
export function sessionOf(intentId: string, fields: Partial<CheckoutSession> = {}): CheckoutSession {
  return {
    id: `cs_test_${intentId}`,
    object: 'checkout.session',
    status: 'complete',
    payment_status: 'paid',
    amount_total: 700,
    currency: 'eur',
    client_reference_id: intentId,
    mode: 'payment',
    metadata: { intentId, credits: '500' },
    created: 1_790_000_000,
    ...fields,
  }
}

export function eventOf(type: string, object: { object: string }): StripeEvent {
  return {
    id: `evt_${randomUUID().replaceAll('-', '')}`,
    object: 'event',
    type,
    created: 1_790_000_000,
    data: { object },
  }
}

/** Puts an event into the inbox as the webhook would. */
export async function receiveStripeEvent(db: Database, event: StripeEvent): Promise<string> {
  await storeEvent(db, {
    source: 'stripe',
    id: event.id,
    type: event.type,
    payload: JSON.parse(JSON.stringify(event)),
    occurred_at: new Date(event.created * 1000),
    received_at: new Date(),
    next_try_at: new Date(),
  })
  return event.id
}

/** The event that names a checkout's session, as the webhook puts it into the inbox. */
export function receiveCheckoutEvent(
  db: Database,
  { session_id, intent_id }: { readonly session_id: string; readonly intent_id: string },
  type = 'checkout.session.completed',
): Promise<string> {
  return receiveStripeEvent(db, eventOf(type, sessionOf(intent_id, { id: session_id })))
}

/** The same for an event of Clerk’s, as often as one likes; returns the row's id. */
export async function receiveClerkEvent(
  db: Database,
  event: Pick<ClerkSandboxEvent, 'type' | 'payload'>,
): Promise<string> {
  const id = `msg_${randomUUID()}`
  await storeEvent(db, {
    source: 'clerk',
    id,
    type: event.type,
    payload: event.payload as unknown as Json,
    occurred_at: new Date(event.payload.timestamp),
    received_at: new Date(),
    next_try_at: new Date(Date.now() + 3_600_000),
  })
  return id
}
