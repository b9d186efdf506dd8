import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { ActTarget } from '../api/support-acts.ts'
import type { DB } from '../database/types.ts'
import { type QueueName, queueNames } from '../inbox/queues/queues.ts'
import type { RowTarget } from './acts.ts'
import { isKnownOwner } from './lookups.ts'
import { findFirstOwner } from './owners.ts'
import { findTimelineRow, stateOf } from './timeline.ts'

export interface FoundTarget {
  readonly target: RowTarget
  /** Null when it is not known, or there is none yet. */
  readonly owner_id: string | null
  /** The state of its row; null without a row. */
  readonly state: string | null
}

type Db = Kysely<DB>

/** Objects of Stripe's that we may never have heard of. */
const atStripe: Readonly<Record<string, RegExp>> = { subscription: /^sub_\w+$/, charge: /^(ch|py)_\w+$/ }

/** Finds what an act is about; null when there is no such thing. A few look-ups by key. */
export async function findTarget(db: Db, { kind, id }: RowTarget): Promise<FoundTarget | null> {
  if (kind === 'user' || kind === 'organization') {
    return (await isKnownOwner(db, id)) ? { target: { kind, id }, owner_id: id, state: null } : null
  }
  const row = await findTimelineRow(db, { kind, id })
  if (row) {
    const owner_id = await findFirstOwner(db, row.names)
    return { target: { kind, id: row.id }, owner_id, state: stateOf(row) }
  }
  return atStripe[kind]?.test(id)
    ? { target: { kind, id }, owner_id: await findFirstOwner(db, [id]), state: null }
    : null
}

const jobDataSchema = z.object({
  event_id: z.string().optional(),
  intent_id: z.string().optional(),
  subscription_id: z.string().optional(),
})

export interface JobFinder {
  queue(name: QueueName): {
    getJob(id: string): Promise<{ readonly data: unknown } | undefined>
  }
}

/**
 * The row that a job (`<queue>/<id>`) works on. Null when the queue does not keep it any more, and for a job
 * that belongs to no row: those run again by themselves.
 */
async function findRowOfJob(producer: JobFinder, jobId: string): Promise<RowTarget | null> {
  const [name = '', ...rest] = jobId.split('/')
  const queue = queueNames.find((candidate) => candidate === name)
  const job = queue && (await producer.queue(queue).getJob(rest.join('/')))
  const { event_id, intent_id, subscription_id } = jobDataSchema.safeParse(job?.data).data ?? {}
  if (event_id) return { kind: 'event', id: event_id }
  if (intent_id) return { kind: 'intent', id: intent_id }
  return subscription_id ? { kind: 'subscription', id: subscription_id } : null
}

/** The row that is meant; a job leads to one. */
export async function resolveTarget(
  deps: { readonly db: Db; readonly producer: JobFinder },
  { kind, id }: ActTarget,
): Promise<FoundTarget | null> {
  if (kind !== 'job') return findTarget(deps.db, { kind, id })
  const row = await findRowOfJob(deps.producer, id)
  return row && findTarget(deps.db, row)
}
