import { CompiledQuery, type Kysely } from 'kysely'
import type { DB } from '../../database/types.ts'
import { inSpan } from '../../tracing.ts'
import type { HouseAccount, TransferKind } from '../accounts.ts'
import { ledgerError } from '../errors.ts'
import type { Grant } from '../grants.ts'
import { checkoutKey, transferKey } from '../keys.ts'

/** One movement of credits, in the accounts of its grant's owner. */
export interface Transfer {
  /** Names the cause, e.g. `checkout/cs_…`: the ledger posts each key once. */
  readonly idempotency_key: string
  readonly kind: TransferKind
  /** What it belongs to; inserted with it if it does not exist yet. */
  readonly grant: Grant
  /** When it happened; the time of posting is set by the database. */
  readonly occurred_at: Date
  readonly intent_id: string | null
  readonly event_id: string | null
  /** Who caused it: `stripe`, `schedule`, or a user id. */
  readonly actor: string
  /** For people, shown in the history. */
  readonly reason: string
  /** What it adds to the owner's accounts, or takes from them. Whole credits, signed, 0 for none. */
  readonly plan: number
  readonly purchased: number
  /** The account of the house that takes the other side; null when `plan` and `purchased` cancel out. */
  readonly house: HouseAccount | null
}

export interface PostedTransfer {
  readonly transfer_id: number
  /** False when the same transfer had been posted before. */
  readonly posted: boolean
}

/**
 * One of a grant's transfers: `credits` are added to its account, or taken from it, and come from a house
 * account, or from the owner's other account when there is none.
 */
export interface GrantTransfer {
  readonly grant: Grant
  /** Numbers the grant's transfers from 1; see `transferKey`. */
  readonly ordinal: number
  readonly credits: number
  readonly kind: TransferKind
  readonly house: HouseAccount | null
  /**
   * Of a purchase: the session or invoice that paid it. Its first transfer is named after that: see
   * `checkoutKey`.
   */
  readonly paid_by: string | null
}

export function grantTransfer(
  { grant, ordinal, credits, kind, house, paid_by }: GrantTransfer,
  cause: Pick<Transfer, 'occurred_at' | 'event_id' | 'actor' | 'reason'>,
): Transfer {
  const other = house === null ? -credits : 0
  return {
    ...cause,
    idempotency_key: paid_by && ordinal === 1 ? checkoutKey(paid_by) : transferKey(grant.id, ordinal),
    kind,
    grant,
    intent_id: grant.intent_id,
    plan: grant.account === 'plan' ? credits : other,
    purchased: grant.account === 'purchased' ? credits : other,
    house,
  }
}

/**
 * Posts transfers in one round trip, in the given order, all or none; results come in the same order. A key
 * that was posted before with the same input returns the first result. Throws IdempotencyConflictError when a
 * key was posted with another input or a grant exists with another account or kind, and
 * UnbalancedTransferError when a transfer moves nothing.
 */
export async function postTransfers(
  db: Kysely<DB>,
  transfers: readonly Transfer[],
): Promise<PostedTransfer[]> {
  if (transfers.length === 0) return []
  const all = <Value>(pick: (transfer: Transfer) => Value) => transfers.map(pick)
  const call = CompiledQuery.raw(
    `/* prepared: ledger_post */
    SELECT transfer_id, posted FROM ledger_post($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ORDER BY ordinal`,
    [
      all(({ grant }) => grant.owner_id),
      all(({ idempotency_key }) => idempotency_key),
      all(({ kind }) => kind),
      all(({ occurred_at }) => occurred_at.toISOString()),
      all(({ intent_id }) => intent_id),
      all(({ event_id }) => event_id),
      all(({ actor }) => actor),
      all(({ reason }) => reason),
      all(({ plan }) => plan),
      all(({ purchased }) => purchased),
      all(({ house }) => house),
      all(({ grant }) => JSON.stringify(grant)),
    ],
  )
  return inSpan('ledger post', { attributes: () => attributesOf(transfers) }, async () => {
    try {
      return (await db.executeQuery<PostedTransfer>(call)).rows
    } catch (error) {
      throw ledgerError(error)
    }
  })
}

function attributesOf(transfers: readonly Transfer[]) {
  const valuesOf = (pick: (transfer: Transfer) => string | null) => [
    ...new Set(transfers.map(pick).filter((value) => value !== null)),
  ]
  return {
    'tidemark.transfers': transfers.length,
    'tidemark.transfer_kinds': valuesOf(({ kind }) => kind),
    'tidemark.event_ids': valuesOf(({ event_id }) => event_id),
    'tidemark.intent_ids': valuesOf(({ intent_id }) => intent_id),
  }
}
