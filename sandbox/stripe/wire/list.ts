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
  if (starting_after !== undefined && ending_before !== undefined) {
    throw invalidRequest('You may only specify one of these parameters: starting_after, ending_before.')
  }
  for (const [param, id] of Object.entries({ starting_after, ending_before })) {
    if (id !== undefined && !collection.get(id)) throw noSuch(noun, id, param)
  }
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

/** One page of a short list that lies inside an object, in its own order. */
export function pageOf<T extends { id: string }>(
  all: T[],
  { limit = 10, starting_after }: Pick<Cursor, 'limit' | 'starting_after'>,
  url: string,
): Page<T> {
  const start = starting_after === undefined ? 0 : all.findIndex(({ id }) => id === starting_after) + 1
  return {
    object: 'list',
    url,
    has_more: all.length > start + limit,
    data: all.slice(start, start + limit),
  }
}
