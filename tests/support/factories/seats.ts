import type { TestDatabase } from '../database/test-database.ts'

/** A person's seat in an organization, which needs no subscription for our purposes. */
export async function buildSeat(
  database: TestDatabase,
  seat: {
    organization_id: string
    user_id: string
    /** In lower case; of a user whose id is not. */
    email?: string
    role?: 'admin' | 'member'
    /** A pending one names no user yet. */
    status?: 'active' | 'revoked' | 'expired'
  },
): Promise<void> {
  await database.worker
    .insertInto('seats')
    .values({ role: 'member', status: 'active', email: `${seat.user_id}@tidemark.test`, ...seat })
    .execute()
}
