import { CompiledQuery, type Kysely } from 'kysely'
import type { DB } from '../database/types.ts'
import { inSpan } from '../tracing.ts'
import type { HouseAccount, Owner, OwnerAccount, TransferKind } from './accounts.ts'
import { callLedger } from './call.ts'
import { adjustmentGrant, type Grant } from './grants.ts'
import { checkoutKey, transferKey } from './keys.ts'

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
    const [item] = items
    const values = item && items.length === 1 ? plainValuesOf(item) : null
    if (values) {
      const posted = await callLedger(db, callOf<PostedTransfer>(postOne, values))
      // Otherwise its key was known: what is compared then depends on when it was posted.
      if (posted.every(({ transfer_id }) => transfer_id !== null)) return posted
    }
    return callLedger(db, callOf<PostedTransfer>(postMany, [JSON.stringify(items)]))
  })
}

const callOf = <Row>(text: string, values: unknown[]): CompiledQuery<Row> => CompiledQuery.raw(text, values)

const postMany = `/* prepared: ledger_post */
  SELECT transfer_id, posted FROM ledger_post($1::jsonb) ORDER BY ordinal`
const postOne = `/* prepared: ledger_post_one */
  SELECT transfer_id, posted FROM ledger_post_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`

type Item = Omit<Transfer, 'grant'> & { readonly grant: Grant | null }

/** What `ledger_post_one` takes, when the transfer is of the commonest form: one leg in its grant's account and one of the house. */
function plainValuesOf({ legs, grant, ...transfer }: Item): unknown[] | null {
  const house = legs.find(({ owner_kind }) => owner_kind === 'house')
  const owner = legs.find(({ owner_kind }) => owner_kind !== 'house')
  if (!house || !owner || !grant || legs.length !== 2) return null
  const isGrants =
    owner.owner_kind === grant.owner_kind &&
    owner.owner_id === grant.owner_id &&
    owner.account === grant.account
  // A leg with more fields has another hash.
  const isBare = legs.every((leg) => Object.keys(leg).length === 4)
  if (!isGrants || !isBare || owner.amount === 0 || owner.amount !== -house.amount) return null
  const { idempotency_key, kind, occurred_at, intent_id, event_id, actor, reason } = transfer
  return [
    ...[idempotency_key, kind, occurred_at, intent_id, event_id, actor, reason, owner.amount, house.account],
    ...[grant.id, grant.owner_kind, grant.owner_id, grant.account, JSON.stringify(grant)],
  ]
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
