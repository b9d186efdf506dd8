import { type Kysely, type Selectable, sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { findRow } from '../../database/find-rows.ts'
import type { Charges, DB } from '../../database/types.ts'
import type { DisputeState } from '../../vendors/stripe/statuses.ts'

export type Charge = Selectable<Charges>

/** A charge as Stripe had it at one moment. Minor units of the currency it was paid in. */
export interface ChargeSnapshot {
  readonly owner_id: string
  /** Drawn before Stripe was called, so that an older snapshot never replaces a newer one. */
  readonly snapshot_order: number
  readonly stripe_charge_id: string
  /** What it paid for: one of the two. */
  readonly intent_id: string | null
  readonly stripe_invoice_id: string | null
  readonly amount_minor: number
  readonly refunded_minor: number
  /** Of these, what was given back for the unused part of a plan (decision 054). */
  readonly unused_refund_minor: number
  /** And what had been refunded before that; zero without one. */
  readonly refunded_before_minor: number
  /**
   * Held by disputes that are open or lost; null when that is not known, and then the stored amount stays.
   */
  readonly disputed_minor: number | null
  /** What became of its disputes; null without one. Like the amount, it stays while that is null. */
  readonly dispute_state: DisputeState | null
  /** When that was seen; kept while it stays so. */
  readonly dispute_state_at: Date | null
  /** Until when Stripe takes evidence for the one that is open. */
  readonly dispute_due_at: Date | null
}

/** Saves a snapshot unless a newer one is stored; returns whether it did. */
export async function saveCharge(trx: DatabaseTransaction, snapshot: ChargeSnapshot): Promise<boolean> {
  const {
    refunded_minor,
    unused_refund_minor,
    refunded_before_minor,
    disputed_minor,
    dispute_state,
    dispute_due_at,
    snapshot_order,
  } = snapshot
  const dispute =
    disputed_minor === null
      ? {}
      : {
          disputed_minor,
          dispute_state,
          dispute_state_at: sql<Date | null>`CASE WHEN charges.dispute_state IS NOT DISTINCT FROM excluded.dispute_state
            THEN charges.dispute_state_at ELSE excluded.dispute_state_at END`,
          dispute_due_at,
        }
  const saved = await trx
    .insertInto('charges')
    .values({ ...snapshot, disputed_minor: disputed_minor ?? 0 })
    .onConflict((conflict) =>
      conflict
        .columns(['owner_id', 'stripe_charge_id'])
        .doUpdateSet({
          refunded_minor,
          unused_refund_minor,
          refunded_before_minor,
          ...dispute,
          snapshot_order,
          updated_at: sql`now()`,
        })
        .where('charges.snapshot_order', '<', snapshot_order),
    )
    .returning('stripe_charge_id')
    .executeTakeFirst()
  return saved !== undefined
}

export function findCharge(db: Kysely<DB>, id: string): Promise<Charge | undefined> {
  return findRow(db, 'charges', 'stripe_charge_id', id)
}

export async function findDisputeStates(
  db: Kysely<DB>,
  owner_id: string,
  ids: readonly string[],
): Promise<Map<string, DisputeState>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('charges')
    .select(['stripe_charge_id', 'dispute_state'])
    .where('owner_id', '=', owner_id)
    .where('stripe_charge_id', 'in', ids)
    .execute()
  return new Map(
    rows.flatMap((row) => (row.dispute_state ? [[row.stripe_charge_id, row.dispute_state]] : [])),
  )
}

/** What went back of what was paid for an owner's checkouts. */
export async function listChargesOfIntents(
  db: Kysely<DB>,
  owner_id: string,
  intentIds: readonly string[],
): Promise<Charge[]> {
  if (intentIds.length === 0) return []
  return db
    .selectFrom('charges')
    .selectAll()
    .where('owner_id', '=', owner_id)
    .where('intent_id', 'in', intentIds)
    .execute()
}

export async function listChargesOfInvoices(
  db: Kysely<DB>,
  owner_id: string,
  invoiceIds: readonly string[],
): Promise<Charge[]> {
  if (invoiceIds.length === 0) return []
  return db
    .selectFrom('charges')
    .selectAll()
    .where('owner_id', '=', owner_id)
    .where('stripe_invoice_id', 'in', invoiceIds)
    .execute()
}
