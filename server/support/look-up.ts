import type { SupportMatch, TraceItem } from '../../schema/api/support.ts'
import type { ReadDatabase } from '../../schema/database/connect.ts'
import { queueNames } from '../../schema/inbox/queues/queues.ts'
import { isOwnerId, kindOf } from '../../schema/ledger/accounts.ts'
import { findHeldBy, findTransferIds, isKnownOwner } from '../../schema/support/lookups.ts'
import { findFirstOwner, findOwners } from '../../schema/support/owners.ts'
import { findTimelineRow, type TimelineRow } from '../../schema/support/timeline.ts'
import { maskEmail, type TimelineKind, timelineSources } from '../../schema/support/timeline-sources.ts'
import type { Dependencies } from '../dependencies.ts'
import { itemsOf } from './items.ts'
import { identify } from './owners.ts'
import { askStripe, findChargesOfCard, findInvoicesByNumber, namesIn } from './stripe-objects.ts'

export interface Lookup {
  readonly kind: string
  readonly id: string
}

/** Something that was asked for, and whose it is. */
export interface Hit extends Lookup, Partial<Pick<SupportMatch, 'name' | 'held' | 'is_finished'>> {
  readonly owner_id: string | null
  /** Its item on the owner's timeline; null for an owner as a whole. */
  readonly item: TraceItem | null
  /** The row of that item. */
  readonly row?: TimelineRow
}

type Deps = Pick<Dependencies, 'clerk' | 'stripe' | 'producer' | 'settings'> & { readonly db: ReadDatabase }

/** What leads to an owner beside the kinds of items on a timeline. */
const otherKinds: Readonly<Record<string, (deps: Deps, lookup: Lookup) => Promise<Hit[]>>> = {
  email: (deps, { id }) => lookUpEmail(deps, id.toLowerCase()),
  name: async ({ clerk }, { id }) =>
    (await clerk.findOwnersByName(id)).map(({ name, owner_id }) => ownerHit(owner_id, { name })),
  user: lookUpOwner,
  organization: lookUpOwner,
  job: lookUpJob,
  transfer: lookUpTransfer,
  grant: lookUpTransfer,
  customer: async (deps, { kind, id }) => {
    const owner_id = (await findOwners(deps.db, [id])).get(id)
    return owner_id ? [{ kind, id, owner_id, item: null }] : lookUpAtStripe(deps, { kind, id })
  },
  invoice_number: async (deps, { id }) =>
    lookUpEach(deps, 'invoice', await findInvoicesByNumber(deps.stripe, id)),
  card_payment: async (deps, { id }) => lookUpEach(deps, 'charge', await findChargesOfCard(deps.stripe, id)),
  payment_intent: lookUpAtStripe,
  refund: lookUpAtStripe,
  dispute: lookUpAtStripe,
}
const isTimelineKind = (kind: string): kind is TimelineKind => Object.hasOwn(timelineSources, kind)

export function isLookupKind(kind: string): boolean {
  return Object.hasOwn(otherKinds, kind) || kind === 'session' || isTimelineKind(kind)
}

/** Finds an id exactly, by an index; an unknown Stripe id is resolved by asking Stripe once. */
export async function lookUp(deps: Deps, { kind, id }: Lookup): Promise<Hit[]> {
  if (!isLookupKind(kind)) return []
  const find = otherKinds[kind]
  if (find) return find(deps, { kind, id })
  const hit = await lookUpRow(deps, { kind, id })
  return hit ? [hit] : lookUpAtStripe(deps, { kind, id })
}

async function lookUpEach(deps: Deps, kind: 'invoice' | 'charge', ids: readonly string[]): Promise<Hit[]> {
  const hits = await Promise.all(ids.map((id) => lookUp(deps, { kind, id })))
  return hits.flat()
}

