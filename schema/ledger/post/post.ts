import { CompiledQuery, type Kysely } from 'kysely'
import type { DB } from '../../database/types.ts'
import { inSpan } from '../../tracing.ts'
import type { HouseAccount, Owner, OwnerAccount, TransferKind } from '../accounts.ts'
import { callLedger } from '../call.ts'
import { adjustmentGrant, type Grant } from '../grants.ts'
import { checkoutKey, transferKey } from '../keys.ts'

export type Leg = (Owner & { readonly account: OwnerAccount; readonly amount: number }) | HouseLeg

interface HouseLeg {
  readonly owner_kind: 'house'
  readonly owner_id: 'house'
  readonly account: HouseAccount
  readonly amount: number
}

/** One movement of credits. The amounts of its legs are whole credits, signed, and sum to zero. */
export interface Transfer {
  /** Names the cause, e.g. `checkout/cs_…`: the ledger posts each key once. */
  readonly idempotency_key: string
  readonly kind: TransferKind
  /**
   * What it belongs to; created with it if it does not exist yet. All its legs but the house's are of the grant's account.
   * Without one it belongs to the account's adjustments.
   */
  readonly grant?: Grant
  /** When it happened; the time of posting is set by the database. */
  readonly occurred_at: Date
  readonly intent_id: string | null
  readonly event_id: string | null
  /** Who caused it: `stripe`, `sweep`, or a user id. */
  readonly actor: string
  /** For people, shown in the history. */
  readonly reason: string
  readonly legs: readonly Leg[]
}

export interface PostedTransfer {
  readonly transfer_id: number
  /** False when the same transfer had been posted before. */
  readonly posted: boolean
}

export function houseLeg(account: HouseAccount, amount: number): HouseLeg {
  return { owner_kind: 'house', owner_id: 'house', account, amount }
}

/** One of a grant's transfers: `credits` are added to its account, or taken from it, and come from a house account. */
export interface GrantTransfer {
  readonly grant: Grant
  /** Numbers the grant's transfers from 1; read under the owner's lock. */
  readonly ordinal: number
  readonly credits: number
  readonly kind: TransferKind
  readonly house: HouseAccount
  /** Of a purchase: its first transfer is named after the session, so that the ledger itself refuses to grant it twice. */
  readonly stripe_session_id: string | null
}

export function grantTransfer(
  { grant, ordinal, credits, kind, house, stripe_session_id }: GrantTransfer,
  cause: Pick<Transfer, 'occurred_at' | 'event_id' | 'actor' | 'reason'>,
): Transfer {
  const { owner_kind, owner_id, account, intent_id } = grant
  return {
    ...cause,
    idempotency_key:
      stripe_session_id && ordinal === 1 ? checkoutKey(stripe_session_id) : transferKey(grant.id, ordinal),
    kind,
    grant,
    intent_id,
    legs: [{ owner_kind, owner_id, account, amount: credits }, houseLeg(house, -credits)],
  }
}

/**
 * Posts a batch in one round trip, in the given order; results come in the same order. A key that was posted before with
 * the same input returns the first result. Throws IdempotencyConflictError, UnbalancedTransferError or
 * InsufficientCreditsError, and then nothing of the batch is posted.
 */
export async function postTransfers(
  db: Kysely<DB>,
  transfers: readonly Transfer[],
): Promise<PostedTransfer[]> {
  if (transfers.length === 0) return []
  const items = transfers.map((transfer) => ({ ...transfer, grant: grantFor(transfer) }))
  return inSpan('ledger post', { attributes: () => attributesOf(transfers) }, async () => {
    const plain = items.map(plainItem)
    return (
      (isAllPlain(plain) && (await postPlain(db, plain))) ||
      callLedger(db, callOf<PostedTransfer>(postAny, [JSON.stringify(items)]))
    )
  })
}

const callOf = <Row>(text: string, values: unknown[]): CompiledQuery<Row> => CompiledQuery.raw(text, values)

const postAny = `/* prepared: ledger_post */
  SELECT transfer_id, posted FROM ledger_post($1::jsonb) ORDER BY ordinal`
const postOne = `/* prepared: ledger_post_one */
  SELECT transfer_id, posted FROM ledger_post_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`
const postMany = `/* prepared: ledger_post_many */
  SELECT transfer_id FROM unnest(ledger_post_many($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16))
    WITH ORDINALITY AS posted (transfer_id, ordinal) ORDER BY ordinal`

type Item = Omit<Transfer, 'grant'> & { readonly grant: Grant | null }

/** A transfer of the commonest form: one leg in its grant's account and one of the house. */
type PlainItem = Item & { readonly grant: Grant; readonly credits: number; readonly house: HouseAccount }

