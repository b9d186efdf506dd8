import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { listBillingDocuments } from '../../schema/api/billing.ts'
import { getBudgets } from '../../schema/api/budgets.ts'
import { getUsageSummary } from '../../schema/api/credits.ts'
import { type CreditCategory, explainBalance } from '../../schema/api/explanation.ts'
import { getUsageReport, type UsageGroup } from '../../schema/api/usage.ts'
import { readerTimeZone } from '../reader.ts'
import type { PayerView } from './account.ts'
import { type Api, readOf } from './client.ts'

/** Which transactions; `date` is a day of the reader's, at whose end they are looked at; null is now. */
export interface TransactionFilter {
  category: CreditCategory | null
  q: string
  date: string | null
}

const transactionsPageSize = 10

/** By days of the reader, unless others are named. */
export function usageSummaryQuery(
  api: Api,
  { payer, userId }: PayerView,
  { days = 30, time_zone = readerTimeZone() }: { days?: number; time_zone?: string } = {},
) {
  const query = { payer, time_zone, days: String(days) }
  return queryOptions({ ...readOf(api, getUsageSummary, [userId], query), select: ({ data }) => data })
}

/** UTC days, both included. */
export interface UsageQuestion {
  from: string
  to: string
  group_by: UsageGroup
}

export const usageReportQuery = (api: Api, { payer, userId }: PayerView, question: UsageQuestion) =>
  queryOptions({
    ...readOf(api, getUsageReport, [userId], { payer, ...question }),
    select: ({ data }) => data,
  })

export const budgetsQuery = (api: Api, { payer, userId }: PayerView) =>
  readOf(api, getBudgets, [userId], { payer })

const allTransactions: TransactionFilter = { category: null, q: '', date: null }

export function transactionsQuery(
  api: Api,
  { payer, userId }: PayerView,
  filter: TransactionFilter = allTransactions,
) {
  const selection = selectionOf(payer, filter)
  return infiniteQueryOptions({
    queryKey: ['transactions', userId, selection],
    queryFn: async ({ signal, pageParam }) => {
      const query = { ...selection, limit: transactionsPageSize, cursor: pageParam }
      return (await api(explainBalance, { query, signal })).data
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
}

/** What a filter means in a call; also for the export. */
export function selectionOf(payer: string, { category, q, date }: TransactionFilter) {
  return {
    payer,
    time_zone: readerTimeZone(),
    ...(category && { category }),
    ...(q && { q }),
    ...(date && { date }),
  }
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
