import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/types.ts'
import type { ReportProblem } from '../ledger/verify/problems.ts'
import type { PersonTraces } from './person.ts'

/**
 * Checks that no entry of the audit log was changed, taken out or put in: its hash covers the one before.
 * What was erased is covered by a salted hash. Needs the tables' owner.
 */
export async function checkAuditLog(db: Kysely<DB>, problem: ReportProblem): Promise<void> {
  const { rows } = await sql<{ id: number; is_text_right: boolean }>`
    SELECT id, is_text_right FROM (
      SELECT e.id, e.salt IS NULL AND num_nonnulls(e.reason, e.detail) = 0
          OR e.text_hash = audit_text_hash(e.salt, e.reason, e.detail) AS is_text_right,
        e.hash = audit_entry_hash(e, lag(e.hash) OVER in_order)
          AND e.id = coalesce(lag(e.id) OVER in_order, e.id - 1) + 1 AS is_chained,
        min(e.id) FILTER (WHERE e.hash IS NOT NULL) OVER () AS first_id
      FROM audit_log e WINDOW in_order AS (ORDER BY e.id)
    ) checked
    WHERE id >= first_id AND (is_chained AND is_text_right) IS NOT TRUE
    ORDER BY id LIMIT 100`.execute(db)
  for (const { id, is_text_right } of rows) {
    problem(
      is_text_right
        ? 'every entry of the audit log follows from the one before it'
        : 'every entry of the audit log says what it said when it was written',
      `audit entry ${id}`,
    )
  }
}

/**
 * Erases the free text of what the audit log has about a person, or that names them; the entries and their
 * hashes stay.
 */
export async function eraseAuditTexts(
  db: Kysely<DB>,
  { user_id, objects, names }: Pick<PersonTraces, 'objects' | 'names'> & { readonly user_id: string },
): Promise<void> {
  await sql`
    UPDATE audit_log SET reason = NULL, detail = NULL, salt = NULL
    WHERE salt IS NOT NULL AND (owner_id = ${user_id} OR target_id = ANY (${objects}::text[])
      OR EXISTS (SELECT FROM unnest(${names}::text[]) AS name
        WHERE position(name IN lower(concat_ws(' ', reason, detail))) > 0))`.execute(db)
}
