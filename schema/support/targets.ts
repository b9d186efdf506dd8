import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { ActTarget } from '../api/support-acts.ts'
import { findIntent, recipientOf } from '../checkout/intents.ts'
import type { DB } from '../database/types.ts'
import { findEvent, type InboxEvent } from '../inbox/events.ts'
import { findInvitation, findInvitationAtClerk } from '../invitations/invitations.ts'
import type { Owner } from '../ledger/accounts.ts'
import { findHoldById } from '../ledger/read/open-holds.ts'
import { type QueueName, queueNames } from '../queues/queues.ts'
import { findSubscription } from '../subscriptions/subscriptions.ts'
import type { RowTarget } from './acts.ts'
import { isKnownOwner } from './lookups.ts'
import { findOwners } from './owners.ts'

export interface FoundTarget {
  readonly target: RowTarget
  /** Null when it is not known, or there is none yet. */
  readonly owner: Owner | null
  /** The state of its row; null without a row. */
  readonly state: string | null
}

type Db = Kysely<DB>

/** Finds what an act is about; null when there is no such thing. A few look-ups by key. */
export async function findTarget(db: Db, { kind, id }: RowTarget): Promise<FoundTarget | null> {
  switch (kind) {
    case 'event': {
      const event = await findEventById(db, id)
      return event
        ? { target: { kind, id }, owner: await findOwnerOfEvent(db, event), state: event.state }
        : null
    }
    case 'intent': {
      const intent = isUuid(id) ? await findIntent(db, id) : undefined
      return intent ? { target: { kind, id }, owner: recipientOf(intent), state: intent.state } : null
    }
    case 'subscription': {
      const subscription = await findSubscription(db, id)
      if (subscription) {
        const { owner_kind, owner_id, status, sync_failed_at } = subscription
        const state = sync_failed_at ? `${status}, not synced` : status
        return { target: { kind, id }, owner: { owner_kind, owner_id }, state }
      }
      // Stripe may have one that we have never heard of.
      return /^sub_\w+$/.test(id) ? { target: { kind, id }, owner: null, state: null } : null
    }
    case 'charge':
      return /^(ch|py)_\w+$/.test(id)
        ? { target: { kind, id }, owner: (await findOwners(db, [id])).get(id) ?? null, state: null }
        : null
    case 'invitation': {
      const invitation = isUuid(id) ? await findInvitation(db, id) : await findInvitationAtClerk(db, id)
      if (!invitation) return null
      const owner = { owner_kind: 'organization', owner_id: invitation.organization_id } as const
      const state = invitation.sync_failed_at ? `${invitation.status}, not synced` : invitation.status
      return { target: { kind, id: invitation.id }, owner, state }
    }
    case 'hold': {
      const hold = isUuid(id) ? await findHoldById(db, id) : undefined
      return hold ? { target: { kind, id }, owner: hold.owner, state: hold.state } : null
    }
    case 'user':
    case 'organization': {
      const owner = { owner_kind: kind, owner_id: id } as const
      return (await isKnownOwner(db, owner)) ? { target: { kind, id }, owner, state: null } : null
    }
  }
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

/** Ids of Stripe and Clerk look different, so an id alone says whose event it is. */
export async function findEventById(db: Db, id: string): Promise<InboxEvent | undefined> {
  return (await findEvent(db, { source: 'stripe', id })) ?? findEvent(db, { source: 'clerk', id })
}

/** By the event's checkout, else by its subject. */
async function findOwnerOfEvent(db: Db, { client_reference_id, subject }: InboxEvent): Promise<Owner | null> {
  const names = [client_reference_id, subject].flatMap((name) => name ?? [])
  const owners = await findOwners(db, names)
  return names.map((name) => owners.get(name)).find((owner) => owner !== undefined) ?? null
}

function isUuid(text: string): boolean {
  return z.uuid().safeParse(text).success
}