async function lookUpRow({ db, settings }: Deps, { kind, id }: Lookup): Promise<Hit | undefined> {
  const of = kind === 'session' ? 'intent' : kind
  const row = isTimelineKind(of) ? await findTimelineRow(db, { kind: of, id }) : undefined
  if (!row) return undefined
  const items = itemsOf(row, settings)
  const item = items.find((presented) => presented.kind === kind) ?? items.at(-1)
  return item && { kind, id: item.id, owner_id: await findFirstOwner(db, row.names), item, row }
}

async function lookUpOwner({ db, clerk }: Deps, { id: owner_id }: Lookup): Promise<Hit[]> {
  if (!isOwnerId(owner_id)) return []
  if (!(await isKnownOwner(db, owner_id)) && !(await clerk.identify(owner_id))) return []
  return [ownerHit(owner_id)]
}

function ownerHit(owner_id: string, found: Pick<Hit, 'name' | 'held'> = {}): Hit {
  return { kind: kindOf(owner_id), id: owner_id, owner_id, item: null, ...found }
}

/** People by our copy and by Clerk; organizations that gave or reserved a seat for the address. */
async function lookUpEmail({ db, clerk }: Deps, email: string): Promise<Hit[]> {
  const [ours, theirs] = await Promise.all([findHeldBy(db, email), clerk.findUserIdsByEmail(email)])
  const masked = maskEmail(email)
  const nameOf = async (owner_id: string) => {
    const identity = await identify(clerk, owner_id)
    return typeof identity === 'object' ? identity.name : null
  }
  const people = [...new Set([...ours.users, ...theirs])].map(async (owner_id) => {
    return ownerHit(owner_id, { name: (await nameOf(owner_id)) ?? masked })
  })
  const organizations = ours.organizations.map(async ({ organization_id, via }) => {
    return ownerHit(organization_id, { name: await nameOf(organization_id), held: { via, label: masked } })
  })
  return Promise.all([...people, ...organizations])
}

/** Finds a transfer by its number, its idempotency key, or its grant. */
async function lookUpTransfer(deps: Deps, { kind, id: key }: Lookup): Promise<Hit[]> {
  const found = /^\d{1,16}$/.test(key) ? [{ id: key }] : await findTransferIds(deps.db, key)
  const hits = await Promise.all(found.map(({ id }) => lookUpRow(deps, { kind: 'transfer', id })))
  return hits.filter((hit) => hit !== undefined).map((hit) => (kind === 'grant' ? { ...hit, kind } : hit))
}

/** A job leads to the row that it was made for. One that is gone says so by its name: see `freshJobId`. */
async function lookUpJob(deps: Deps, { id }: Lookup): Promise<Hit[]> {
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
    const hit = await lookUpRow(deps, { kind, id: bare })
    if (!hit) continue
    return [{ ...hit, kind: 'job', id: name, is_finished: !job }]
  }
  return []
}

/** What Stripe has and we have not: it names a checkout, a customer or another object that we may have. */
async function lookUpAtStripe(deps: Deps, { kind, id }: Lookup): Promise<Hit[]> {
  const object = await askStripe(deps.stripe, { kind, id })
  if (!object) return []
  const { charge_id, intent_id, subscription_id, owners } = namesIn(object)
  const rows = [
    { kind: 'charge', id: charge_id },
    { kind: 'intent', id: intent_id },
    { kind: 'subscription', id: subscription_id },
  ] as const
  for (const row of rows) {
    const known = row.id && (await lookUpRow(deps, { kind: row.kind, id: row.id }))
    if (known) return [{ kind, id, owner_id: known.owner_id, item: known.item }]
  }
  // A refund or a dispute leads to its charge, and the charge to its purchase.
  if (charge_id && charge_id !== id) {
    const [hit] = await lookUp(deps, { kind: 'charge', id: charge_id })
    if (hit) return [{ ...hit, kind, id }]
  }
  return [{ kind, id, owner_id: await findFirstOwner(deps.db, owners), item: null }]
}
