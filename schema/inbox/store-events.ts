import type { Kysely } from 'kysely'
import { retryConflicts } from '../database/retry.ts'
import type { DB, Json } from '../database/types.ts'
import { type EventKey, type InboxEvent, insertEvents, type NewEvent, nameOf } from './events.ts'
import { namesIn } from './subject.ts'

export interface ReceivedEvent extends EventKey {
  readonly type: string
  readonly payload: Json
  /** The bytes that came; left out of an event that came as JSON from a list. */
  readonly raw?: Buffer
  /** When it happened, by the sender's clock. */
  readonly occurred_at: Date
  /** By the product's clock, which tells later for how long it has waited. */
  readonly received_at: Date
  /** When it is claimed, unless it was applied by then. */
  readonly next_try_at: Date
  /** Left out, by webhook. */
  readonly received_via?: InboxEvent['received_via']
  /** When the sender's own list was seen to hold it. */
  readonly confirmed_at?: Date
  /** When the sender is asked for it by its id, if its list has not shown it by then. */
  readonly confirm_at?: Date
}

export interface StoredEvent {
  /**
   * Whether it still has to be applied: true for a new event and for a repeated one that is not finished yet.
   */
  readonly unfinished: boolean
  readonly is_new: boolean
}

/**
 * Stores verified events in one statement, each once, however often it is delivered: all or none. What became
 * of each, in their order. An event that Postgres cannot store as JSON fails its batch; in a batch of its own
 * it is kept as bytes and marked as failed with a reason, because its sender could send it a hundred times to
 * no avail, and a job fetches at once what it is about. An event that can be stored pays nothing for this:
 * the attempt to store it is the check.
 */
export async function storeEvents(db: Kysely<DB>, events: readonly ReceivedEvent[]): Promise<StoredEvent[]> {
  try {
    const inserted = await retryConflicts(() => insertEvents(db, events.map(rowOf)))
    const fresh = new Set(inserted.map(nameOf))
    const known = events.filter((event) => !fresh.has(nameOf(event)))
    const unfinished = new Set([...fresh, ...(await listUnfinished(db, known)).map(nameOf)])
    // One that came twice at the same moment is new once.
    return events
      .map(nameOf)
      .map((name) => ({ unfinished: unfinished.has(name), is_new: fresh.delete(name) }))
  } catch (error) {
    const [event, ...others] = events
    const problem = event && others.length === 0 ? storageProblem(event, error) : null
    if (!event || problem === null) throw error
    return [await keepEvent(db, event, problem)]
  }
}

function rowOf({ raw: _, payload, ...event }: ReceivedEvent): NewEvent {
  return { ...event, ...namesIn(event.source, payload), payload }
}

/** Those of them that are in the inbox and still have to be applied. */
async function listUnfinished(db: Kysely<DB>, keys: readonly EventKey[]): Promise<EventKey[]> {
  if (keys.length === 0) return []
  return db
    .selectFrom('inbox_events')
    .select(['source', 'id'])
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('source', 'id'),
        'in',
        keys.map(({ source, id }) => tuple(source, id)),
      ),
    )
    .where('state', '=', 'received')
    .execute()
}

/** Keeps as bytes, as failed, an event that cannot be stored as JSON. */
async function keepEvent(
  db: Kysely<DB>,
  { payload, raw = Buffer.from(JSON.stringify(payload)), ...event }: ReceivedEvent,
  problem: string,
): Promise<StoredEvent> {
  const { received_at } = event
  const kept: NewEvent = {
    ...event,
    ...namesIn(event.source, payload),
    type: event.type.replaceAll(/[^\w.]/g, '?'),
    raw,
    // Its own time may be what cannot be stored.
    occurred_at: received_at,
    state: 'failed',
    reason: `It cannot be stored as JSON: ${problem}. It is kept as it came.`,
    finished_at: received_at,
    object_sync_at: received_at,
  }
  const inserted = await insertEvents(db, [kept])
  return { unfinished: false, is_new: inserted.length > 0 }
}

/** What is wrong with the event, in words for support; null when the failure has another cause. */
function storageProblem({ occurred_at }: ReceivedEvent, error: unknown): string | null {
  if (Number.isNaN(occurred_at.getTime())) return 'its time is out of range'
  // JSON.stringify runs out of stack before Postgres does.
  if (error instanceof RangeError) return 'it is nested too deep'
  const { code, message } = error as { code?: unknown; message?: string }
  if (typeof code !== 'string') return null
  // Postgres' error codes: classes 22 (data exception) and 54 (program limit exceeded).
  switch (code) {
    case '22P05':
      return 'it contains a NUL character'
    case '22P02':
      return 'it contains half of a surrogate pair'
    case '22008':
      return 'its time is out of range'
    case '54001':
      return 'it is nested too deep'
    default:
      return /^(22|54)\w{3}$/.test(code) ? (message ?? code) : null
  }
}
