import type { Kysely } from 'kysely'
import type { DB, Json } from '../database/types.ts'
import type { EventKey, InboxEvent } from './events.ts'
import { namesIn } from './subject.ts'

export interface ReceivedEvent extends EventKey {
  readonly type: string
  readonly payload: Json
  /** When it happened, by the sender's clock. */
  readonly occurred_at: Date
  /** By the product's clock, which tells later for how long it has waited. */
  readonly received_at: Date
  /** When it is claimed, unless it was applied by then. */
  readonly next_try_at: Date
  /** Left out, by webhook. */
  readonly received_via?: InboxEvent['received_via']
}

export interface StoredEvent {
  /**
   * Whether it still has to be applied: true for a new event and for a repeated one that is not finished yet.
   */
  readonly unfinished: boolean
  readonly is_new: boolean
}

/**
 * Stores a verified event once, however often it is delivered. Of one that Postgres cannot store as JSON a
 * copy is stored without what is in the way, because its sender could send it a hundred times to no avail; it
 * names its subject all the same. An event that can be stored pays nothing for this: the attempt is the
 * check. Not for use in a transaction, which would have failed.
 */
export async function storeEvent(db: Kysely<DB>, event: ReceivedEvent): Promise<StoredEvent> {
  const is_new = await insertEvent(db, event).catch((error: unknown) => {
    if (!isUnstorable(error)) throw error
    // Its own time may be what cannot be stored.
    return insertEvent(db, { ...event, payload: storable(event.payload), occurred_at: event.received_at })
  })
  return { is_new, unfinished: is_new || (await isReceived(db, event)) }
}

async function insertEvent(db: Kysely<DB>, { payload, ...event }: ReceivedEvent): Promise<boolean> {
  const inserted = await db
    .insertInto('inbox_events')
    .values({ ...event, ...namesIn(event.source, payload), payload: JSON.stringify(payload) })
    .onConflict((conflict) => conflict.columns(['source', 'id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

async function isReceived(db: Kysely<DB>, { source, id }: EventKey): Promise<boolean> {
  const row = await db
    .selectFrom('inbox_events')
    .select('state')
    .where('source', '=', source)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.state === 'received'
}

/**
 * Postgres' classes 22 (data exception: a NUL, half of a surrogate pair, a time out of range) and 54 (program
 * limit exceeded: nested too deep). JSON.stringify runs out of stack before Postgres does.
 */
function isUnstorable(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return error instanceof RangeError || (typeof code === 'string' && /^(22|54)\w{3}$/.test(code))
}

/** Nothing that we use lies deeper. */
const deepestLevel = 32

/** A copy without what Postgres cannot store: NUL, halves of surrogate pairs, and levels without end. */
function storable(value: Json, level = 0): Json {
  if (typeof value === 'string') return storableText(value)
  if (typeof value !== 'object' || value === null) return value
  if (level >= deepestLevel) return null
  if (Array.isArray(value)) return value.map((item) => storable(item, level + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [storableText(key), storable(item ?? null, level + 1)]),
  )
}

function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
