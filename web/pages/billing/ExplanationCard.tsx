import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Scale } from 'lucide-react'
import { useId } from 'react'
import { useSearchParams } from 'react-router-dom'
import { exportExplanation } from '../../../schema/api/explanation.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { billingDocumentsQuery, explanationQuery, momentOf } from '../../api/billing.ts'
import { ExplanationTable } from '../../components/credits/ExplanationTable.tsx'
import { HistorySkeleton } from '../../components/credits/HistoryTable.tsx'
import { ExportButton } from '../../components/ExportButton.tsx'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { formatCredits, formatDay, formatTime } from '../../components/format.ts'
import { ShowMore } from '../../components/ShowMore.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ArchivedNote } from './HistoryCard.tsx'
import type { Payer } from './payer.ts'

export function ExplanationCard({ payer }: { payer: Payer }) {
  const api = useApi()
  const [date] = useExplainedDay()
  return (
    <Card aria-labelledby="explanation-title">
      <CardHeader
        id="explanation-title"
        title="Explain my balance"
        description="Each change with what caused it, and the balance after it"
        action={
          <ExportButton
            name="balance"
            failure="Failed to export the explanation"
            load={() => api(exportExplanation, { query: momentOf(payer.payer, date) })}
          />
        }
      />
      <Explanation payer={payer} />
    </Card>
  )
}

/** Kept in the URL, so that the link to an explanation can be shared. */
export function useExplainedDay(): [string | null, (date: string | null) => void] {
  const [search, setSearch] = useSearchParams()
  const date = /^\d{4}-\d{2}-\d{2}$/.exec(search.get('on') ?? '')?.[0] ?? null
  return [date, (on) => setSearch({ tab: 'invoices', view: 'balance', ...(on && { on }) }, { replace: true })]
}

/** The day before stays until the next one is there, so that nothing jumps. */
export function useExplanation(payer: Payer, date: string | null) {
  return useInfiniteQuery({
    ...explanationQuery(useApi(), payer, date),
    placeholderData: keepPreviousData,
  })
}

function Explanation({ payer }: { payer: Payer }) {
  const [date, setDate] = useExplainedDay()
  const explanation = useExplanation(payer, date)
  // Those that the list below has loaded.
  const documents = useInfiniteQuery(billingDocumentsQuery(useApi(), payer))
  if (explanation.isPending) return <HistorySkeleton />
  if (explanation.isError && !explanation.data) {
    return (
      <FailurePanel
        title="Your balance could not be explained"
        error={explanation.error}
        defaultText="An unexpected error occurred"
        busy={explanation.isFetching}
        onRetry={() => void explanation.refetch()}
      />
    )
  }
  const { pages } = explanation.data
  const [first, last] = [pages[0], pages.at(-1)]
  if (!first || !last) return null
  const changes = pages.flatMap((page) => page.items)
  return (
    <div aria-busy={explanation.isPlaceholderData || undefined} className="aria-busy:opacity-60">
      <div className="flex flex-col gap-x-8 gap-y-4 px-5 py-5 sm:flex-row sm:items-end sm:justify-between sm:px-6">
        <Figure
          {...first.balance}
          text={
            first.is_now
              ? `${whose(payer)} balance is now`
              : `On ${formatDay(first.as_of)} at ${formatTime(first.as_of)} ${whose(payer).toLowerCase()} balance was`
          }
        />
        <DayField date={date} onChange={setDate} />
      </div>
      {changes.length === 0 && last.archived_until === null ? (
        <EmptyState icon={Scale} title="No credits by then" className="border-t py-12">
          Nothing had been added or used, so there is nothing to explain.
        </EmptyState>
      ) : (
        <>
          <ExplanationTable
            documents={documents.data?.pages.flatMap((page) => page.items) ?? []}
            changes={changes}
            opening={last.opening.total}
          />
          <ShowMore
            query={explanation}
            label="Show earlier changes"
            failure="Could not load earlier changes. Please try again."
          />
          {last.archived_until !== null && <ArchivedNote until={last.archived_until} />}
        </>
      )}
    </div>
  )
}

function whose({ organizationName }: Payer): string {
  return organizationName === null ? 'Your' : 'The organization’s'
}

interface FigureProps {
  text: string
  plan: number
  purchased: number
  total: number
}

function Figure({ text, plan, purchased, total }: FigureProps) {
  return (
    <div role="status" className="min-w-0">
      <p className="text-muted text-sm">{text}</p>
      <p className="mt-1 font-semibold text-3xl tabular-nums tracking-tight">
        {formatCredits(total)}{' '}
        <span className="font-normal text-base text-muted tracking-normal">credits</span>
      </p>
      <p className="mt-1 text-faint text-sm tabular-nums">
        {formatCredits(plan)} of the plan, {formatCredits(purchased)} purchased
      </p>
    </div>
  )
}

interface DayFieldProps {
  date: string | null
  onChange: (date: string | null) => void
}

function DayField({ date, onChange }: DayFieldProps) {
  const id = useId()
  return (
    <div className="shrink-0">
      <label htmlFor={id} className="block text-muted text-sm">
        As of
      </label>
      <div className="mt-1 flex gap-2">
        <input
          id={id}
          type="date"
          value={date ?? ''}
          onChange={({ target }) => onChange(target.value || null)}
          className="h-9 min-w-40 rounded-control border border-line-strong bg-surface px-3 text-sm tabular-nums shadow-low"
        />
        {date !== null && (
          <Button variant="secondary" size="small" className="h-9" onClick={() => onChange(null)}>
            Now
          </Button>
        )}
      </div>
    </div>
  )
}
