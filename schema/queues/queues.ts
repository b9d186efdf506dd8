import { z } from 'zod'

/** Work for the worker. The rows in Postgres say what has to be done; a job only says so sooner. */
const stripeEventJobSchema = z.object({ event_id: z.string() })
const clerkEventJobSchema = z.object({ event_id: z.string() })
const checkoutCompletionJobSchema = z.object({
  intent_id: z.uuid(),
  cause: z.enum(['return_page', 'session_status', 'sweep']),
})
const subscriptionSyncJobSchema = z.object({ subscription_id: z.string() })
const maintenanceJobSchema = z.object({})

export const queueSchemas = {
  'stripe-events': stripeEventJobSchema,
  'checkout-completions': checkoutCompletionJobSchema,
  'clerk-events': clerkEventJobSchema,
  'subscription-syncs': subscriptionSyncJobSchema,
  maintenance: maintenanceJobSchema,
} as const

export type QueueName = keyof typeof queueSchemas
export type JobPayload<Name extends QueueName> = z.infer<(typeof queueSchemas)[Name]>
export const queueNames = Object.keys(queueSchemas) as QueueName[]

export const maximumAttempts = 10

/**
 * Milliseconds until the next attempt after `attempts` failed ones: 1 s, 4 s, 16 s … with a quarter of jitter either way, so
 * that ten attempts span about a day and many jobs that fail together do not come back together.
 */
export function retryDelayMs(attempts: number, random: () => number = Math.random): number {
  const base = 1000 * 4 ** Math.max(0, attempts - 1)
  return Math.round(base * (0.75 + random() * 0.5))
}

/** How long jobs are kept: finished ones for a day, to be inspected, failed ones for a month, to be replayed. */
export const jobOptions = {
  attempts: maximumAttempts,
  backoff: { type: 'custom' },
  removeOnComplete: { age: 24 * 3600, count: 10_000 },
  removeOnFail: { age: 30 * 24 * 3600 },
} as const
