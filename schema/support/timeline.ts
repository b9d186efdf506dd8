import { type Kysely, type RawBuilder, sql } from 'kysely'
import * as z from 'zod/mini'
import { type ItemOf, timelineData } from '../api/support-timeline.ts'
import type { ReadDatabase } from '../database/connect.ts'
import type { DB } from '../database/types.ts'
import {
  type Asked,
  intentsOf,
  type Rows,
  type TimelineKind,
  type TimelineSource,
  timelineSources,
} from './timeline-sources.ts'

interface RowOf<Kind extends TimelineKind> {
  readonly kind: Kind
  readonly id: string
  /** With all of Postgres' digits, so that it can be a place in the order. */
  readonly at: string
  /** Names that lead to its owner: see `findOwners`. */
  readonly names: readonly string[]
  readonly data: ItemOf<Kind>['data']
}
export type TimelineRow<Kind extends TimelineKind = TimelineKind> = { [One in Kind]: RowOf<One> }[Kind]

export interface TimelineCursor {
  /** As `TimelineRow.at` has it. */
  readonly at: string
  /** `kind:id`. */
  readonly key: string
  /** The oldest use of credits that was read: they are found by the number of their transfer. */
  readonly usage_before: number | null
}

export interface TimelinePage {
  readonly rows: readonly TimelineRow[]
  /** Null when there is nothing older. */
  readonly next: TimelineCursor | null
}

export function keyOf({ kind, id }: { readonly kind: string; readonly id: string }): string {
  return `${kind}:${id}`
}

/** The state of a row by its own word; null where it has none. */
export function stateOf({ data }: TimelineRow): string | null {
  const state = 'state' in data ? data.state : 'status' in data ? data.status : null
  return state && 'sync_failed_at' in data && data.sync_failed_at ? `${state}, not synced` : state
}

const kinds = Object.keys(timelineSources) as readonly TimelineKind[]

/**
 * An owner's payments and credits, newest first, below the cursor if given. Each kind of row is found by an
 * index on the owner, up to a page of it; usage, which may be thousands of rows, only on request. Of holds
 * that are over it has only the one that is asked for, with its usages.
 */
export async function readTimeline(
  db: Kysely<DB>,
  owner_id: string,
  page: Pick<Asked, 'limit' | 'with_usage' | 'hold_id' | 'now'> & {
    readonly before?: TimelineCursor | undefined
  },
): Promise<TimelinePage> {
  const { before } = page
  // One more than asked for shows whether there is a next page.
  const limit = page.limit + 1
  const asked = { ...page, owner_id, limit, usage_before: before?.usage_before ?? null }
  const subjects = await listSubjects(db, owner_id)
  const pages = kinds.flatMap((kind) => {
    const source = timelineSources[kind]
    const key = sql`(${sql.lit(`${kind}:`)} || ${source.id}) COLLATE "C"`
    const isBelow = before
      ? sql`${source.at} <= ${before.at}::timestamptz AND (${source.at} < ${before.at}::timestamptz OR ${key} < ${before.key})`
      : sql`true`
    return source.of({ ...asked, subjects }).map((rows) => {
      const below = { ...rows, where: sql`${rows.where} AND ${isBelow}` }
      const newest = sql`(${select(kind, below)} ORDER BY ${source.at} DESC, ${key} DESC LIMIT ${limit})`
      return rows.each ? sql`(SELECT found.* FROM ${rows.each} CROSS JOIN LATERAL ${newest} found)` : newest
    })
  })
  const found = await readRows(
    db,
    sql`${sql.join(pages, sql` UNION ALL `)}`,
    sql`ORDER BY item.at DESC, (kind || ':' || id) COLLATE "C" DESC LIMIT ${limit}`,
  )
  const shown = found.slice(0, page.limit)
  const last = shown.at(-1)
  if (found.length <= page.limit || !last) return { rows: shown, next: null }
  const used = shown.flatMap((row) =>
    row.kind === 'transfer' && row.data.kind === 'usage' ? Number(row.id) : [],
  )
  const usage_before = used.length > 0 ? Math.min(...used) : asked.usage_before
  return { rows: shown, next: { at: last.at, key: keyOf(last), usage_before } }
}

/** One row, of any owner; undefined when there is none. A session is the intent that it was opened for. */
export async function findTimelineRow<Kind extends TimelineKind>(
  db: ReadDatabase,
  { kind, id }: { readonly kind: Kind; readonly id: string },
): Promise<TimelineRow<Kind> | undefined> {
  const source: TimelineSource = timelineSources[kind]
  const rows = source.byId(id)
  if (!rows) return undefined
  const [row] = await readRows(db, select(kind, rows), sql`LIMIT 1`)
  return row as TimelineRow<Kind> | undefined
}

/** The rows of a kind, as `readRows` takes them. */
export function select(kind: TimelineKind, { from, where }: Rows): RawBuilder<unknown> {
  const { id, at, names, data } = timelineSources[kind]
  return sql`SELECT ${sql.lit(kind)} AS kind, ${id} AS id, ${at} AS at, ${names}::text[] AS names, ${data} AS data FROM ${from} WHERE ${where}`
}

export async function readRows(
  db: ReadDatabase,
  rows: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
): Promise<TimelineRow[]> {
  const found = await sql<RowOf<TimelineKind>>`
    SELECT kind, id, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at,
      array_remove(names, NULL) AS names, data FROM (${rows}) item ${order}`.execute(db)
  return found.rows.map((row) => ({ ...row, data: z.parse(timelineData[row.kind], row.data) }) as TimelineRow)
}

/** The ids under which an owner's events are stored: theirs at Clerk, and their customers and charges. */
export async function listSubjects(db: Kysely<DB>, owner_id: string): Promise<string[]> {
  const { rows } = await sql<{ subject: string }>`
    SELECT customer_id AS subject FROM stripe_customers
    WHERE owner_id = ${owner_id}
    UNION
    -- Before it has a customer, or when it has got another one. A checkout without one is named itself.
    SELECT coalesce(i.stripe_customer_id, i.id::text) FROM checkout_intents i WHERE ${intentsOf(owner_id)}
    UNION
    SELECT stripe_charge_id FROM charges
    WHERE owner_id = ${owner_id}`.execute(db)
  return [owner_id, ...rows.map(({ subject }) => subject)]
}
