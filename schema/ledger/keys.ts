import type { Owner, OwnerAccount } from './accounts.ts'

/**
 * Every id and idempotency key of the ledger is made here: whoever hears of the same thing twice names the same grant and the
 * same transfer.
 */

export function purchaseGrantId(intentId: string): string {
  return `purchase/${intentId}`
}

export function monthGrantId(
  kind: 'month' | 'seats' | 'late_month',
  month: { readonly stripe_invoice_id: string; readonly month_starts_at: Date },
): string {
  return `${kind}/${month.stripe_invoice_id}/${Math.round(month.month_starts_at.getTime() / 1000)}`
}

/** For what belongs to none of the others: support's adjustments, and what was posted before there were grants. */
export function accountGrantId(kind: 'adjustment' | 'legacy', owner: Owner, account: OwnerAccount): string {
  return `${kind}/${owner.owner_kind}/${owner.owner_id}/${account}`
}

/**
 * The key of a grant's next transfer. `transfers` is how many it has, read under the owner's lock, so that a second attempt that
 * did not see the first cannot post beside it.
 */
export function nextTransferKey(grant: { readonly id: string; readonly transfers: number }): string {
  return `${grant.id}/${grant.transfers + 1}`
}

/** Owners do not know each other's keys, so each has names of their own. */
export function usageKey(owner: Owner, reportersKey: string): string {
  return `usage/${owner.owner_id}/${reportersKey}`
}

export function settlementKey(cause: string): string {
  return `settle/${cause}`
}

/** A paid checkout session is granted under its own name, so that the ledger itself refuses a second time. */
export function checkoutKey(stripeSessionId: string): string {
  return `checkout/${stripeSessionId}`
}
