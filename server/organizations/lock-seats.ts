import { lockLiveSubscription, type Subscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { seatsNeedSubscription } from '../errors.ts'

/** Locks the live subscription, as every change of a seat does. Throws `seatsNeedSubscription`. */
export async function lockSeats(trx: DatabaseTransaction, organizationId: string): Promise<Subscription> {
  const subscription = await lockLiveSubscription(trx, organizationId)
  if (!subscription) throw seatsNeedSubscription()
  return subscription
}
