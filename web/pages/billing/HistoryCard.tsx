import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Waves } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router-dom'
import {
  type CreditCategory,
  type CreditTransaction,
  creditCategories,
  describeArchived,
  exportCreditHistory,
} from '../../../schema/api/credits.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { billingHistoryQuery, type HistoryFilter, selectionOf } from '../../api/billing.ts'
import { HistorySkeleton, HistoryTable } from '../../components/credits/HistoryTable.tsx'
import { ExportButton } from '../../components/ExportButton.tsx'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { formatDay, formatTime } from '../../components/format.ts'
import { SearchField } from '../../components/SearchField.tsx'
import { ShowMore } from '../../components/ShowMore.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import type { Payer } from './payer.ts'

const categoryNames: Readonly<Record<CreditCategory, string>> = {
  purchase: 'Purchases',
  plan: 'Plan credits',
  usage: 'Usage',
  refund: 'Refunds and disputes',
  expiry: 'Expired credits',
  adjustment: 'Corrections',
}

export function HistoryCard({ payer }: { payer: Payer }) {
  const api = useApi()
  const [filter, setFilter] = useHistoryFilter()
  return (
    <Card aria-labelledby="history-title">
      <CardHeader
        id="history-title"
        title="Transaction History"
        description="Every credit in and out, newest first"
        action={
          <ExportButton
            name="credit-history"
            failure="Failed to export your history"
            load={() => api(exportCreditHistory, { query: selectionOf(payer.payer, filter) })}
          />
        }
      />
      <search className="flex flex-col gap-2 px-5 pt-4 pb-4 sm:flex-row sm:px-6">
        <SearchField
          label="Search billing history"
          placeholder="Search billing history..."
          maxLength={100}
          value={filter.q}
          onChange={(q) => setFilter({ q })}
          className="max-sm:flex-none"
        />
        <select
          aria-label="Kind of transaction"
          value={filter.category ?? ''}
          onChange={({ target }) => setFilter({ category: categoryOf(target.value) })}
          className="h-9 rounded-control border border-line-strong bg-surface px-3 text-sm shadow-low"
        >
          <option value="">All transactions</option>
          {creditCategories.map((category) => (
            <option key={category} value={category}>
              {categoryNames[category]}
            </option>
          ))}
        </select>
      </search>
      <History payer={payer} filter={filter} onClear={() => setFilter({ category: null, q: '' })} />
    </Card>
  )
}

/** In the address, so that a search can be bookmarked and is there again after a look at a receipt. */
export function useHistoryFilter(): [HistoryFilter, (change: Partial<HistoryFilter>) => void] {
  const [search, setSearch] = useSearchParams()
  return [
    filterIn(search),
    (change) => {
      // The current URL: a choice made while typing may not have been rendered yet.
      const address = new URLSearchParams(window.location.search)
      if (address.has('view')) return
      const { category, q } = { ...filterIn(address), ...change }
      setSearch({ tab: 'invoices', ...(category && { category }), ...(q && { q }) }, { replace: true })
    },
  ]
}

function filterIn(search: URLSearchParams): HistoryFilter {
  return {
    category: categoryOf(search.get('category')),
    q: search.get('q')?.trim().slice(0, 100) ?? '',
  }
}

/** The previous result stays until the next one is there, for a stable layout. */
export function useHistory(payer: Payer, filter: HistoryFilter) {
  return useInfiniteQuery({
    ...billingHistoryQuery(useApi(), payer, filter),
    placeholderData: keepPreviousData,
  })
}

function categoryOf(name: string | null): CreditCategory | null {
  return creditCategories.find((category) => category === name) ?? null
}

interface HistoryProps {
  payer: Payer
  filter: HistoryFilter
  onClear: () => void
}

function History({ payer, filter, onClear }: HistoryProps) {
  const isFiltered = filter.category !== null || filter.q !== ''
  const history = useHistory(payer, filter)
  if (history.isPending) return <HistorySkeleton />
  if (history.isError && !history.data) {
    return (
      <FailurePanel
        title="Your transactions could not be loaded"
        error={history.error}
        defaultText="An unexpected error occurred"
        busy={history.isFetching}
        onRetry={() => void history.refetch()}
      />
    )
  }
  const items: CreditTransaction[] = history.data.pages.flatMap((page) => page.items)
  const missingSince = history.data.pages[0]?.missing_since
  const archivedUntil = history.data.pages.at(-1)?.archived_until
  return (
    <div aria-busy={history.isPlaceholderData || undefined} className="aria-busy:opacity-60">
      {missingSince && (
        <p role="status" className="px-5 pb-4 text-muted text-sm sm:px-6">
          Transactions since {formatTime(missingSince)} may not be listed yet. Your balance includes them.
        </p>
      )}
      {items.length > 0 ? (
        <HistoryTable items={items} />
      ) : history.hasNextPage ? (
        <Nothing title="Nothing found yet">The search looked through the latest transactions.</Nothing>
      ) : isFiltered ? (
        <Nothing title="No transactions found">
          <Button variant="secondary" size="small" className="mt-3" onClick={onClear}>
            Clear the search
          </Button>
        </Nothing>
      ) : archivedUntil ? (
        <Nothing title={`No transactions since ${formatDay(archivedUntil)}`} />
      ) : (
        <Nothing title="No transactions yet">
          Purchases, plan credits and usage will appear here, with the balance after each one.
        </Nothing>
      )}
      <ShowMore
        query={history}
        label={isFiltered ? 'Search older transactions' : 'Show more'}
        failure="Could not load more transactions. Please try again."
      />
      {archivedUntil && <ArchivedNote until={archivedUntil} />}
    </div>
  )
}

/** Shown where a list ends because earlier entries are archived. */
export function ArchivedNote({ until }: { until: string }) {
  return <p className="border-t px-5 py-4 text-muted text-sm sm:px-6">{describeArchived(formatDay(until))}</p>
}

function Nothing({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div role="status">
      <EmptyState icon={Waves} title={title} className="border-t py-12">
        {children}
      </EmptyState>
    </div>
  )
}
