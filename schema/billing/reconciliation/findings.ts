import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { FindingData, FindingKind } from '../../api/findings.ts'
import type { Repair } from '../../api/reconciliation.ts'
import type { DatabaseTransaction, ReadDatabase } from '../../database/connect.ts'
import type { ReconciliationFindings } from '../../database/types.ts'
import { inThisMode } from '../../vendors/stripe/mode.ts'

export type FindingRow = Selectable<ReconciliationFindings>

/** A difference, as a comparison finds it. `kind` and `object_id` together name it. */
export type FoundDifference = FoundObject &
  { [Kind in FindingKind]: { readonly kind: Kind; readonly data: FindingData<Kind> } }[FindingKind]

interface FoundObject {
  readonly object_id: string
  readonly owner_id: string | null
  /** Minor units at stake. */
  readonly money?: { readonly amount_minor: number; readonly currency: string } | null
  /** Missing credits; below zero for too many. */
  readonly credits?: number | null
  /** Left out when only a person can decide. */
  readonly repair?: Repair | null
}

const whatMayChange = [
  'owner_id',
  'data',
  'amount_minor',
  'currency',
  'credits',
  'repair',
  'last_seen_at',
] as const

/** Stores new differences and confirms known ones; a resolved one that returns is new. */
export async function saveFindings(
  trx: DatabaseTransaction,
  differences: readonly FoundDifference[],
  now: Date,
): Promise<void> {
  if (differences.length === 0) return
  const unique = new Map(differences.map((one) => [`${one.kind}/${one.object_id}`, one]))
  await trx
    .insertInto('reconciliation_findings')
    .values(
      [...unique.values()].map(({ money, credits, repair, data, ...named }) => ({
        id: randomUUID(),
        ...named,
        data: JSON.stringify(data),
        amount_minor: money?.amount_minor ?? null,
        currency: money?.currency ?? null,
        credits: credits ?? null,
        repair: repair ? JSON.stringify(repair) : null,
        first_seen_at: now,
        last_seen_at: now,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['kind', 'object_id']).doUpdateSet((eb) => ({
        ...Object.fromEntries(whatMayChange.map((column) => [column, eb.ref(`excluded.${column}`)])),
        first_seen_at: sql`CASE WHEN reconciliation_findings.gone_at IS NULL
          THEN reconciliation_findings.first_seen_at ELSE excluded.first_seen_at END`,
        gone_at: null,
      })),
    )
    .execute()
}

/** Closes what a run that began at that time, and has compared everything, did not see any more. */
export async function closeUnseenFindings(
  trx: DatabaseTransaction,
  { began_at, now }: { readonly began_at: Date; readonly now: Date },
): Promise<void> {
  await trx
    .updateTable('reconciliation_findings')
    .set({ gone_at: now })
    .where('gone_at', 'is', null)
    .where('last_seen_at', '<', began_at)
    .where(inThisMode('reconciliation_findings'))
    .execute()
}

/**
 * The differences that no adjustment names. Those that a replay or a cancellation repairs cannot be explained
 * by credits.
 */
export async function withoutExplained<One extends FoundDifference>(
  db: ReadDatabase,
  differences: readonly One[],
): Promise<readonly One[]> {
  const explainable = differences.filter(
    ({ owner_id, repair }) => owner_id && repair?.kind !== 'replay' && repair?.kind !== 'cancel_subscription',
  )
  if (explainable.length === 0) return differences
  const names = explainable.map(({ kind, object_id }) => sql`(${kind}::text, ${object_id}::text)`)
  const { rows } = await sql<{ kind: string; object_id: string }>`
    SELECT f.kind, f.object_id FROM reconciliation_findings f
    JOIN support_acts a ON a.finding_id = f.id::text AND a.owner_id = f.owner_id
    WHERE (f.kind, f.object_id) IN (${sql.join(names)}) AND a.kind = 'adjust' AND a.state = 'done' AND NOT a.is_dry_run`.execute(
    db,
  )
  const explained = new Set(rows.map(({ kind, object_id }) => `${kind} ${object_id}`))
  return differences.filter(
    (one) => !explainable.includes(one) || !explained.has(`${one.kind} ${one.object_id}`),
  )
}

/** Undefined once the difference has gone, or an adjustment named it. */
export async function findOpenFinding(db: ReadDatabase, id: string): Promise<FindingRow | undefined> {
  const { rows } = await sql<FindingRow>`
    SELECT * FROM reconciliation_findings f WHERE id = ${id} AND gone_at IS NULL
      AND NOT EXISTS (SELECT FROM support_acts a
        WHERE a.finding_id = f.id::text AND a.kind = 'adjust' AND a.state = 'done' AND NOT a.is_dry_run)`.execute(
    db,
  )
  return rows[0]
}

export interface FindingsCursor {
  readonly first_seen_at: Date
  readonly id: string
}

export interface FindingsFilter {
  readonly kind?: FindingKind | undefined
  readonly owner_id?: string | undefined
  readonly state: 'open' | 'gone'
}

/** The oldest first; one more than asked for shows that there is a next page. */
export async function listFindings(
  db: ReadDatabase,
  page: {
    readonly filter: FindingsFilter
    readonly limit: number
    readonly after?: FindingsCursor | undefined
  },
): Promise<{ findings: FindingRow[]; next: FindingsCursor | null }> {
  const { filter, limit, after } = page
  const { kind, owner_id } = filter
  let query = db
    .selectFrom('reconciliation_findings')
    .selectAll()
    .where('gone_at', filter.state === 'open' ? 'is' : 'is not', null)
    .where(inThisMode('reconciliation_findings'))
  if (kind !== undefined) query = query.where('kind', '=', kind)
  if (owner_id !== undefined) query = query.where('owner_id', '=', owner_id)
  if (after)
    query = query.where(sql<boolean>`(first_seen_at, id) > (${after.first_seen_at}, ${after.id}::uuid)`)
  const rows = await query
    .orderBy('first_seen_at')
    .orderBy('id')
    .limit(limit + 1)
    .execute()
  const findings = rows.slice(0, limit)
  const last = findings.at(-1)
  return { findings, next: rows.length > limit && last ? last : null }
}

export interface FindingCount {
  readonly kind: FindingKind
  readonly currency: string | null
  readonly count: number
  readonly amount_minor: number
  readonly credits_missing: number
  readonly credits_too_many: number
}

export async function countFindings(db: ReadDatabase): Promise<FindingCount[]> {
  const { rows } = await sql<FindingCount>`
    SELECT kind, currency, count(*) AS count, coalesce(sum(amount_minor), 0)::bigint AS amount_minor,
      coalesce(sum(credits) FILTER (WHERE credits > 0), 0)::bigint AS credits_missing,
      coalesce(-sum(credits) FILTER (WHERE credits < 0), 0)::bigint AS credits_too_many
    FROM reconciliation_findings WHERE gone_at IS NULL AND livemode = stripe_livemode()
    GROUP BY kind, currency ORDER BY kind, currency`.execute(db)
  return rows
}
