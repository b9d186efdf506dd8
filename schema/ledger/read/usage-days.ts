import { sql } from 'kysely'
import type { ReadDatabase } from '../../database/connect.ts'

/** The usage of one owner between two UTC days, both included; with `actor` only that of one person. */
export interface UsageSelection {
  readonly owner_id: string
  /** ISO dates. */
  readonly from: string
  readonly to: string
  readonly actor?: string | undefined
}

export interface UsageSums {
  /** Failed ones included. */
  readonly requests: number
  readonly failed: number
  readonly credits: number
}

/** What a sum is of. Those that are not grouped by are missing. */
export interface UsageKey {
  /** ISO date. */
  readonly day?: string
  /** The person's id. */
  readonly actor?: string
  /** Of the editor. */
  readonly token_id?: string | null
  /** Null without a label; `other` is also what is above a thousand combinations a day. */
  readonly model?: string | null
  readonly project?: string | null
}

export type UsageRow = UsageKey & UsageSums

/**
 * The sums of each combination, the latest days first and then the largest, at most `limit` of them, and the
 * sums of all. Each day is a look-up of its own, so that the rows of one person are found among those of an
 * organization.
 */
export async function sumUsageDays(
  db: ReadDatabase,
  { owner_id, from, to, actor }: UsageSelection,
  { by, limit = null }: { readonly by: readonly (keyof UsageKey)[]; readonly limit?: number | null },
): Promise<{ readonly rows: readonly UsageRow[]; readonly total: UsageSums }> {
  const rest = by.filter((column) => column !== 'day').map((column) => sql.ref(column))
  const order = [
    ...(by.includes('day') ? [sql`day DESC`] : []),
    sql`credits DESC`,
    sql`requests DESC`,
    ...rest,
  ]
  const { rows } = await sql<UsageRow & { total: UsageSums }>`
    WITH grouped AS (
      SELECT ${sql.join(by.map((column) => (column === 'day' ? sql`day::text` : sql.ref(column))))},
        sum(requests)::bigint AS requests, sum(failed)::bigint AS failed, sum(credits)::bigint AS credits
      FROM ledger_usage_days
      WHERE owner_id = ${owner_id}
        AND day = ANY (ARRAY(SELECT generate_series(${from}::date, ${to}::date, interval '1 day')::date))
        AND (${actor ?? null}::text IS NULL OR actor = ${actor ?? null})
      GROUP BY ${sql.join(by.map((column) => sql.ref(column)))})
    SELECT *, (
      SELECT json_build_object('requests', sum(requests), 'failed', sum(failed), 'credits', sum(credits)) FROM grouped) AS total
    FROM grouped ORDER BY ${sql.join(order)} LIMIT ${limit}`.execute(db)
  return {
    rows: rows.map(({ total: _, ...row }) => row),
    total: rows[0]?.total ?? { requests: 0, failed: 0, credits: 0 },
  }
}
