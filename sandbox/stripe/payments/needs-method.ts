import type { StoredSession } from '../entities.ts'

/** Whether a buyer has to say how to pay: for what is due now, or for what a trial will cost when it is over. */
export function needsMethod({
  amount_total,
  mode,
  payment_method_collection,
}: Pick<StoredSession, 'amount_total' | 'mode' | 'payment_method_collection'>): boolean {
  return amount_total !== 0 || (mode === 'subscription' && payment_method_collection === 'always')
}
