import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import type { AuditLog, DB, Json } from '../database/types.ts'

export type AuditRow = Selectable<AuditLog>

export interface NewAuditEntry {
  /** A user's id, or `cli:` and the operating system's user name. */
  readonly actor: string
  /** Null for a request that was refused before an act existed. */
  readonly act_id: string | null
  /** The kind of act, or what else was tried, such as `access`. */
  readonly what: string
  readonly outcome: AuditRow['outcome']
  readonly target: { readonly kind: string; readonly id: string } | null
  readonly owner_id: string | null
  readonly reason: string | null
  /** The refusal, the error, or why nothing changed. */
  readonly detail: string | null
  readonly before?: Json
  readonly after?: Json
}

/** What support staff look at; the server logs it before it answers. */
export type LookedAt =
  | 'open_case'
  | 'search'
  | 'statement'
  | 'export_statement'
  | 'reconcile'
  | 'queue_job'
  | 'acts'
  | 'audit'

export async function recordLook(
  db: Kysely<DB>,
  look: Pick<NewAuditEntry, 'actor' | 'detail'> & {
    readonly what: LookedAt
    readonly target?: NewAuditEntry['target']
    readonly owner_id?: string | null
  },
): Promise<void> {
  const { target = null, owner_id = null, ...fields } = look
  await recordAudit(db, { ...fields, act_id: null, outcome: 'requested', target, owner_id, reason: null })
}

/** The same for what a page asks for again and again: one line in ten minutes. */
export async function recordLookOnce(db: Kysely<DB>, look: Parameters<typeof recordLook>[1]): Promise<void> {
  const { rows } = await sql<{ is_known: boolean }>`
    SELECT EXISTS (SELECT FROM audit_log
      WHERE actor = ${look.actor} AND at > now() - interval '10 minutes' AND what = ${look.what}
        AND target_id = ${look.target?.id ?? null}) AS is_known`.execute(db)
  if (!rows[0]?.is_known) await recordLook(db, look)
}

/** How often a person searched within a day, up to `most`. */
export async function countSearches(
  db: Kysely<DB>,
  { actor, most }: { readonly actor: string; readonly most: number },
): Promise<number> {
  const { rows } = await sql<{ searches: number }>`
    SELECT count(*) AS searches FROM (
      SELECT FROM audit_log WHERE actor = ${actor} AND what = 'search' AND at > now() - interval '1 day'
      LIMIT ${most}) latest`.execute(db)
  return rows[0]?.searches ?? 0
}

/** Writes an entry of the append-only audit log. Its time is the database's. */
export async function recordAudit(db: Kysely<DB>, entry: NewAuditEntry): Promise<void> {
  const { target, owner_id, before, after, ...fields } = entry
  await db
    .insertInto('audit_log')
    .values({
      ...fields,
      target_kind: target?.kind ?? null,
      target_id: target?.id ?? null,
      owner_id: owner_id ?? null,
      before: before === undefined ? null : JSON.stringify(before),
      after: after === undefined ? null : JSON.stringify(after),
    })
    .execute()
}

export interface AuditFilter {
  readonly owner_id?: string | undefined
  readonly actor?: string | undefined
  readonly act_id?: string | undefined
  readonly batch_id?: string | undefined
}

export interface ListedEntry extends AuditRow {
  /** Of acts that were asked for together. */
  readonly batch_id: string | null
  /** How many entries of its batch it stands for, itself included. */
  readonly entries: number
}

/** The entries of other acts of the batch by the same actor with the same outcome. */
const alikeInBatch = sql`FROM support_acts other JOIN audit_log alike ON alike.act_id = other.id
  WHERE other.batch_id = act.batch_id AND alike.actor = audit_log.actor AND alike.outcome = audit_log.outcome`

/**
 * Newest first, `limit` at most, older than the entry `before` where one is given. Unless an owner, an act or
 * a batch is asked for, one entry stands for those of its batch that are alike.
 */
export async function listAudit(
  db: Kysely<DB>,
  filter: AuditFilter,
  page: { readonly limit: number; readonly before?: number | undefined },
): Promise<ListedEntry[]> {
  const { owner_id, actor, act_id, batch_id } = filter
  const isGrouped = owner_id === undefined && act_id === undefined && batch_id === undefined
  let query = db
    .selectFrom('audit_log')
    .leftJoin('support_acts as act', 'act.id', 'audit_log.act_id')
    .selectAll('audit_log')
    .select([
      'act.batch_id',
      isGrouped
        ? sql<number>`CASE WHEN act.batch_id IS NULL THEN 1 ELSE (SELECT count(*) ${alikeInBatch}) END`.as(
            'entries',
          )
        : sql<number>`1`.as('entries'),
    ])
    .orderBy('audit_log.id', 'desc')
    .limit(page.limit)
  if (isGrouped) {
    query = query.where(
      sql<SqlBool>`(act.batch_id IS NULL OR NOT EXISTS (SELECT ${alikeInBatch} AND other.id < act.id))`,
    )
  }
  if (owner_id) {
    query = query.where('audit_log.owner_id', '=', owner_id)
  }
  if (actor !== undefined) query = query.where('actor', '=', actor)
  if (act_id !== undefined) query = query.where('act_id', '=', act_id)
  if (batch_id !== undefined) query = query.where('act.batch_id', '=', batch_id)
  if (page.before !== undefined) query = query.where('audit_log.id', '<', page.before)
  return query.execute()
}
