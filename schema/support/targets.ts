import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { ActTarget } from '../api/support-acts.ts'
import { findCharge } from '../charges/charges.ts'
import { findIntent, recipientOf } from '../checkout/intents.ts'
import type { DB, Json } from '../database/types.ts'
import { findEvent, type InboxEvent } from '../inbox/events.ts'
import { findInvitation, findInvitationAtClerk } from '../invitations/invitations.ts'
import type { Owner } from '../ledger/accounts.ts'
import { type QueueName, queueNames } from '../queues/queues.ts'
import { findOwnerOfInvoice } from '../subscriptions/snapshots.ts'
import { findSubscription } from '../subscriptions/subscriptions.ts'
import { findUser } from '../users/users.ts'
import type { RowTarget } from './acts.ts'

export interface FoundTarget {
  readonly target: RowTarget
  /** Null when it is not known, or there is none yet. */
  readonly owner: Owner | null
  /** Of its row; null where we have none. */
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
        ? { target: { kind, id }, owner: await findOwnerOfCharge(db, id), state: null }
        : null
    case 'invitation': {
      const invitation = isUuid(id) ? await findInvitation(db, id) : await findInvitationAtClerk(db, id)
      if (!invitation) return null
      const owner = { owner_kind: 'organization', owner_id: invitation.organization_id } as const
      const state = invitation.sync_failed_at ? `${invitation.status}, not synced` : invitation.status
      return { target: { kind, id: invitation.id }, owner, state }
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

/** A queue that can be asked for a job. */
export interface JobFinder {
  queue(name: QueueName): {
    getJob(id: string): Promise<{ readonly data: unknown } | undefined>
  }
}

/**
 * The row that a job (`<queue>/<id>`) works on. Null when the queue does not keep it any more, and for a job that belongs to no row: those
 * run again by themselves.
 */
export async function findRowOfJob(producer: JobFinder, jobId: string): Promise<RowTarget | null> {
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

async function findOwnerOfCharge(db: Db, id: string): Promise<Owner | null> {
  const charge = await findCharge(db, id)
  if (charge?.intent_id) {
    const intent = await findIntent(db, charge.intent_id)
    return intent ? recipientOf(intent) : null
  }
  return (charge?.stripe_invoice_id && (await findOwnerOfInvoice(db, charge.stripe_invoice_id))) || null
}

const reference = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]).nullish()
const metadataSchema = z.object({ intentId: z.uuid().optional() }).nullish().catch(null)

/** Whatever an object of Stripe's says of whose it is. */
const stripeObjectSchema = z.object({
  id: z.string().optional(),
  client_reference_id: z.string().nullish().catch(null),
  metadata: metadataSchema,
  subscription: reference.catch(null),
  charge: reference.catch(null),
  customer: reference.catch(null),
  parent: z
    .object({ subscription_details: z.object({ subscription: reference }).nullish() })
    .nullish()
    .catch(null),
})

const clerkObjectSchema = z.object({
  id: z.string().optional(),
  organization_id: z.string().optional(),
  organization: z.object({ id: z.string() }).optional().catch(undefined),
})

const payloadSchema = z.object({ data: z.looseObject({ object: z.unknown() }) })

/** Of a checkout that the event names, else of the subscription, the charge or the customer. */
export async function findOwnerOfEvent(
  db: Db,
  { source, payload }: { readonly source: InboxEvent['source']; readonly payload: Json | null },
): Promise<Owner | null> {
  const { data } = payloadSchema.safeParse(payload).data ?? {}
  if (!data) return null
  if (source === 'clerk') return ownerAtClerk(clerkObjectSchema.safeParse(data).data)
  const object = stripeObjectSchema.safeParse(data.object).data
  if (!object) return null
  const intentId = object.metadata?.intentId ?? object.client_reference_id
  const intent = intentId && isUuid(intentId) ? await findIntent(db, intentId) : undefined
  const recipient = intent && recipientOf(intent)
  if (recipient) return recipient
  const subscriptionId =
    (object.id?.startsWith('sub_') ? object.id : object.subscription) ??
    object.parent?.subscription_details?.subscription
  const subscription = subscriptionId ? await findSubscription(db, subscriptionId) : undefined
  if (subscription) return { owner_kind: subscription.owner_kind, owner_id: subscription.owner_id }
  const chargeId = object.id?.startsWith('ch_') ? object.id : object.charge
  const payer = chargeId ? await findOwnerOfCharge(db, chargeId) : null
  if (payer || !object.customer) return payer
  const customer = await db
    .selectFrom('stripe_customers')
    .select(['owner_kind', 'owner_id'])
    .where('customer_id', '=', object.customer)
    .executeTakeFirst()
  return customer ?? null
}

function ownerAtClerk(object: z.infer<typeof clerkObjectSchema> | undefined): Owner | null {
  const id = object?.organization?.id ?? object?.organization_id ?? object?.id
  if (id?.startsWith('org_')) return { owner_kind: 'organization', owner_id: id }
  return id?.startsWith('user_') ? { owner_kind: 'user', owner_id: id } : null
}

/** Somebody who has an account with us, credits, or a subscription. */
async function isKnownOwner(db: Db, { owner_kind, owner_id }: Owner): Promise<boolean> {
  if (owner_kind === 'user' && (await findUser(db, owner_id))) return true
  for (const table of ['ledger_accounts', 'stripe_customers', 'subscriptions'] as const) {
    const row = await db
      .selectFrom(table)
      .select('owner_id')
      .where('owner_kind', '=', owner_kind)
      .where('owner_id', '=', owner_id)
      .limit(1)
      .executeTakeFirst()
    if (row) return true
  }
  return false
}

function isUuid(text: string): boolean {
  return z.uuid().safeParse(text).success
}
