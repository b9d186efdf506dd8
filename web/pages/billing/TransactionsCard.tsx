import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Waves } from 'lucide-react'
import { useSearchParams } from 'react-router-dom'
import { type CreditCategory, creditCategories, exportExplanation } from '../../../schema/api/explanation.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import {
  billingDocumentsQuery,
  selectionOf,
  type TransactionFilter,
  transactionsQuery,
} from '../../api/billing.ts'
import { splitText } from '../../components/account/balance.tsx'
import type { Payer } from '../../components/account/usePayer.ts'
import { PendingCredits, TransactionTable } from '../../components/credits/TransactionTable.tsx'
import { ExportButton } from '../../components/ExportButton.tsx'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { formatCredits, formatDay, formatTime } from '../../components/format.ts'
import { ListSkeleton } from '../../components/ListSkeleton.tsx'
import { AddCreditsLink } from '../../components/RouteButton.tsx'
import { SearchField } from '../../components/SearchField.tsx'
import { ShowMore } from '../../components/ShowMore.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { cn } from '../../ui/cn.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { filterStyle, Select } from '../../ui/Select.tsx'

export function TransactionsCard({ payer }: { payer: Payer }) {
  const api = useApi()
  const [filter, setFilter] = useFilter()
  return (
    <Card aria-labelledby="transactions-title">
      <CardHeader
        id="transactions-title"
        title="Transaction History"
        description="Every credit in and out, with the balance after it"
        action={
          <ExportButton
            name="transactions"
            failure="Failed to export your history"
            load={() => api(exportExplanation, { query: selectionOf(payer.payer, filter) })}
          />
        }
      />
      <TransactionFilters filter={filter} onChange={setFilter} />
      <Transactions payer={payer} filter={filter} onClear={() => setFilter({ category: null, q: '' })} />
    </Card>
  )
}

/** In the address, so that a search can be bookmarked and is there again after a look at a receipt. */
function useFilter(): [TransactionFilter, (change: Partial<TransactionFilter>) => void] {
  const [search, setSearch] = useSearchParams()
  return [
    filterIn(search),
    (change) => {
      // The current URL: a choice made while typing may not have been rendered yet.
      const address = new URLSearchParams(window.location.search)
      if (address.get('view') !== 'transactions') return
      const { category, q, date } = { ...filterIn(address), ...change }
      const chosen = { ...(category && { category }), ...(q && { q }), ...(date && { on: date }) }
      setSearch({ tab: 'invoices', view: 'transactions', ...chosen }, { replace: true })
    },
  ]
}

function filterIn(search: URLSearchParams): TransactionFilter {
  return {
    category: creditCategories.find((category) => category === search.get('category')) ?? null,
    q: search.get('q')?.trim().slice(0, 100) ?? '',
    date: /^\d{4}-\d{2}-\d{2}$/.exec(search.get('on') ?? '')?.[0] ?? null,
  }
}

interface TransactionsProps {
  payer: Payer
  filter: TransactionFilter
  onClear: () => void
}

