import { type Kysely, sql } from 'kysely'
import { prepared } from '../database/prepared.ts'
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
  return inSpan('ledger post', { attributes: () => attributesOf(transfers) }, () =>
    callLedger(
      db,
      prepared(
        'ledger_post',
        sql<PostedTransfer>`
        SELECT transfer_id, posted FROM ledger_post(${JSON.stringify(items)}::jsonb) ORDER BY ordinal`,
      ),
    ),
  )
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
