import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { UsageSummary } from '../../../schema/api/credits.ts'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { FailurePanel } from '../FailurePanel.tsx'
import { UsageDays } from './UsageDays.tsx'

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
      {usage.isLoadingError ? (
        <FailurePanel title="Your usage could not be loaded" query={usage} />
      ) : usage.isPending ? (
        <div role="status" className="px-5 pt-4 pb-13 sm:px-6">
          <span className="sr-only">Loading your usage</span>
          <Skeleton className="h-78" />
        </div>
      ) : (
        <div aria-busy={usage.isPlaceholderData || undefined} className="aria-busy:opacity-60">
          <UsageDays days={usage.data.days} emptyAction={emptyAction} />
        </div>
      )}
    </Card>
  )
}

/** On a phone the heading has room for the number only. */
function Days({ days }: { days: UsageRange }) {
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
