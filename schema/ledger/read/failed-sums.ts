import { sql } from 'kysely'
import type { ReadDatabase } from '../../database/connect.ts'
import type { Owner } from '../accounts.ts'

/** Usage that is summed and that could not be posted when it was due: somebody has changed its rows by hand (decision 152). */
export interface FailedSum extends Owner {
  /** What its transfer will have. */
  readonly transfer_id: number
  readonly credits: number
  readonly reports: number
  /** When the first of them was summed. */
  readonly since: Date
  /** What Postgres said at the last try. */
  readonly reason: string
  readonly tries: number
  readonly first_failed_at: Date
  readonly last_failed_at: Date
  /** When it is tried again; whatever else is posted for the owner tries it before. */
  readonly try_at: Date
}

/** The oldest of those that are set aside, of everybody or of one owner. */
export async function listFailedSums(db: ReadDatabase, owner?: Owner): Promise<FailedSum[]> {
  const { rows } = await sql<FailedSum>`
    SELECT o.owner_kind, o.owner_id, f.transfer_id, o.unposted_credits AS credits, o.unposted_reports AS reports, o.unposted_since AS since,
      f.reason, f.tries, f.first_failed_at, f.last_failed_at, f.try_at
    FROM ledger_failed_sums f JOIN ledger_owners o ON o.owner_id = f.owner_id AND o.unposted_transfer_id = f.transfer_id
    ${owner ? sql`WHERE o.owner_id = ${owner.owner_id} AND o.owner_kind = ${owner.owner_kind}` : sql``}
    ORDER BY f.first_failed_at, o.unposted_since LIMIT 500`.execute(db)
  return rows
}

/** How many there are. */
export async function countFailedSums(db: ReadDatabase): Promise<number> {
  const { rows } = await sql<{ sums: number }>`
    SELECT count(*) AS sums
    FROM ledger_failed_sums f JOIN ledger_owners o ON o.owner_id = f.owner_id AND o.unposted_transfer_id = f.transfer_id`.execute(
    db,
  )
  return rows[0]?.sums ?? 0
}