function Transactions({ payer, filter, onClear }: TransactionsProps) {
  const api = useApi()
  const isSearch = filter.category !== null || filter.q !== ''
  // The previous result stays until the next one is there, for a stable layout.
  const transactions = useInfiniteQuery({
    ...transactionsQuery(api, payer, filter),
    placeholderData: keepPreviousData,
  })
  const documents = useInfiniteQuery(billingDocumentsQuery(api, payer))
  if (transactions.isPending) return <ListSkeleton label="Loading your transactions" />
  if (transactions.isError && !transactions.data) {
    return <FailurePanel title="Your transactions could not be loaded" query={transactions} />
  }
  const { pages } = transactions.data
  const changes = pages.flatMap((page) => page.items)
  const [first, last] = [pages[0], pages.at(-1)]
  if (!first || !last) return null
  return (
    <div aria-busy={transactions.isPlaceholderData || undefined} className="aria-busy:opacity-60">
      {!isSearch && (
        <Balance {...first} whose={payer.organizationName === null ? 'Your' : 'The organization’s'} />
      )}
      <PendingCredits {...first} />
      {changes.length > 0 ? (
        <TransactionTable
          documents={documents.data?.pages.flatMap((page) => page.items) ?? []}
          changes={changes}
          opening={isSearch ? undefined : last.opening.total}
        />
      ) : (
        <div role="status">
          <EmptyState
            icon={Waves}
            className="border-t py-12"
            {...nothing({ isSearch, hasMore: transactions.hasNextPage, isNow: first.is_now })}
            action={
              !isSearch
                ? first.is_now && <AddCreditsLink />
                : !transactions.hasNextPage && (
                    <Button variant="secondary" size="small" onClick={onClear}>
                      Clear the search
                    </Button>
                  )
            }
          />
        </div>
      )}
      <ShowMore
        query={transactions}
        label={isSearch ? 'Search older transactions' : undefined}
        of="transactions"
      />
    </div>
  )
}

function nothing({ isSearch, hasMore, isNow }: { isSearch: boolean; hasMore: boolean; isNow: boolean }) {
  if (isSearch && hasMore) {
    return { title: 'Nothing found yet', children: 'The search looked through the latest transactions.' }
  }
  if (isSearch) return { title: 'No transactions found' }
  if (!isNow) return { title: 'No credits by then', children: 'Nothing had been added or used.' }
  return {
    title: 'No transactions yet',
    children: 'Purchases, plan credits and usage will appear here, with the balance after each one.',
  }
}

interface BalanceProps {
  whose: string
  is_now: boolean
  as_of: string
  balance: { plan: number; purchased: number; total: number }
}

function Balance({ whose, is_now, as_of, balance }: BalanceProps) {
  const split = splitText(balance)
  return (
    <p role="status" className="px-5 pb-4 text-muted text-sm tabular-nums sm:px-6">
      {is_now
        ? `${whose} balance is now `
        : `On ${formatDay(as_of)} at ${formatTime(as_of)} ${whose.toLowerCase()} balance was `}
      <strong className="font-semibold text-ink">{formatCredits(balance.total)} credits</strong>
      {split && `: ${split}`}
    </p>
  )
}

const categoryNames: Readonly<Record<CreditCategory | 'all', string>> = {
  all: 'All transactions',
  purchase: 'Purchases',
  plan: 'Plan credits',
  usage: 'Usage',
  refund: 'Refunds and disputes',
  expiry: 'Expired credits',
  correction: 'Corrections',
}

const categories = (['all', ...creditCategories] as const).map((key) => [key, categoryNames[key]] as const)

interface TransactionFiltersProps {
  filter: TransactionFilter
  onChange: (change: Partial<TransactionFilter>) => void
}

function TransactionFilters({ filter, onChange }: TransactionFiltersProps) {
  const { date } = filter
  return (
    <search className="flex flex-col gap-2 px-5 py-4 sm:px-6 md:flex-row">
      <SearchField
        label="Search billing history"
        placeholder="Search billing history..."
        maxLength={100}
        value={filter.q}
        onChange={(q) => onChange({ q })}
        className="max-md:flex-none"
      />
      <Select
        label="Kind of transaction"
        value={filter.category ?? 'all'}
        options={categories}
        onChange={(kind) => onChange({ category: kind === 'all' ? null : kind })}
        className="md:w-48"
      />
      <label className="flex items-center gap-2 text-muted text-sm">
        <span className="shrink-0">As of</span>
        <input
          type="date"
          value={date ?? ''}
          onChange={({ target }) => onChange({ date: target.value || null })}
          className={cn(
            filterStyle,
            'min-w-36 flex-1 tabular-nums',
            date === null ? 'text-faint' : 'text-ink',
          )}
        />
      </label>
      {date !== null && (
        <Button variant="secondary" size="small" className="h-9" onClick={() => onChange({ date: null })}>
          Now
        </Button>
      )}
    </search>
  )
}
