import { sql } from 'kysely'
import type { TestDatabase } from './test-database.ts'

/** How many connections wait for a lock that another one holds. */
export async function countLockWaits(owner: TestDatabase['owner']): Promise<number> {
  const { waiting } = await owner
    .selectNoFrom(
      sql<number>`(SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock')`.as('waiting'),
    )
    .executeTakeFirstOrThrow()
  return waiting
}
