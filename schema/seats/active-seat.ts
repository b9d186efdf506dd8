import type { Database } from '../database/connect.ts'

/** The seat with which a user spends an organization's credits; undefined when there is none. */
export async function findActiveSeat(
  db: Database,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<{ role: 'admin' | 'member' } | undefined> {
  return db
    .selectFrom('seats')
    .select('role')
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .where('status', '=', 'active')
    .executeTakeFirst()
}
