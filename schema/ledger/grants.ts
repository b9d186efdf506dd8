import type { Owner, OwnerAccount } from './accounts.ts'
import { accountGrantId, monthGrantId, purchaseGrantId } from './keys.ts'

/** One thing that brought credits. Every transfer but usage belongs to one, in the grant's account. */
export type Grant = PurchaseGrant | MonthGrant | AccountGrant

/** Credits that were bought, by one checkout intent. */
export interface PurchaseGrant extends Owner {
  readonly kind: 'purchase'
  readonly id: string
  readonly account: 'purchased'
  readonly intent_id: string
}

/** What one invoice paid for in one billing month: the month itself, or seats that were added to it. */
interface MonthGrantFields extends Owner {
  readonly id: string
  readonly stripe_subscription_id: string
  readonly stripe_invoice_id: string
  /** The month it belongs to; `seats` begin later than their month. */
  readonly month_starts_at: Date
  readonly starts_at: Date
  readonly ends_at: Date
}

export type MonthGrant =
  | (MonthGrantFields & { readonly kind: 'month' | 'seats'; readonly account: 'plan' })
  /** Its invoice was paid after the subscription had ended. */
  | (MonthGrantFields & { readonly kind: 'late_month'; readonly account: 'purchased' })

/** Adjustments, and what was posted before there were grants: one an account. */
export interface AccountGrant extends Owner {
  readonly kind: 'adjustment' | 'legacy'
  readonly id: string
  readonly account: OwnerAccount
}

export function purchaseGrant(owner: Owner, intentId: string): PurchaseGrant {
  return {
    ...ownerOf(owner),
    kind: 'purchase',
    id: purchaseGrantId(intentId),
    account: 'purchased',
    intent_id: intentId,
  }
}

export function monthGrant(
  kind: MonthGrant['kind'],
  owner: Owner,
  month: Omit<MonthGrantFields, 'id' | keyof Owner>,
): MonthGrant {
  const { stripe_subscription_id, stripe_invoice_id, month_starts_at, starts_at, ends_at } = month
  const fields = {
    ...ownerOf(owner),
    id: monthGrantId(kind, month),
    stripe_subscription_id,
    stripe_invoice_id,
    month_starts_at,
    starts_at,
    ends_at,
  }
  return kind === 'late_month'
    ? { ...fields, kind, account: 'purchased' }
    : { ...fields, kind, account: 'plan' }
}

export function accountGrant(kind: AccountGrant['kind'], owner: Owner, account: OwnerAccount): AccountGrant {
  return { ...ownerOf(owner), kind, id: accountGrantId(kind, owner, account), account }
}

/** The two fields alone, whatever else the caller's object carries. */
function ownerOf({ owner_kind, owner_id }: Owner): Owner {
  return { owner_kind, owner_id }
}
