import { createHash } from 'node:crypto'
import type { OwnerAccount } from './accounts.ts'

/**
 * Every id and idempotency key of the ledger is made here: two reports of the same thing name the same grant
 * and the same transfer.
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

export function adjustmentGrantId(owner_id: string, account: OwnerAccount): string {
  return `adjustment/${owner_id}/${account}`
}

/** What an act of support adjusted: doing the act again names the same grant. */
export function actGrantId(actId: string): string {
  return `adjustment/${actId}`
}

/**
 * The key of a grant's transfers, numbered from 1. The next number is read under the lock of the owner, or of a
 * purchase under that of its intent, so that a second attempt that did not see the first cannot post beside it.
 */
export function transferKey(grantId: string, ordinal: number): string {
  return `${grantId}/${ordinal}`
}

/**
 * The key of a usage: the person who reports it and the key that their editor chose, as SHA-256, because an
 * editor may put anything into its keys. The payer is not part of it: a key counts once for each payer. What
 * the operator's services report has keys of its own, so that no editor can take theirs; which of the operator's
 * keys reports is not part of it, so that a retry with a new one counts once, too.
 */
export function usageKey(
  { actor, operator_key_id }: { readonly actor: string; readonly operator_key_id?: string | null },
  reportersKey: string,
): string {
  const reporter = operator_key_id ? `${actor}\0operator` : actor
  return `usage/${createHash('sha256').update(`${reporter}\0${reportersKey}`).digest('hex')}`
}

/**
 * What paid is part of the key, a session or an invoice: the ledger answers the same grant with its first transfer, and
 * refuses that of another intent.
 */
export function checkoutKey(paidBy: string): string {
  return `checkout/${paidBy}`
}
