import { z } from 'zod'

/** Work for the worker. The rows in Postgres say what has to be done; a job only makes it happen sooner. */
const claim = z.int().min(0).optional()
/**
 * `claim` is the row's claim that the job was made for: once the row has been claimed again, the job does
 * nothing.
 */
const eventJobSchema = z.object({ event_id: z.string(), claim })
/** The request that a job came from, for the log and for traces. A job of the schedule has none. */
const jobOriginSchema = z.object({ request_id: z.string(), traceparent: z.string().optional() })
const checkoutCompletionJobSchema = z.object({
  intent_id: z.uuid(),
  cause: z.enum(['return_page', 'session_status', 'schedule']),
  claim,
})
const subscriptionSyncJobSchema = z.object({ subscription_id: z.string(), claim })
const supportActJobSchema = z.object({ act_id: z.uuid(), claim })
/** A task of `worker/tasks/schedule.ts`, by its name. */
const taskJobSchema = z.object({ task: z.string() })

export const queueSchemas = {
  'stripe-events': eventJobSchema,
  'checkout-completions': checkoutCompletionJobSchema,
  'clerk-events': eventJobSchema,
  'subscription-syncs': subscriptionSyncJobSchema,
  'support-acts': supportActJobSchema,
  tasks: taskJobSchema,
} as const

export type JobOrigin = z.infer<typeof jobOriginSchema>

/** BullMQ keeps a text beside a job's payload for this purpose. */
export function originOptions(origin: JobOrigin | undefined) {
  return origin ? { telemetry: { metadata: JSON.stringify(origin) } } : {}
}

/** Nothing depends on it, so one that is of another form is none. */
export function originOf(job: {
  readonly opts: { readonly telemetry?: { readonly metadata?: string } }
}): JobOrigin | undefined {
  try {
    return jobOriginSchema.safeParse(JSON.parse(job.opts.telemetry?.metadata ?? '')).data
  } catch {
    return undefined
  }
}

export type QueueName = keyof typeof queueSchemas
export type JobPayload<Name extends QueueName> = z.infer<(typeof queueSchemas)[Name]>
export const queueNames = Object.keys(queueSchemas) as QueueName[]

/** The queue of each sender's events. */
export const eventQueues = { stripe: 'stripe-events', clerk: 'clerk-events' } as const

/**
 * A job is one try. The row says when the next one is due, so a job is never retried by its queue. Few
 * finished jobs are kept, for a glance at what went on: the rows have the history. Of events none is kept
 * that went well: ending a job on Postgres looks for those that are too many, and all workers that do that at
 * once wait for each other.
 */
export function jobOptionsOf(queue: QueueName) {
  const isOfEvents = queue === 'stripe-events' || queue === 'clerk-events'
  return {
    attempts: 1,
    removeOnComplete: isOfEvents || { age: 3600, count: 100 },
    removeOnFail: { age: 7 * 24 * 3600, count: 100 },
  }
}
