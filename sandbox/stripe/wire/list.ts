import type { Collection } from '../../kit/store.ts'
import type { Page } from '../entities/list.ts'
import { noSuch } from '../errors.ts'

type Cursor = { limit?: number | undefined; starting_after?: string | undefined }

/** One page of what `matches`, newest first, from Stripe's cursor. */
export function listPage<T extends { id: string }>(
  collection: Collection<T>,
  { limit = 10, starting_after }: Cursor,
  { url, noun, matches }: { url: string; noun: string; matches: (value: T) => boolean },
): Page<T> {
  if (starting_after !== undefined && !collection.get(starting_after))
    throw noSuch(noun, starting_after, 'starting_after')
  const data: T[] = []
  for (const value of collection.newestFirst(starting_after)) {
    if (!matches(value)) continue
    if (data.length === limit) return { object: 'list', url, has_more: true, data }
    data.push(value)
  }
  return { object: 'list', url, has_more: false, data }
}

/** One page of a list that lies inside an object, in its own order. */
export function pageOf<T extends { id: string }>(
  all: T[],
  { limit = 10, starting_after }: Cursor,
  { url, noun }: { url: string; noun: string },
): Page<T> {
  const start = starting_after === undefined ? 0 : all.findIndex(({ id }) => id === starting_after) + 1
  if (start === 0 && starting_after !== undefined) throw noSuch(noun, starting_after, 'starting_after')
  return {
    object: 'list',
    url,
    has_more: all.length > start + limit,
    data: all.slice(start, start + limit),
  }
}
