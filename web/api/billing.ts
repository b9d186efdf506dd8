import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { listBillingDocuments } from '../../schema/api/billing.ts'
import { type CreditCategory, getCreditHistory, getUsageSummary } from '../../schema/api/credits.ts'
import { explainBalance } from '../../schema/api/explanation.ts'
import type { PayerView } from './account.ts'
import type { Api } from './client.ts'

export interface HistoryFilter {
  category: CreditCategory | null
  q: string
}

const historyPageSize = 10

export function usageSummaryQuery(api: Api, { payer, userId }: PayerView) {
  const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return queryOptions({
    queryKey: ['usage-summary', payer, userId, time_zone],
    queryFn: async ({ signal }) => (await api(getUsageSummary, { query: { payer, time_zone }, signal })).data,
  })
}

export function billingHistoryQuery(api: Api, { payer, userId }: PayerView, filter: HistoryFilter) {
  const selection = selectionOf(payer, filter)
  return infiniteQueryOptions({
    queryKey: ['billing-history', userId, selection],
    queryFn: async ({ signal, pageParam }) =>
      (
        await api(getCreditHistory, {
          query: { ...selection, limit: historyPageSize, cursor: pageParam },
          signal,
        })
      ).data,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
}

/** What a filter means in a call; also for the export. */
export function selectionOf(payer: string, { category, q }: HistoryFilter) {
  return { payer, ...(category && { category }), ...(q && { q }) }
}

/** `date` is a day of the reader's, at whose end the balance is explained; null is now. */
export function explanationQuery(api: Api, { payer, userId }: PayerView, date: string | null) {
  const moment = momentOf(payer, date)
  return infiniteQueryOptions({
    queryKey: ['balance-explanation', userId, moment],
    queryFn: async ({ signal, pageParam }) =>
      (await api(explainBalance, { query: { ...moment, limit: historyPageSize, cursor: pageParam }, signal }))
        .data,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
}

/** What a day means in a call; also for the export. */
export function momentOf(payer: string, date: string | null) {
  const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return { payer, time_zone, ...(date && { date }) }
}

/** Not retried here: the server has asked Stripe three times already. */
export function billingDocumentsQuery(api: Api, { payer, userId }: PayerView) {
  return infiniteQueryOptions({
    queryKey: ['billing-documents', payer, userId],
    queryFn: async ({ signal, pageParam }) =>
      (await api(listBillingDocuments, { query: { payer, cursor: pageParam }, signal })).data,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    retry: false,
  })
}
