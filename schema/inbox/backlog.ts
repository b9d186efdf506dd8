import type { Kysely } from 'kysely'
import type { DB } from '../database/types.ts'
import type { InboxEvent } from './events.ts'

/**
 * The event that has waited longest; null when everything is finished. `untried`: of those without a failed
 * try, for which the worker is behind, or down: one that was tried waits for something else.
 */
export async function findOldestUnapplied(
  db: Kysely<DB>,
  which: 'all' | 'untried' = 'all',
): Promise<Pick<InboxEvent, 'id' | 'source' | 'type' | 'received_at'> | null> {
  const oldest = await db
    .selectFrom('inbox_events')
    .select(['id', 'source', 'type', 'received_at'])
    .where('finished_at', 'is', null)
    .$if(which === 'untried', (query) => query.where('last_error', 'is', null))
    .orderBy('received_at')
    .limit(1)
    .executeTakeFirst()
  return oldest ?? null
}
