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
  invoiceId: string,
  startsAt: Date,
): string {
  return `${kind}/${invoiceId}/${Math.floor(startsAt.getTime() / 1000)}`
}

export function adjustmentGrantId(owner: Owner, account: OwnerAccount): string {
  return `adjustment/${owner.owner_kind}/${owner.owner_id}/${account}`
}

/**
 * The key of a grant's transfers, numbered from 1. The next number is read under the owner's lock, so that a second attempt that
 * did not see the first cannot post beside it.
 */
export function transferKey(grantId: string, ordinal: number): string {
  return `${grantId}/${ordinal}`
}

/** Owners do not know each other's keys, so each has names of their own. */
export function usageKey(owner: Owner, reportersKey: string): string {
  return `usage/${owner.owner_id}/${reportersKey}`
}

/** A paid checkout session is granted under its own name, so that the ledger itself refuses a second time. */
export function checkoutKey(stripeSessionId: string): string {
  return `checkout/${stripeSessionId}`
}
