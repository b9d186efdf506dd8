import type { LookupKind, TraceItem } from '../../schema/api/support.ts'
import type { ReadDatabase } from '../../schema/database/connect.ts'
import { type Owner, ownerOfId } from '../../schema/ledger/accounts.ts'
import { queueNames } from '../../schema/queues/queues.ts'
import {
  findHeldBy,
  findOwnerOfTransfer,
  findTransferIds,
  isKnownOwner,
} from '../../schema/support/lookups.ts'
import { findOwners } from '../../schema/support/owners.ts'
import { findTimelineRow } from '../../schema/support/timeline.ts'
import type { TimelineKind, TimelineRow } from '../../schema/support/timeline-rows.ts'
import type { Dependencies } from '../dependencies.ts'
import { nameColleagues } from './colleagues.ts'
import { capitalized, maskEmail } from './format.ts'
import { identify } from './owners.ts'
import { askStripe, isStripeKind, namesIn } from './stripe-objects.ts'
import { findChargesOfCard, findInvoicesByNumber } from './stripe-search.ts'
import { actorsOf, type PresentOptions, presentRow } from './trace-items.ts'

/** Something that was asked for, and whose it is. */
export interface Hit {
  readonly kind: LookupKind
  readonly id: string
  readonly title: string
  readonly owner: Owner | null
  /** Its item on the owner's timeline; null for an owner as a whole. */
  readonly item: TraceItem | null
}

export interface Lookup {
  readonly kind: LookupKind
  readonly id: string
}

type Deps = Pick<Dependencies, 'clerk' | 'stripe' | 'producer'> & { readonly db: ReadDatabase }

/** Finds an id exactly, by an index; an unknown Stripe id is resolved by asking Stripe once. */
export async function lookUp(deps: Deps, { kind, id }: Lookup, options: PresentOptions): Promise<Hit[]> {
  switch (kind) {
    case 'email':
      return lookUpEmail(deps, id.toLowerCase())
    case 'name': {
      const named = await deps.clerk.findOwnersByName(id)
      return named.map(({ name, ...owner }) => ownerHit(owner, name))
    }
    case 'user':
    case 'organization':
      return lookUpOwner(deps, id)
    case 'job':
      return lookUpJob(deps, id, options)
    case 'transfer':
    case 'grant':
      return lookUpTransfer(deps, { kind, id }, options)
    case 'customer': {
      const owner = (await findOwners(deps.db, [id])).get(id)
      return owner
        ? [{ kind, id, title: 'Customer of Stripe’s', owner, item: null }]
        : lookUpAtStripe(deps, { kind, id }, options)
    }
    case 'invoice_number':
      return lookUpEach(deps, 'invoice', await findInvoicesByNumber(deps.stripe, id), options)
    case 'card_payment':
      return lookUpEach(deps, 'charge', await findChargesOfCard(deps.stripe, id), options)
    case 'payment_intent':
    case 'refund':
    case 'dispute':
      return lookUpAtStripe(deps, { kind, id }, options)
    default: {
      const hit = await lookUpRow(deps, { kind, id }, options)
      if (hit) return [hit]
      return isStripeKind(kind) ? lookUpAtStripe(deps, { kind, id }, options) : []
    }
  }
}

async function lookUpEach(
  deps: Deps,
  kind: 'invoice' | 'charge',
  ids: readonly string[],
  options: PresentOptions,
): Promise<Hit[]> {
  const hits = await Promise.all(ids.map((id) => lookUp(deps, { kind, id }, options)))
  return hits.flat()
}

async function lookUpRow(
  { db, clerk }: Pick<Deps, 'db' | 'clerk'>,
  { kind, id }: Lookup & { readonly kind: TimelineKind | 'session' },
  options: PresentOptions,
): Promise<Hit | undefined> {
  const row = await findTimelineRow(db, { kind: kind === 'session' ? 'intent' : kind, id })
  if (!row) return undefined
  const nameOf = await nameColleagues({ db, clerk }, actorsOf([row]))
  const items = presentRow(row, { ...options, nameOf })
  const item = items.find((presented) => presented.kind === kind) ?? items.at(-1)
  return item && { kind, id: item.id, title: item.title, owner: await ownerOfRow(db, row), item }
}

async function ownerOfRow(db: Deps['db'], row: TimelineRow): Promise<Owner | null> {
  switch (row.kind) {
    case 'intent': {
      const { owner_kind, owner_id, user_id } = row.data
      return owner_id === null ? ownerOfId(user_id) : { owner_kind, owner_id }
    }
    case 'subscription':
      return { owner_kind: row.data.owner_kind, owner_id: row.data.owner_id }
    case 'seat':
    case 'invitation':
      return { owner_kind: 'organization', owner_id: row.data.organization_id }
    case 'transfer':
      return findOwnerOfTransfer(db, row.id)
    case 'hold':
      return ownerOfId(row.data.owner_id)
    case 'invoice': {
      const { stripe_subscription_id: id } = row.data
      const subscription = await findTimelineRow(db, { kind: 'subscription', id })
      return subscription ? ownerOfRow(db, subscription) : null
    }
    case 'charge':
      return firstOwner(db, [row.id])
    case 'act':
      return firstOwner(db, [row.data.owner_id, row.data.target_id])
    case 'event':
    case 'attempt':
      return firstOwner(
        db,
        row.kind === 'event' ? [row.data.subject, row.data.intent_id] : [row.data.subject],
      )
  }
}

