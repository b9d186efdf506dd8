import type { Collection } from '../../kit/collection.ts'
import type { Page } from '../entities/list.ts'
import { invalidRequest, noSuch } from '../errors.ts'

type Cursor = {
  limit?: number | undefined
  starting_after?: string | undefined
  ending_before?: string | undefined
}

/** One page of what `matches`, newest first, from Stripe's cursors. */
export function listPage<T extends { id: string }>(
  collection: Collection<T>,
  { limit = 10, starting_after, ending_before }: Cursor,
  { url, noun, matches }: { url: string; noun: string; matches: (value: T) => boolean },
): Page<T> {
  checkCursor({ starting_after, ending_before }, { noun, isKnown: (id) => collection.get(id) !== undefined })
  const backwards = ending_before !== undefined
  const candidates = backwards ? collection.newerThan(ending_before) : collection.newestFirst(starting_after)
  const data: T[] = []
  let has_more = false
  for (const value of candidates) {
    if (!matches(value)) continue
    if (data.length === limit) {
      has_more = true
      break
    }
    data.push(value)
  }
  return { object: 'list', url, has_more, data: backwards ? data.reverse() : data }
}

/** One page of a list that lies inside an object, in its own order. */
export function pageOf<T extends { id: string }>(
  all: T[],
  { limit = 10, starting_after, ending_before }: Cursor,
  { url, noun }: { url: string; noun: string },
): Page<T> {
  checkCursor({ starting_after, ending_before }, { noun, isKnown: (id) => all.some((one) => one.id === id) })
  const positionOf = (cursor: string) => all.findIndex(({ id }) => id === cursor)
  if (ending_before !== undefined) {
    const end = positionOf(ending_before)
    const start = Math.max(0, end - limit)
    return { object: 'list', url, has_more: start > 0, data: all.slice(start, end) }
  }
  const start = starting_after === undefined ? 0 : positionOf(starting_after) + 1
  return {
    object: 'list',
    url,
    has_more: all.length > start + limit,
    data: all.slice(start, start + limit),
  }
}

function checkCursor(
  cursor: Pick<Cursor, 'ending_before' | 'starting_after'>,
  { noun, isKnown }: { noun: string; isKnown: (id: string) => boolean },
): void {
  if (cursor.starting_after !== undefined && cursor.ending_before !== undefined) {
    throw invalidRequest('You may only specify one of these parameters: starting_after, ending_before.')
  }
  for (const [param, id] of Object.entries(cursor)) {
    if (id !== undefined && !isKnown(id)) throw noSuch(noun, id, param)
  }
}
