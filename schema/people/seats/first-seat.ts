import { lockLiveSubscription } from '../../billing/subscriptions/subscriptions.ts'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { countHeldSeats, findHeldSeat, insertSeat, type SeatRole } from './seats.ts'

/**
 * Gives the buyer of a subscription its first seat, once for each subscription: a repeated event changes
 * nothing, even if the buyer has given the seat up or passed it on since. Does nothing when all seats are in
 * use, as when an organization comes back with fewer seats than people: no member loses a seat. The live
 * subscription's row must have been written; the caller refreshes plan types afterwards.
 */
export async function giveFirstSeat(
  trx: DatabaseTransaction,
  buyer: { organization_id: string; user_id: string; email: string; role: SeatRole },
): Promise<'given' | 'had_one' | 'no_free_seat' | 'no_subscription'> {
  const subscription = await lockLiveSubscription(trx, buyer.organization_id)
  if (!subscription) return 'no_subscription'
  const hadOne = await trx
    .selectFrom('seats')
    .select('id')
    .where('organization_id', '=', buyer.organization_id)
    .where('user_id', '=', buyer.user_id)
    .where((eb) => eb.or([eb('status', '=', 'active'), eb('updated_at', '>=', subscription.created_at)]))
    .executeTakeFirst()
  const isReserved = await findHeldSeat(trx, buyer.organization_id, { email: buyer.email.toLowerCase() })
  if (hadOne || isReserved) return 'had_one'
  if ((await countHeldSeats(trx, buyer.organization_id)) >= subscription.seats_total) return 'no_free_seat'
  await insertSeat(trx, buyer)
  return 'given'
}
