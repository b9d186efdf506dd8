import { infiniteQueryOptions } from '@tanstack/react-query'
import { getCreditHistory } from '../../schema/api/credits.ts'
import type { Api } from './client.ts'

const pageSize = 8

/** The caller's own movements. The user's id is in the key so that nobody ever sees the account before theirs. */
export function creditHistoryQuery(api: Api, clerkId: string) {
  return infiniteQueryOptions({
    queryKey: ['credit-history', clerkId],
    queryFn: async ({ signal, pageParam }) =>
      (await api(getCreditHistory, { query: { limit: pageSize, cursor: pageParam }, signal })).data,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
}
