import { type Kysely, sql } from 'kysely'
import type { Currency } from '../../catalogue/currency.ts'
import type { PlanType } from '../../catalogue/plans.ts'
import type { DB } from '../../database/types.ts'
import { kindOf } from '../../ledger/accounts.ts'
import { inThisMode } from '../../vendors/stripe/mode.ts'
import { refusedByBank } from './intents.ts'

/**
 * `awaiting_payment`: the buyer has paid by a way that takes days. `paid`: Stripe says so, the ledger does
 * not yet. `failed`: the bank refused. `under_review`: money may have come in that did not match the order,
 * and a person sees to it.
 */
export type RecentPaymentState = 'awaiting_payment' | 'paid' | 'failed' | 'under_review'

export interface RecentPayment {
  readonly id: string
  readonly kind: 'credit_purchase' | 'subscription'
  readonly plan_type: PlanType | null
  /** What it brings when it is settled. */
  readonly credits: number
  readonly amount_minor: number
  readonly currency: Currency
  readonly created_at: Date
  readonly state: RecentPaymentState
}

/**
 * An owner's checkouts since a day that were paid, or for which a payment was tried, and that are not in the
 * ledger, newest first. A payment page that was merely opened is none of them, and neither is one that has
 * expired. What a person bought for an organization that does not exist yet is the person's.
 */
export async function listRecentPayments(
  db: Kysely<DB>,
  owner_id: string,
  { since, limit }: { readonly since: Date; readonly limit: number },
): Promise<RecentPayment[]> {
  const isTheirs =
    kindOf(owner_id) === 'organization'
      ? sql<boolean>`i.owner_id = ${owner_id}`
      : sql<boolean>`i.user_id = ${owner_id} AND (starts_with(i.owner_id, 'user_') OR i.owner_id IS NULL)`
  const { rows } = await sql<RecentPayment>`
    SELECT i.id, i.kind, i.plan_type, i.credits, i.amount_minor, i.currency, i.created_at,
      CASE
        WHEN i.state = 'failed' AND i.failure_code = ANY (${refusedByBank}) THEN 'failed'
        WHEN event.state = 'failed' THEN 'under_review'
        WHEN i.state = 'failed' THEN 'failed'
        WHEN event.state = 'received' AND event.payment_status <> 'unpaid' THEN 'paid'
        ELSE 'awaiting_payment'
      END AS state
    FROM checkout_intents i
    LEFT JOIN LATERAL (
      SELECT e.state, e.payload #>> '{data,object,payment_status}' AS payment_status
      FROM inbox_events e
      WHERE e.type IN ('checkout.session.completed', 'checkout.session.async_payment_succeeded')
        AND e.client_reference_id = i.id::text
        AND e.source = 'stripe' AND e.state IN ('received', 'applied', 'failed')
      ORDER BY e.occurred_at DESC, e.type
      LIMIT 1
    ) event ON true
    WHERE ${isTheirs} AND i.created_at >= ${since} AND ${inThisMode('checkout_intents', 'i')}
      AND (i.state = 'awaiting_payment'
        OR (i.state = 'failed' AND i.stripe_session_id IS NOT NULL)
        OR (i.state IN ('created', 'open') AND event.state IS NOT NULL))
    ORDER BY i.created_at DESC, i.id
    LIMIT ${limit}`.execute(db)
  return rows
}
