import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type FindingKind, getStatement, listFindings } from '../../schema/api/reconciliation.ts'
import type { Api } from './client.ts'
import { supportKey } from './support.ts'

const whileComparingMs = 2000
const everyMinuteMs = 60_000

export interface FindingsFilter {
  kind?: FindingKind
  owner?: string
  state: 'open' | 'gone'
}

/** With the latest comparison, which is asked for again while it runs. */
export function findingsQuery(api: Api, filter: FindingsFilter) {
  return infiniteQueryOptions({
    queryKey: [...supportKey, 'findings', filter],
    queryFn: ({ signal, pageParam }) =>
      api(listFindings, { query: { ...filter, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: ({ state: { data } }) => {
      const run = data?.pages[0]?.last_run?.state
      return run === 'waiting' || run === 'running' ? whileComparingMs : everyMinuteMs
    },
    placeholderData: keepPreviousData,
  })
}

export function statementQuery(api: Api, period: { day: string } | { month: string }) {
  return queryOptions({
    queryKey: [...supportKey, 'statement', period],
    queryFn: async ({ signal }) => (await api(getStatement, { query: period, signal })).days,
    placeholderData: keepPreviousData,
  })
}
