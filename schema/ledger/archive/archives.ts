import { sql } from 'kysely'
import type { Database } from '../../database/connect.ts'

/**
 * `closed`: kept and no longer read. `written`: its files are there. `detached`: its months are tables of
 * their own. `finished`: they are gone, or kept.
 */
export type ArchiveState = 'closed' | 'written' | 'detached' | 'finished'

/** A range of months that leaves the ledger, or has left it. */
export interface ArchiveRow {
  readonly id: number
  readonly first_transfer_id: number
  readonly end_transfer_id: number
  readonly months: readonly string[]
  readonly state: ArchiveState
  readonly transfers: number
  readonly entries: number
  readonly keys: number
  readonly heads_digest_before: Buffer
  readonly heads_digest: Buffer
  readonly kept_digest: Buffer
  readonly manifest_digest: Buffer | null
  readonly closed_at: Date
}

/** The first transfer id after the archived months; zero without an archive. */
export const archivedEnd = sql`(SELECT coalesce(max(end_transfer_id), 0) FROM ledger_archives)`

/** In their order. */
export async function listArchives(db: Database): Promise<ArchiveRow[]> {
  return db
    .selectFrom('ledger_archives')
    .select([
      'id',
      'first_transfer_id',
      'end_transfer_id',
      'months',
      'state',
      'transfers',
      'entries',
      'keys',
      'heads_digest_before',
      'heads_digest',
      'kept_digest',
      'manifest_digest',
      'closed_at',
    ])
    .orderBy('id')
    .execute()
}

/** Goes on to the next state. `manifest_digest` as it was written last. */
export async function setArchiveState(
  db: Database,
  id: number,
  to: { readonly state: ArchiveState; readonly manifest_digest?: Buffer },
): Promise<void> {
  await db
    .updateTable('ledger_archives')
    .set({ ...to, finished_at: to.state === 'finished' ? sql`clock_timestamp()` : null })
    .where('id', '=', id)
    .execute()
}
