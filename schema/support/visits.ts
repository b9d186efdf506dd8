import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/connect.ts'
import { retryTransaction } from '../database/retry.ts'
import type { DB } from '../database/types.ts'
import { kindOf } from '../ledger/accounts.ts'
import { recordLook } from './audit.ts'

export interface Visit {
  readonly user_id: string
  readonly began_at: Date
}

/** An open page says every half minute that it is open; one that missed two of these is closed. */
const visitEndsAfterMs = 75_000
const keptMs = 3_600_000

/**
 * Records that a colleague has an owner's case open. `is_new`: they had not until now. `others`: colleagues
 * who also have it open, the first to open it first.
 */
async function recordVisit(
  db: Kysely<DB>,
  visit: { readonly owner_id: string; readonly user_id: string; readonly now: Date },
): Promise<{ readonly is_new: boolean; readonly others: Visit[] }> {
  const { owner_id, user_id, now } = visit
  const open_since = new Date(now.getTime() - visitEndsAfterMs)
  const { rows } = await sql<{ is_new: boolean }>`
    INSERT INTO support_visits AS known (owner_id, user_id, began_at, seen_at)
    VALUES (${owner_id}, ${user_id}, ${now}, ${now})
    ON CONFLICT (owner_id, user_id) DO UPDATE SET
      began_at = CASE WHEN known.seen_at < ${open_since} THEN excluded.began_at ELSE known.began_at END,
      seen_at = greatest(known.seen_at, excluded.seen_at)
    RETURNING known.began_at = ${now} AS is_new`.execute(db)
  const is_new = rows[0]?.is_new ?? true
  if (is_new) await deleteOldVisits(db, new Date(now.getTime() - keptMs))
  const others = await db
    .selectFrom('support_visits')
    .select(['user_id', 'began_at'])
    .where('owner_id', '=', owner_id)
    .where('user_id', '<>', user_id)
    .where('seen_at', '>=', open_since)
    .orderBy('began_at')
    .execute()
  return { is_new, others }
}

/** Records the visit, and in the audit log that it began: before the case is read. */
export function openCase(
  db: Database,
  { owner_id, user_id, now }: { readonly owner_id: string; readonly user_id: string; readonly now: Date },
): Promise<Visit[]> {
  return retryTransaction(db, async (trx) => {
    const { is_new, others } = await recordVisit(trx, { owner_id, user_id, now })
    const target = { kind: kindOf(owner_id), id: owner_id }
    const detail = 'Opened the case and saw the customer’s identity'
    if (is_new) await recordLook(trx, { actor: user_id, what: 'open_case', target, owner_id, detail })
    return others
  })
}

/** A few at a time, so that opening a case does not wait for it. */
async function deleteOldVisits(db: Kysely<DB>, seen_before: Date): Promise<void> {
  await sql`
    DELETE FROM support_visits WHERE (owner_id, user_id) IN (
      SELECT owner_id, user_id FROM support_visits WHERE seen_at < ${seen_before}
      ORDER BY seen_at LIMIT 20 FOR UPDATE SKIP LOCKED)`.execute(db)
}
