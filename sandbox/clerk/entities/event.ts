import type { WebhookEvent as Payload } from '@clerk/backend/webhooks'

/** A webhook event as it was when it happened, and how far its delivery has come. */
export type WebhookEvent = {
  /** Also the `svix-id` of every attempt, so that the receiver can tell a repetition. */
  id: string
  type: Payload['type']
  payload: Payload & { timestamp: number; instance_id: string }
  status: 'pending' | 'delivered' | 'failed' | 'withheld'
  /** How often it still has to arrive; two when repetition was asked for. */
  deliveries_wanted: number
  attempts: number
  next_attempt_at: number | null
  last_status: number | null
  last_error: string | null
  created_at: number
}
