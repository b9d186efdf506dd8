import { type Kysely, type RawBuilder, sql } from 'kysely'
import { refusedByBank } from '../billing/checkout/intents.ts'
import type { DB } from '../database/types.ts'
import { readRows, select as selectRows, type TimelineRow } from './timeline.ts'
import { intentsOf, timelineSources } from './timeline-sources.ts'

export type ProblemKind = 'event' | 'intent' | 'subscription' | 'invitation'
/** `failed`: given up. `stuck`: still tried, or not tried although it came before `stuck_before`. */
export type ProblemState = 'failed' | 'stuck' | 'ignored'

export type ProblemRow = TimelineRow<ProblemKind>

const literals = (values: readonly string[]) => sql.join(values.map((value) => sql.lit(value)))

interface Source {
  readonly from: RawBuilder<unknown>
  readonly where: RawBuilder<unknown>
  /** The order in which it is read. */
  readonly at: RawBuilder<unknown>
}

const table = (name: RawBuilder<unknown>, at: RawBuilder<unknown>) => (where: RawBuilder<unknown>) => ({
  from: name,
  where,
  at,
})
/**
 * A payment is one row: the event that says so and is not applied, and not its checkout beside it. In the
 * case of an owner that is so only if the event is one of theirs, or the case would show neither.
 */
const hasNoEvent = (subjects: readonly string[] | undefined) => sql`NOT EXISTS (
  SELECT FROM inbox_events e WHERE e.client_reference_id = i.id::text
    AND e.type IN ('checkout.session.completed', 'checkout.session.async_payment_succeeded')
    AND e.state IN ('failed', 'received') ${subjects ? sql`AND e.subject = ANY (${subjects})` : sql``})`
const intents = table(sql`checkout_intents i`, timelineSources.intent.at)
const subscriptions = table(sql`subscriptions s`, timelineSources.subscription.at)
const invitations = table(sql`team_invitations v`, timelineSources.invitation.at)
const events = (where: RawBuilder<unknown>): Source => ({
  from: sql`inbox_events e`,
  where,
  at: timelineSources.event.at,
})

/** Each kind has a partial index of its own; two kinds have two, in different orders. */
const sources: Readonly<
  Record<
    ProblemKind,
    Partial<Record<ProblemState, (stuck_before: Date, subjects?: readonly string[]) => readonly Source[]>>
  >
> = {
  event: {
    failed: () => [events(sql`e.state = 'failed'`)],
    stuck: (stuck_before) => [
      events(sql`e.finished_at IS NULL AND e.received_at < ${stuck_before}`),
      // Those that came just now are few.
      events(sql`e.finished_at IS NULL AND e.received_at >= ${stuck_before} AND e.last_error IS NOT NULL`),
    ],
    ignored: () => [events(sql`e.state = 'ignored'`)],
  },
  intent: {
    failed: (_, subjects) => [
      intents(
        sql`i.state = 'failed' AND i.stripe_session_id IS NOT NULL AND (i.failure_code IS NULL OR i.failure_code NOT IN (${literals(refusedByBank)})) AND ${hasNoEvent(subjects)}`,
      ),
    ],
    stuck: (_, subjects) => [
      intents(sql`i.is_unfinished AND i.last_error IS NOT NULL AND ${hasNoEvent(subjects)}`),
    ],
  },
  subscription: {
    failed: () => [subscriptions(sql`s.sync_failed_at IS NOT NULL`)],
    stuck: () => [
      subscriptions(sql`s.is_unfinished AND s.sync_failed_at IS NULL AND s.last_error IS NOT NULL`),
    ],
  },
  invitation: {
    failed: () => [invitations(sql`v.sync_failed_at IS NOT NULL`)],
    stuck: () => [
      invitations(sql`v.next_try_at IS NOT NULL AND v.sync_failed_at IS NULL AND v.last_error IS NOT NULL`),
    ],
  },
}

const kinds = Object.keys(sources) as readonly ProblemKind[]

/** More of one owner's problems than a page needs. */
const ownersProblemsMax = 100

