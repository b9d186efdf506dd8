import { countLockWaits } from '../database/lock-waits.ts'
import type { TestDatabase } from '../database/test-database.ts'
import type { Team } from '../factories/teams.ts'
import { waitUntil } from '../wait-until.ts'

/** Runs concurrent requests for a seat, released together at the lock. At most as many as connections. */
export async function raceForSeats<T>(
  { owner }: TestDatabase,
  { subscription_id }: Team,
  requests: readonly (() => Promise<T>)[],
): Promise<T[]> {
  const running = await owner.transaction().execute(async (trx) => {
    await trx
      .selectFrom('subscriptions')
      .select('seats_total')
      .where('stripe_subscription_id', '=', subscription_id)
      .forUpdate()
      .execute()
    const started = requests.map((request) => request())
    await waitUntil(
      async () => (await countLockWaits(owner)) >= requests.length,
      'all of them to wait for the seats',
    )
    return started
  })
  return Promise.all(running)
}
