import { type Kysely, sql } from 'kysely'
import type { DB } from './types.ts'

export interface LastBackups {
  /** When the database was last backed up whole; null where no backup service writes it down. */
  readonly base: Date | null
  /** When Postgres last archived its log, or began to try; null where it does not archive any. */
  readonly log: Date | null
}

/**
 * As the backup service and Postgres say (https://www.postgresql.org/docs/18/monitoring-stats.html, table
 * pg_stat_archiver). A restored database knows the backups that were made before its own.
 */
export async function findLastBackups(db: Kysely<DB>): Promise<LastBackups> {
  const { rows } = await sql<LastBackups>`
    SELECT (SELECT max(finished_at) FROM base_backups) AS base,
      CASE WHEN current_setting('archive_mode') <> 'off'
        THEN coalesce(last_archived_time, pg_postmaster_start_time()) END AS log
    FROM pg_stat_archiver`.execute(db)
  return rows[0] ?? { base: null, log: null }
}
