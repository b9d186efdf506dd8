import { lockLiveSubscription, type Subscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { ServerError } from '../errors.ts'

/** Locks the live subscription, as every change of a seat does. Throws a 402 without one. */
export async function lockSeats(trx: DatabaseTransaction, organizationId: string): Promise<Subscription> {
  const subscription = await lockLiveSubscription(trx, organizationId)
  if (!subscription) {
    const text = 'This organization has no subscription. Set up billing first.'
    throw new ServerError(402, 'no_subscription', text)
  }
  return subscription
}