async function firstOwner(db: Deps['db'], names: readonly (string | null)[]): Promise<Owner | null> {
  const given = names.filter((name) => name !== null)
  const owners = await findOwners(db, given)
  const name = given.find((known) => owners.has(known))
  return (name !== undefined && owners.get(name)) || null
}

async function lookUpOwner({ db, clerk }: Deps, id: string): Promise<Hit[]> {
  const owner = ownerOfId(id)
  if (!owner) return []
  if (!(await isKnownOwner(db, owner)) && !(await clerk.identify(owner))) return []
  return [ownerHit(owner)]
}

function ownerHit(owner: Owner, title = owner.owner_kind === 'user' ? 'Person' : 'Organization'): Hit {
  return { kind: owner.owner_kind, id: owner.owner_id, title, owner, item: null }
}

/** People by our copy and by Clerk; organizations that gave or reserved a seat for the address. */
async function lookUpEmail({ db, clerk }: Deps, email: string): Promise<Hit[]> {
  const [ours, theirs] = await Promise.all([findHeldBy(db, email), clerk.findUserIdsByEmail(email)])
  const masked = maskEmail(email)
  const nameOf = async (owner: Owner) => {
    const identity = await identify(clerk, owner)
    return typeof identity === 'object' ? identity.name : null
  }
  const people = [...new Set([...ours.users, ...theirs])].map(async (owner_id) => {
    const owner: Owner = { owner_kind: 'user', owner_id }
    return ownerHit(owner, (await nameOf(owner)) ?? masked)
  })
  const organizations = ours.organizations.map(async ({ organization_id, via }) => {
    const owner: Owner = { owner_kind: 'organization', owner_id: organization_id }
    const name = await nameOf(owner)
    const held = `${via} of ${masked}`
    return ownerHit(owner, name === null ? capitalized(held) : `${name}: ${held}`)
  })
  return Promise.all([...people, ...organizations])
}

/** Finds a transfer by its number, its idempotency key, or its grant. */
async function lookUpTransfer(
  deps: Deps,
  { kind, id: key }: Lookup,
  options: PresentOptions,
): Promise<Hit[]> {
  const found = /^\d{1,16}$/.test(key) ? [{ id: key }] : await findTransferIds(deps.db, key)
  const hits = await Promise.all(found.map(({ id }) => lookUpRow(deps, { kind: 'transfer', id }, options)))
  return hits.filter((hit) => hit !== undefined).map((hit) => (kind === 'grant' ? { ...hit, kind } : hit))
}

/** A job leads to the row that it was made for. One that is gone says so by its name: see `freshJobId`. */
async function lookUpJob(deps: Deps, id: string, options: PresentOptions): Promise<Hit[]> {
  const [, queue, name = id] = /^([a-z-]+)[:/](.+)$/.exec(id) ?? []
  const queues = queueNames.filter((known) => queue === undefined || known === queue)
  const jobs = await Promise.all(queues.map((known) => deps.producer.queue(known).getJob(name)))
  const job = jobs.find((found) => found !== undefined)
  const data: Record<string, unknown> = job?.data ?? {}
  const subject = [data.event_id, data.intent_id, data.subscription_id].find(
    (value) => typeof value === 'string',
  )
  const bare = subject ?? name.replace(/\.[0-9a-f]{1,16}$/, '')
  for (const kind of ['event', 'intent', 'subscription', 'invitation'] as const) {
    const hit = await lookUpRow(deps, { kind, id: bare }, options)
    if (!hit) continue
    return [{ ...hit, kind: 'job', id: name, title: `${job ? 'Job' : 'Finished job'}: ${hit.title}` }]
  }
  return []
}

/** What Stripe has and we have not: it names a checkout, a customer or another object that we may have. */
async function lookUpAtStripe(deps: Deps, { kind, id }: Lookup, options: PresentOptions): Promise<Hit[]> {
  const object = await askStripe(deps.stripe, { kind, id })
  if (!object) return []
  const names = namesIn(object)
  const intentId = names.intent_ids[0]
  const intent = intentId && (await lookUpRow(deps, { kind: 'intent', id: intentId }, options))
  const subscription =
    names.subscription_id &&
    (await lookUpRow(deps, { kind: 'subscription', id: names.subscription_id }, options))
  const charge = names.charge_id && (await lookUpRow(deps, { kind: 'charge', id: names.charge_id }, options))
  const known = charge || intent || subscription || null
  // A refund or a dispute leads to its charge, and the charge to its purchase.
  if (!known && names.charge_id && names.charge_id !== id) {
    const [hit] = await lookUp(deps, { kind: 'charge', id: names.charge_id }, options)
    if (hit) return [{ ...hit, kind, id, title: `${wordOf(kind)} at Stripe` }]
  }
  const owner =
    known?.owner ?? (await firstOwner(deps.db, [...names.owner_ids, names.customer_id, names.charge_id]))
  return [{ kind, id, title: `${wordOf(kind)} at Stripe`, owner, item: known?.item ?? null }]
}

function wordOf(kind: LookupKind): string {
  return capitalized(kind.replaceAll('_', ' '))
}
