import type { Kysely } from 'kysely'
import type { DB } from '../database/types.ts'
import type { EventSource } from './events.ts'

/**
 * Notes that the sender's own list holds these events, on those that are in the inbox. Returns the ids of those that are; the
 * others never came. An event that was confirmed before keeps its time.
 */
export async function confirmEvents(
  db: Kysely<DB>,
  listed: { readonly source: EventSource; readonly ids: readonly string[]; readonly now: Date },
): Promise<ReadonlySet<string>> {
  if (listed.ids.length === 0) return new Set()
  await db
    .updateTable('inbox_events')
    .set({ confirmed_at: listed.now })
    .where('source', '=', listed.source)
    .where('id', 'in', listed.ids)
    .where('confirmed_at', 'is', null)
    .execute()
  const known = await db
    .selectFrom('inbox_events')
    .select('id')
    .where('source', '=', listed.source)
    .where('id', 'in', listed.ids)
    .execute()
  return new Set(known.map((event) => event.id))
}
