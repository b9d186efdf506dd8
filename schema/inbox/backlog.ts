import type { Kysely } from 'kysely'
import type { DB } from '../database/types.ts'
import type { InboxEvent } from './events.ts'

export interface InboxBacklog {
  /** Of the oldest event that is not finished; null when everything is finished. */
  readonly oldest_received_at: Date | null
  /**
   * Of the oldest one without a failed try: the worker is behind, or down. One that was tried waits for
   * something else.
   */
  readonly oldest_untried_received_at: Date | null
}

/** How far the worker is behind, for health and metrics. Reads only rows that are not finished. */
export async function findInboxBacklog(db: Kysely<DB>): Promise<InboxBacklog> {
  return db
    .selectNoFrom((eb) => [
      eb
        .selectFrom('inbox_events')
        .select(({ fn }) => fn.min('received_at').as('oldest'))
        .where('finished_at', 'is', null)
        .as('oldest_received_at'),
      eb
        .selectFrom('inbox_events')
        .select('received_at')
        .where('finished_at', 'is', null)
        .where('last_error', 'is', null)
        .orderBy('received_at')
        .limit(1)
        .as('oldest_untried_received_at'),
    ])
    .executeTakeFirstOrThrow()
}

/** The event that has waited longest; null when everything is finished. */
export async function findOldestUnapplied(
  db: Kysely<DB>,
): Promise<Pick<InboxEvent, 'id' | 'source' | 'type' | 'received_at'> | null> {
  const oldest = await db
    .selectFrom('inbox_events')
    .select(['id', 'source', 'type', 'received_at'])
    .where('finished_at', 'is', null)
    .orderBy('received_at')
    .limit(1)
    .executeTakeFirst()
  return oldest ?? null
}
