import { ChartNoAxesColumn, ChevronRight } from 'lucide-react'
import { lazy, Suspense } from 'react'
import type { UsageSummary } from '../../../schema/api/credits.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { formatCredits, formatDay } from '../format.ts'

/** The library for charts is larger than the rest of the page, so it comes when the page is there. */
const UsageChart = lazy(async () => ({ default: (await import('./UsageChart.tsx')).UsageChart }))

type Days = UsageSummary['days']

export function UsageDays({ days }: { days: Days }) {
  const active = days.filter(({ used, granted }) => used > 0 || granted > 0)
  if (active.length === 0) return <NothingYet days={days.length} />
  return (
    <figure className="px-5 pt-4 pb-3 sm:px-6">
      {/* The table below is the accessible version. */}
      <div aria-hidden="true" className="min-h-78">
        <Suspense fallback={<Skeleton className="h-78" />}>
          <UsageChart days={days} />
        </Suspense>
      </div>
      <figcaption className="sr-only">{captionOf(days)}</figcaption>
      <details className="mt-2 text-sm">
        <summary className="inline-flex h-8 cursor-pointer select-none items-center gap-1 rounded-md text-muted text-xs hover:text-ink">
          <ChevronRight aria-hidden="true" className="size-3.5 transition-transform in-open:rotate-90" />
          Show as a table
        </summary>
        <div className="relative mt-1 max-h-72 overflow-y-auto">
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
    <table className="w-full tabular-nums">
      <caption className="sr-only">Credits used and granted each day</caption>
      <thead>
        <tr className="border-b text-left text-faint text-xs [&>th]:pb-2 [&>th]:font-medium">
          <th scope="col">Day</th>
          <th scope="col" className="px-3 text-right">
            Used
          </th>
          <th scope="col" className="text-right">
            Granted
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {days.toReversed().map(({ date, used, granted }) => (
          <tr key={date}>
            <th scope="row" className="py-2 text-left font-normal">
              {formatDay(`${date}T00:00:00`)}
            </th>
            <td className="px-3 py-2 text-right">{formatCredits(used)}</td>
            <td className="py-2 text-right">{formatCredits(granted)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function NothingYet({ days }: { days: number }) {
  return (
    <EmptyState
      icon={ChartNoAxesColumn}
      title={`Nothing in the last ${days} days`}
      className="h-93 justify-center pb-6"
    >
      Credits that are used, bought or included in a plan will appear here, day by day.
    </EmptyState>
  )
}