function plainItem(item: Item): PlainItem | null {
  const { legs, grant } = item
  const house = legs.find((leg): leg is HouseLeg => leg.owner_kind === 'house')
  const owner = legs.find(({ owner_kind }) => owner_kind !== 'house')
  if (!house || !owner || !grant || legs.length !== 2) return null
  const isGrants =
    owner.owner_kind === grant.owner_kind &&
    owner.owner_id === grant.owner_id &&
    owner.account === grant.account
  // A leg with more fields has another hash.
  const isBare = legs.every((leg) => Object.keys(leg).length === 4)
  if (!isGrants || !isBare || owner.amount === 0 || owner.amount !== -house.amount) return null
  return { ...item, grant, credits: owner.amount, house: house.account }
}

function isAllPlain(items: readonly (PlainItem | null)[]): items is readonly PlainItem[] {
  return items.every((item) => item !== null)
}

/**
 * Posts what the functions for the commonest form take. Null when one of the keys was known, or there is something else about a transfer that
 * `ledger_post` has to decide: then nothing was posted.
 */
async function postPlain(db: Kysely<DB>, items: readonly PlainItem[]): Promise<PostedTransfer[] | null> {
  const [item] = items
  if (item && items.length === 1) {
    const posted = await callLedger(db, callOf<PostedTransfer>(postOne, valuesOfOne(item)))
    return posted.every(({ transfer_id }) => transfer_id !== null) ? posted : null
  }
  const named = namedBy(items)
  if (!named || new Set(items.map(({ idempotency_key }) => idempotency_key)).size < items.length) return null
  const call = callOf<{ transfer_id: number }>(postMany, valuesOfMany(items, named))
  const posted = await callLedger(db, call)
  return posted.length > 0 ? posted.map(({ transfer_id }) => ({ transfer_id, posted: true })) : null
}

function valuesOfOne({ grant, ...item }: PlainItem): unknown[] {
  return [
    ...[item.idempotency_key, item.kind, item.occurred_at, item.intent_id, item.event_id, item.actor],
    ...[item.reason, item.credits, item.house],
    ...[grant.id, grant.owner_kind, grant.owner_id, grant.account, JSON.stringify(grant)],
  ]
}

function valuesOfMany(items: readonly PlainItem[], { owners, grants }: Named): unknown[] {
  const all = <Value>(pick: (item: PlainItem) => Value) => items.map(pick)
  return [
    [...owners.values()],
    [...owners.keys()],
    all((item) => item.idempotency_key),
    all((item) => item.kind),
    all((item) => item.occurred_at),
    all((item) => item.intent_id),
    all((item) => item.event_id),
    all((item) => item.actor),
    all((item) => item.reason),
    all((item) => item.credits),
    all((item) => item.house),
    all(({ grant }) => grant.id),
    all(({ grant }) => grant.owner_id),
    all(({ grant }) => grant.account),
    all(({ grant }) => grant.kind),
    JSON.stringify([...grants.values()]),
  ]
}

/** What transfers name, each once. */
interface Named {
  /** Kinds by ids. */
  readonly owners: ReadonlyMap<string, string>
  /** By their ids. */
  readonly grants: ReadonlyMap<string, Grant>
}

/** Null when something is said of an owner, or of a grant, in two ways: `ledger_post` says what is wrong. */
function namedBy(items: readonly PlainItem[]): Named | null {
  const owners = new Map<string, string>()
  const grants = new Map<string, Grant>()
  for (const { grant } of items) {
    const known = grants.get(grant.id) ?? grant
    const isSame =
      known.owner_id === grant.owner_id && known.account === grant.account && known.kind === grant.kind
    if (!isSame || (owners.get(grant.owner_id) ?? grant.owner_kind) !== grant.owner_kind) return null
    grants.set(grant.id, known)
    owners.set(grant.owner_id, grant.owner_kind)
  }
  return { owners, grants }
}

function attributesOf(transfers: readonly Transfer[]) {
  const valuesOf = (pick: (transfer: Transfer) => string | null | undefined) => [
    ...new Set(transfers.map(pick).filter((value) => typeof value === 'string')),
  ]
  return {
    'tidemark.transfers': transfers.length,
    'tidemark.transfer_kinds': valuesOf(({ kind }) => kind),
    'tidemark.event_ids': valuesOf(({ event_id }) => event_id),
    'tidemark.intent_ids': valuesOf(({ intent_id }) => intent_id),
    'tidemark.owner_kinds': valuesOf(({ grant }) => grant?.owner_kind),
  }
}

function grantFor({ grant, legs }: Transfer): Grant | null {
  if (grant) return grant
  const leg = legs.find((candidate) => candidate.owner_kind !== 'house')
  return leg ? adjustmentGrant(leg, leg.account) : null
}

/** Posts one transfer; see postTransfers. */
export async function postTransfer(db: Kysely<DB>, transfer: Transfer): Promise<PostedTransfer> {
  const [posted] = await postTransfers(db, [transfer])
  if (!posted) throw new Error(`The ledger returned nothing for ${transfer.idempotency_key}`)
  return posted
}
