import type { UseQueryResult } from '@tanstack/react-query'
import { ChartNoAxesColumn, ChevronRight } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import type { UsageSummary } from '../../../schema/api/credits.ts'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Cell, Table } from '../../ui/Table.tsx'
import { formatCredits, formatDay } from '../format.ts'
import { Loaded } from '../Loaded.tsx'

export const usageRanges = [7, 30, 90] as const
export type UsageRange = (typeof usageRanges)[number]

interface UsageCardProps {
  usage: UseQueryResult<UsageSummary>
  /** Left out where the page around it has the range. */
  range?: UsageRange
  onRange?: (range: UsageRange) => void
  /** Whose it is, where that may be in doubt. */
  description?: string | undefined
  /** For a reader who can add credits. */
  emptyAction?: ReactNode
}

/** What was used and granted, day by day. */
export function UsageCard({ usage, range, onRange, description, emptyAction }: UsageCardProps) {
  return (
    <Card aria-labelledby="usage-days-title">
      <CardHeader
        id="usage-days-title"
        title="Usage by day"
        description={description}
        action={
          onRange && (
            <Segments
              label="Range"
              name="usage-range"
              value={String(range)}
              options={usageRanges.map((days) => ({ value: String(days), label: <Days days={days} /> }))}
              onChange={(chosen) => onRange(rangeOf(chosen))}
            />
          )
        }
      />
      <Loaded query={usage} what="your usage" skeleton="mb-13 h-78">
        {({ days }) => (
          <div aria-busy={usage.isPlaceholderData || undefined} className="aria-busy:opacity-60">
            <UsageDays days={days} emptyAction={emptyAction} />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

/** On a phone the heading has room for the number only. */
export function Days({ days }: { days: UsageRange }) {
  return (
    <span>
      {days}
      <span className="max-sm:sr-only"> days</span>
    </span>
  )
}

/** A range as an address names it; otherwise 30 days. */
function rangeOf(text: string | null): UsageRange {
  return usageRanges.find((days) => String(days) === text) ?? 30
}

/** The library for charts is larger than the rest of the page, so it comes when the page is there. */
const UsageChart = lazy(async () => ({ default: (await import('./UsageChart.tsx')).UsageChart }))

type Days = UsageSummary['days']

function UsageDays({ days, emptyAction }: { days: Days; emptyAction?: ReactNode }) {
  const active = days.filter(({ used, granted }) => used > 0 || granted > 0)
  if (active.length === 0) return <NothingYet days={days.length} action={emptyAction} />
  const height = (['used', 'granted'] as const).every((of) => active.some((day) => day[of] > 0))
    ? 'h-78'
    : 'h-48'
  return (
    <figure className="px-5 pt-4 pb-3 sm:px-6">
      {/* The table below is the accessible version. */}
      <div aria-hidden="true" className={height}>
        <Suspense fallback={<Skeleton className={height} />}>
          <UsageChart days={days} />
        </Suspense>
      </div>
      <figcaption className="sr-only">{captionOf(days)}</figcaption>
      <details className="mt-2 text-sm">
        <summary className="inline-flex h-8 cursor-pointer select-none items-center gap-1 rounded-md text-muted text-xs hover:text-ink">
          <ChevronRight aria-hidden="true" className="size-3.5 transition-transform in-open:rotate-90" />
          Show as a table
        </summary>
        <div className="relative mt-1 max-h-72 overflow-y-auto rounded-control border">
          <DaysTable days={active} />
        </div>
      </details>
    </figure>
  )
}

function captionOf(days: Days): string {
  const sum = (of: 'used' | 'granted') => formatCredits(days.reduce((total, day) => total + day[of], 0))
  return `In the last ${days.length} days ${sum('used')} credits were used and ${sum('granted')} granted.`
}

/** Days on which something happened, the latest first. */
function DaysTable({ days }: { days: Days }) {
  return (
    <Table
      size="dense"
      caption="Credits used and granted each day"
      columns={[
        { name: 'Day', namesRow: true },
        { name: 'Used', align: 'right' },
        { name: 'Granted', align: 'right' },
      ]}
    >
      <tbody className="divide-y divide-line">
        {days.toReversed().map(({ date, used, granted }) => (
          <tr key={date}>
            <Cell of="Day">{formatDay(`${date}T00:00:00`)}</Cell>
            <Cell of="Used">{formatCredits(used)}</Cell>
            <Cell of="Granted">{formatCredits(granted)}</Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

function NothingYet({ days, action }: { days: number; action: ReactNode }) {
  return (
    <EmptyState
      icon={ChartNoAxesColumn}
      title={`Nothing in the last ${days} days`}
      className="h-93 justify-center pb-6"
      action={action}
    >
      Credits that are used, bought or included in a plan will appear here, day by day.
    </EmptyState>
  )
}
