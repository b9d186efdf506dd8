import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { getAccountSummary, getNextPayment } from '../../schema/api/account.ts'
import type { Endpoint, QueryOf } from '../../schema/api/endpoint.ts'
import { explainBalance } from '../../schema/api/explanation.ts'
import { getStatement, listFindings } from '../../schema/api/reconciliation.ts'
import { getTrace, listWork, type SupportTrace, searchSupport } from '../../schema/api/support.ts'
import {
  getCustomerBalance,
  getCustomerNextPayment,
  getCustomerSummary,
  getCustomerUsage,
  listCustomerDocuments,
} from '../../schema/api/support-customer.ts'
import { readerTimeZone } from '../reader.ts'
import { type Api, readOf } from './client.ts'

const every15SecondsMs = 15_000
/** How often an open case is read: reading it tells the server that it is still open. */
const every30SecondsMs = 30_000
/** Often while Stripe is asked, and when it has to be asked again: a minute after it has agreed. */
function readAgainMs({ owner, case_summary, as_of }: SupportTrace): number | false {
  // Without an owner there is no visit, and each view is a line in the audit log.
  if (!owner || !case_summary) return false
  const { state, at } = case_summary.comparison
  if (state === 'asking' && !case_summary.worker.is_silent) return whileComparingMs
  const age_ms = state === 'agrees' && at ? Date.parse(as_of) - Date.parse(at) : 0
  return Math.min(every30SecondsMs, 2 * every30SecondsMs + 500 - age_ms)
}

/** Everything that support sees begins with this, so that an act can make all of it be fetched again. */
export const supportKey = ['support'] as const

/** `from` and `to`: what came from then, and before that. */
export type WorkFilter = Omit<QueryOf<typeof listWork>, 'cursor'>

export function workQuery(api: Api, filter: WorkFilter) {
  return infiniteQueryOptions({
    queryKey: [...supportKey, 'work', filter],
    queryFn: ({ signal, pageParam }) =>
      api(listWork, { query: { ...filter, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: every15SecondsMs,
    placeholderData: keepPreviousData,
  })
}

export const supportSearchQuery = (api: Api, q: string) => readOf(api, searchSupport, supportKey, { q })

/** An owner, or an object by kind and id; both to highlight an object on the owner's timeline. */
export interface Case {
  owner?: string
  kind?: string
  id?: string
}

export function traceQuery(api: Api, { owner, kind, id }: Case) {
  const query = { ...(owner && { owner }), ...(kind && id && { kind, id }) }
  return infiniteQueryOptions({
    queryKey: [...supportKey, 'trace', query],
    queryFn: ({ signal, pageParam }) =>
      api(getTrace, { query: { ...query, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: ({ state }) => (state.data?.pages[0] ? readAgainMs(state.data.pages[0]) : false),
    // Only within one case: the page is remounted for another one.
    placeholderData: keepPreviousData,
  })
}

const readsOfCustomers = new Map<Endpoint, Endpoint>([
  [getAccountSummary, getCustomerSummary],
  [getNextPayment, getCustomerNextPayment],
  [explainBalance, getCustomerBalance],
])

type AnyRead = (
  endpoint: Endpoint,
  input?: { query?: Record<string, unknown>; signal?: AbortSignal },
) => Promise<unknown>

/** The API for components of customers that show a case: they read what its owner reads, and can change nothing. */
export function customerApi(api: Api, owner: string): Api {
  const read: AnyRead = async (endpoint, { query = {}, signal } = {}) => {
    const instead = readsOfCustomers.get(endpoint)
    if (!instead) throw new Error('Support does not act as the customer')
    const { payer: _, time_zone: _zone, ...rest } = query
    return (api as AnyRead)(instead, { query: { ...rest, owner }, ...(signal && { signal }) })
  }
  return read as Api
}

/** What the owner reads as `usageSummaryQuery`, with the days of the reader. */
export const customerUsageQuery = (api: Api, owner: string, days: number) =>
  queryOptions({
    ...readOf(api, getCustomerUsage, supportKey, { owner, time_zone: readerTimeZone(), days: String(days) }),
    select: ({ data }) => data,
  })

/** What the owner reads as `billingDocumentsQuery`. */
export function customerDocumentsQuery(api: Api, owner: string) {
  return infiniteQueryOptions({
    queryKey: [...supportKey, 'customer-documents', owner],
    queryFn: async ({ signal, pageParam }) =>
      (await api(listCustomerDocuments, { query: { owner, cursor: pageParam }, signal })).data,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    retry: false,
  })
}

const whileComparingMs = 2000
const everyMinuteMs = 60_000

export type FindingsFilter = Omit<QueryOf<typeof listFindings>, 'limit' | 'cursor'>

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

export const statementQuery = (api: Api, period: { day: string } | { month: string }) =>
  queryOptions({
    ...readOf(api, getStatement, supportKey, period),
    select: ({ days }) => days,
    placeholderData: keepPreviousData,
  })
