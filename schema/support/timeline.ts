import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ReadDatabase } from '../database/connect.ts'
import type { DB } from '../database/types.ts'
import {
  type Asked,
  type DataRead,
  intentsOf,
  isUuid,
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
  readonly data: Readonly<Record<string, unknown>> & (Kind extends keyof DataRead ? DataRead[Kind] : object)
}
export type TimelineRow<Kind extends TimelineKind = TimelineKind> = { [One in Kind]: RowOf<One> }[Kind]

export interface Place {
  /** As `TimelineRow.at` has it. */
  readonly at: string
  /** `kind:id`. */
  readonly key: string
}

export function placeOf(row: TimelineRow): Place {
  return { at: row.at, key: keyOf(row) }
}

export interface TimelinePage {
  readonly rows: readonly TimelineRow[]
  /** Null when there is nothing older. */
  readonly next: Place | null
}

export function keyOf({ kind, id }: { readonly kind: string; readonly id: string }): string {
  return `${kind}:${id}`
}

/** The state of a row by its own word; null where it has none. */
export function stateOf({ data }: TimelineRow): string | null {
  const { state = data.status, sync_failed_at } = data
  if (typeof state !== 'string') return null
  return sync_failed_at ? `${state}, not synced` : state
}

const kinds = Object.keys(timelineSources) as readonly TimelineKind[]

/**
 * An owner's payments and credits, newest first, below the cursor if given. Each kind of row is found by an
 * index on the owner, up to a page of it. Usage, which may be thousands of rows, is in the explained balance;
 * of holds that are over only the one that is asked for is here, with its usages.
 */
export async function readTimeline(
  db: Kysely<DB>,
  owner_id: string,
  page: Pick<Asked, 'hold_id' | 'now'> & {
    readonly limit: number
    readonly before?: Place | undefined
  },
): Promise<TimelinePage> {
  const { before } = page
  // One more than asked for shows whether there is a next page.
  const limit = page.limit + 1
  const asked = { ...page, owner_id, subjects: await listSubjects(db, owner_id) }
  const found = await listOwnRows(db, asked, {
    limit,
    where: (kind) => (before ? isBelow(kind, before) : all),
  })
  const shown = found.slice(0, page.limit)
  const last = shown.at(-1)
  return { rows: shown, next: found.length > page.limit && last ? placeOf(last) : null }
}

const all = sql`true`
const keyIn = (kind: TimelineKind) => sql`(${sql.lit(`${kind}:`)} || ${timelineSources[kind].id}) COLLATE "C"`

function isBelow(kind: TimelineKind, { at, key }: Place): RawBuilder<unknown> {
  const { at: mine } = timelineSources[kind]
  return sql`${mine} <= ${at}::timestamptz AND (${mine} < ${at}::timestamptz OR ${keyIn(kind)} < ${key})`
}

/** An owner's rows of the kinds that `where` has a condition for, the newest first. */
export async function listOwnRows(
  db: ReadDatabase,
  asked: Asked,
  { limit, where }: { readonly limit: number; where(kind: TimelineKind): RawBuilder<unknown> | null },
): Promise<TimelineRow[]> {
  const parts = kinds.flatMap((kind) => {
    const condition = where(kind)
    if (!condition) return []
    const source: TimelineSource = timelineSources[kind]
    return source.of(asked).map((rows) => {
      const some = select(kind, { ...rows, where: sql`${rows.where} AND (${condition})` })
      const newest = sql`(${some} ORDER BY ${source.at} DESC, ${keyIn(kind)} DESC LIMIT ${limit})`
      return rows.each ? sql`(SELECT found.* FROM ${rows.each} CROSS JOIN LATERAL ${newest} found)` : newest
    })
  })
  const order = sql`ORDER BY item.at DESC, (kind || ':' || id) COLLATE "C" DESC LIMIT ${limit}`
  return readRows(db, sql`${sql.join(parts, sql` UNION ALL `)}`, order)
}

/** One row, of any owner; undefined when there is none. A session is the intent that it was opened for. */
export async function findTimelineRow(
  db: ReadDatabase,
  { kind, id }: { readonly kind: TimelineKind; readonly id: string },
): Promise<TimelineRow | undefined> {
  const rows = timelineSources[kind].byId(id)
  return rows ? (await readRows(db, select(kind, rows), sql`LIMIT 1`))[0] : undefined
}

/** The checkouts that are named by these ids, which a sender of events may have made up. */
export async function findIntentRows(
  db: ReadDatabase,
  ids: readonly (string | null)[],
): Promise<Map<string, TimelineRow<'intent'>>> {
  const where = sql`i.id = ANY (${ids.filter((id) => id !== null && isUuid(id))}::uuid[])`
  const rows = await readRows(db, select('intent', { from: sql`checkout_intents i`, where }), sql``)
  return new Map(rows.map((row) => [row.id, row as TimelineRow<'intent'>]))
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
  const found = await sql<TimelineRow>`
    SELECT kind, id, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at,
      array_remove(names, NULL) AS names, data FROM (${rows}) item ${order}`.execute(db)
  return found.rows
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
