import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { usageSummaryQuery } from '../../api/billing.ts'
import { UsageDays, UsageLegend, usageColors } from '../../components/credits/UsageDays.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import type { Payer } from './payer.ts'
import { UsageFailure } from './UsageFailure.tsx'

export function UsageCard({ payer, className }: { payer: Payer; className: string }) {
  const usage = useQuery(usageSummaryQuery(useApi(), payer))
  return (
    <Card aria-labelledby="chart-title" style={usageColors} className={className}>
      <CardHeader id="chart-title" title="Last 30 days" description={<UsageLegend />} />
      {usage.isLoadingError ? (
        <UsageFailure usage={usage} />
      ) : usage.isPending ? (
        <div role="status" className="px-5 pt-4 pb-13 sm:px-6">
          <span className="sr-only">Loading the last 30 days</span>
          <Skeleton className="h-60" />
        </div>
      ) : (
        <UsageDays days={usage.data.days} />
      )}
    </Card>
  )
}
