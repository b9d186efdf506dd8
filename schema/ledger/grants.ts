import type { OwnerAccount } from './accounts.ts'
import { actGrantId, adjustmentGrantId, monthGrantId, purchaseGrantId } from './keys.ts'

/**
 * `purchase`: a checkout. `month`: a billing month that an invoice paid for. `seats`: seats added to one.
 * `late_month`: a month that was paid for after it was over. `adjustment`: by hand.
 */
export type GrantKind = 'purchase' | 'month' | 'seats' | 'late_month' | 'adjustment'

/**
 * One thing that brought credits. Every transfer but usage belongs to one, and moves credits of its account
 * alone.
 */
export interface Grant {
  readonly owner_id: string
  /** See keys.ts. */
  readonly id: string
  readonly kind: GrantKind
  readonly account: OwnerAccount
  /** This and the following fields are as they were when the grant was first posted. */
  readonly intent_id: string | null
  readonly stripe_subscription_id: string | null
  readonly stripe_invoice_id: string | null
  /** The billing month that its credits end with; null when they do not end. */
  readonly month_starts_at: Date | null
  readonly starts_at: Date | null
  readonly ends_at: Date | null
}

export function purchaseGrant(
  owner_id: string,
  { intent_id, starts_at }: { readonly intent_id: string; readonly starts_at: Date },
): Grant {
  return {
    id: purchaseGrantId(intent_id),
    kind: 'purchase',
    owner_id,
    account: 'purchased',
    intent_id,
    stripe_subscription_id: null,
    stripe_invoice_id: null,
    month_starts_at: null,
    starts_at,
    ends_at: null,
  }
}

/** What an invoice paid for in one billing month of a subscription, or too late for any. */
export interface MonthOfInvoice {
  readonly intent_id: string | null
  readonly stripe_subscription_id: string
  readonly stripe_invoice_id: string
  /** Null for `late_month`, whose credits do not end with a month. */
  readonly month_starts_at: Date | null
  readonly starts_at: Date
  readonly ends_at: Date
}

export function monthGrant(
  kind: 'month' | 'seats' | 'late_month',
  owner_id: string,
  month: MonthOfInvoice,
): Grant {
  return {
    id: monthGrantId(kind, month.stripe_invoice_id, month.month_starts_at ?? month.starts_at),
    kind,
    owner_id,
    account: kind === 'late_month' ? 'purchased' : 'plan',
    ...month,
  }
}

/** The grant of what belongs to no other: one per account, or one for each act of support that adjusts it. */
export function adjustmentGrant(owner_id: string, account: OwnerAccount, actId?: string): Grant {
  return {
    id: actId === undefined ? adjustmentGrantId(owner_id, account) : actGrantId(actId),
    kind: 'adjustment',
    owner_id,
    account,
    intent_id: null,
    stripe_subscription_id: null,
    stripe_invoice_id: null,
    month_starts_at: null,
    starts_at: null,
    ends_at: null,
  }
}
