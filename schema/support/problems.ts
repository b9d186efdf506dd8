import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type WorkKind, type WorkState, workKinds } from '../api/support.ts'
import { refusedByBank } from '../billing/checkout/intents.ts'
import type { DB } from '../database/types.ts'
import { listOwnRows, type Place, readRows, select, type TimelineRow } from './timeline.ts'
import { type Asked, type TimelineKind, timelineSources } from './timeline-sources.ts'

export type ProblemRow = TimelineRow<WorkKind>

const literals = (values: readonly string[]) => sql.join(values.map((value) => sql.lit(value)))

type Sql = RawBuilder<unknown>

/**
 * A payment is one row: the event that says so and is not applied, and not its checkout beside it. In the
 * case of an owner that is so only if the event is one of theirs, or the case would show neither.
 */
const hasNoEvent = (subjects: readonly string[] | undefined) => sql`NOT EXISTS (
  SELECT FROM inbox_events e WHERE e.client_reference_id = i.id::text
    AND e.type IN ('checkout.session.completed', 'checkout.session.async_payment_succeeded')
    AND e.state IN ('failed', 'received') ${subjects ? sql`AND e.subject = ANY (${subjects})` : sql``})`

interface Source {
  readonly from: Sql
  /** Of each state its conditions: each is a partial index of its own; two kinds have two, in different orders. */
  readonly states: Partial<
    Record<WorkState, (stuck_before: Date, subjects?: readonly string[]) => readonly Sql[]>
  >
}

const sources: Readonly<Record<WorkKind, Source>> = {
  event: {
    from: sql`inbox_events e`,
    states: {
      failed: () => [sql`e.state = 'failed'`],
      stuck: (stuck_before) => [
        sql`e.finished_at IS NULL AND e.received_at < ${stuck_before}`,
        // Those that came just now are few.
        sql`e.finished_at IS NULL AND e.received_at >= ${stuck_before} AND e.last_error IS NOT NULL`,
      ],
      ignored: () => [sql`e.state = 'ignored'`],
    },
  },
  intent: {
    from: sql`checkout_intents i`,
    states: {
      failed: (_, subjects) => [
        sql`i.state = 'failed' AND i.stripe_session_id IS NOT NULL
          AND (i.failure_code IS NULL OR i.failure_code NOT IN (${literals(refusedByBank)})) AND ${hasNoEvent(subjects)}`,
      ],
      stuck: (_, subjects) => [sql`i.is_unfinished AND i.last_error IS NOT NULL AND ${hasNoEvent(subjects)}`],
    },
  },
  subscription: {
    from: sql`subscriptions s`,
    states: {
      failed: () => [sql`s.sync_failed_at IS NOT NULL`],
      stuck: () => [sql`s.is_unfinished AND s.sync_failed_at IS NULL AND s.last_error IS NOT NULL`],
    },
  },
  invitation: {
    from: sql`team_invitations v`,
    states: {
      failed: () => [sql`v.sync_failed_at IS NOT NULL`],
      stuck: () => [sql`v.next_try_at IS NOT NULL AND v.sync_failed_at IS NULL AND v.last_error IS NOT NULL`],
    },
  },
}

/** More of one owner's problems than a page needs. */
const ownersProblemsMax = 100

/** What of one owner's has failed or is stuck, the oldest first. */
export async function listProblemsOf(
  db: Kysely<DB>,
  asked: Asked,
  stuck_before: Date,
): Promise<ProblemRow[]> {
  const where = (kind: TimelineKind) => {
    const { failed, stuck } = sources[kind as WorkKind]?.states ?? {}
    const conditions = [failed, stuck].flatMap((of) => of?.(stuck_before, asked.subjects) ?? [])
    return conditions.length > 0 ? sql.join(conditions, sql` OR `) : null
  }
  const rows = await listOwnRows(db, asked, { limit: ownersProblemsMax, where })
  return rows.toReversed() as ProblemRow[]
}

export interface ProblemFilter {
  readonly kind: WorkKind
  readonly state: WorkState
  readonly stuck_before: Date
  /** Only rows received or begun from this moment, and before that one. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Below the last one that was shown. */
  readonly after?: Place | undefined
  /** Part of the reason, the type or the id. */
  readonly text?: string | undefined
  readonly limit: number
}

/** Rows that a search for a text looks at. */
const searchedMax = 1000

/** The problems of all owners, the oldest first, found by partial indexes that contain nothing else. */
export async function listProblems(db: Kysely<DB>, filter: ProblemFilter): Promise<ProblemRow[]> {
  const { kind, state, stuck_before, from, to, after, text, limit } = filter
  const { id, at } = timelineSources[kind]
  const key = sql`(${sql.lit(`${kind}:`)} || ${id}) COLLATE "C"`
  const { from: table, states } = sources[kind]
  const narrowed = [
    ...(to ? [sql`${at} < ${to}::timestamptz`] : []),
    ...(from ? [sql`${at} >= ${from}::timestamptz`] : []),
    ...(after
      ? [
          sql`${at} >= ${after.at}::timestamptz AND (${at} > ${after.at}::timestamptz OR ${key} > ${after.key})`,
        ]
      : []),
  ]
  // In the order of the index alone, so that it is read from its beginning; rows of the same moment as the last
  // one are included.
  const selected = (states[state]?.(stuck_before) ?? []).map((condition) => {
    const rows = select(kind, { from: table, where: sql.join([condition, ...narrowed], sql` AND `) })
    return sql`(${rows} ORDER BY ${at} FETCH FIRST (${text === undefined ? limit : searchedMax}::integer) ROWS WITH TIES)`
  })
  if (selected.length === 0) return []
  const all = sql.join(selected, sql` UNION ALL `)
  if (text === undefined) return read(db, all, limit)
  const said = sql`concat_ws(' ', id, data ->> 'type', data ->> 'reason', data ->> 'failure_reason', data ->> 'last_error',
    data ->> 'object_id', data ->> 'stripe_session_id')`
  return read(
    db,
    sql`SELECT * FROM (${all}) found WHERE position(lower(${text}) IN lower(${said})) > 0`,
    limit,
  )
}

/** How many there are in these states, as far as they are counted. */
export async function countProblems(
  db: Kysely<DB>,
  {
    stuck_before,
    limit,
    states = ['failed', 'stuck'],
  }: {
    readonly stuck_before: Date
    readonly limit: number
    readonly states?: readonly WorkState[]
  },
): Promise<{ kind: WorkKind; state: WorkState; count: number }[]> {
  const parts = workKinds.flatMap((kind) =>
    states.flatMap((state) => {
      const counts = (sources[kind].states[state]?.(stuck_before) ?? []).map(
        (where) =>
          sql`(SELECT count(*) FROM (SELECT 1 FROM ${sources[kind].from} WHERE ${where} LIMIT ${limit}) counted)`,
      )
      if (counts.length === 0) return []
      return [
        sql`SELECT ${sql.lit(kind)} AS kind, ${sql.lit(state)} AS state, ${sql.join(counts, sql` + `)} AS count`,
      ]
    }),
  )
  const { rows } = await sql<{ kind: WorkKind; state: WorkState; count: number }>`
    ${sql.join(parts, sql` UNION ALL `)}`.execute(db)
  return rows
}

async function read(db: Kysely<DB>, source: RawBuilder<unknown>, limit: number): Promise<ProblemRow[]> {
  const order = sql`ORDER BY item.at, (kind || ':' || id) COLLATE "C" LIMIT ${limit}`
  return (await readRows(db, source, order)) as ProblemRow[]
}