/** What of one owner's has failed or is stuck, the oldest first. */
export async function listProblemsOf(
  db: Kysely<DB>,
  owner_id: string,
  { subjects, stuck_before }: { readonly subjects: readonly string[]; readonly stuck_before: Date },
): Promise<ProblemRow[]> {
  const isTheirs: Record<ProblemKind, RawBuilder<unknown>> = {
    event: sql`e.subject = ANY (${subjects})`,
    intent: intentsOf(owner_id),
    subscription: sql`s.owner_id = ${owner_id}`,
    invitation: sql`v.organization_id = ${owner_id}`,
  }
  // Their events are few, and all that wait may be many.
  const theirWaiting = events(
    sql`e.state = 'received' AND (e.received_at < ${stuck_before} OR e.last_error IS NOT NULL)`,
  )
  const parts = kinds.flatMap((kind) => {
    const { failed, stuck } = sources[kind]
    const both = [
      ...(failed?.(stuck_before, subjects) ?? []),
      ...(kind === 'event' ? [theirWaiting] : (stuck?.(stuck_before, subjects) ?? [])),
    ]
    return both.map((source) =>
      select(kind, { ...source, where: sql`${isTheirs[kind]} AND ${source.where}` }, ownersProblemsMax),
    )
  })
  return read(db, sql`${sql.join(parts, sql` UNION ALL `)}`, ownersProblemsMax)
}

export interface ProblemFilter {
  readonly kind: ProblemKind
  readonly state: ProblemState
  readonly stuck_before: Date
  /** Only rows received or begun before. */
  readonly older_than?: Date | undefined
  /** Only rows received or begun then or later. */
  readonly since?: Date | undefined
  /** Below the last one that was shown. */
  readonly after?: { readonly at: string; readonly key: string } | undefined
  /** Part of the reason, the type or the id. */
  readonly text?: string | undefined
  readonly limit: number
}

/** Rows that a search for a text looks at. */
const searchedMax = 1000

/** The problems of all owners, the oldest first, found by partial indexes that contain nothing else. */
export async function listProblems(db: Kysely<DB>, filter: ProblemFilter): Promise<ProblemRow[]> {
  const { kind, state, stuck_before, older_than, since, after, text, limit } = filter
  const { id } = timelineSources[kind]
  const key = sql`(${sql.lit(`${kind}:`)} || ${id}) COLLATE "C"`
  const narrowed = (at: RawBuilder<unknown>) => [
    ...(older_than ? [sql`${at} < ${older_than}`] : []),
    ...(since ? [sql`${at} >= ${since}`] : []),
    ...(after
      ? [
          sql`${at} >= ${after.at}::timestamptz AND (${at} > ${after.at}::timestamptz OR ${key} > ${after.key})`,
        ]
      : []),
  ]
  const selected = (sources[kind][state]?.(stuck_before) ?? []).map((source) => {
    const where = sql.join([source.where, ...narrowed(source.at)], sql` AND `)
    return select(kind, { ...source, where }, text === undefined ? limit : searchedMax)
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
    readonly states?: readonly ProblemState[]
  },
): Promise<{ kind: ProblemKind; state: ProblemState; count: number }[]> {
  const parts = kinds.flatMap((kind) =>
    states.flatMap((state) => {
      const counts = (sources[kind][state]?.(stuck_before) ?? []).map(
        ({ from, where }) =>
          sql`(SELECT count(*) FROM (SELECT 1 FROM ${from} WHERE ${where} LIMIT ${limit}) counted)`,
      )
      if (counts.length === 0) return []
      return [
        sql`SELECT ${sql.lit(kind)} AS kind, ${sql.lit(state)} AS state, ${sql.join(counts, sql` + `)} AS count`,
      ]
    }),
  )
  const { rows } = await sql<{ kind: ProblemKind; state: ProblemState; count: number }>`
    ${sql.join(parts, sql` UNION ALL `)}`.execute(db)
  return rows
}

/**
 * In the order of the index alone, so that it is read from its beginning; rows of the same moment as the last
 * one are included.
 */
function select(kind: ProblemKind, source: Source, limit: number): RawBuilder<unknown> {
  return sql`(${selectRows(kind, source)} ORDER BY ${source.at} FETCH FIRST (${limit}::integer) ROWS WITH TIES)`
}

async function read(db: Kysely<DB>, source: RawBuilder<unknown>, limit: number): Promise<ProblemRow[]> {
  const order = sql`ORDER BY item.at, (kind || ':' || id) COLLATE "C" LIMIT ${limit}`
  return (await readRows(db, source, order)) as ProblemRow[]
}
