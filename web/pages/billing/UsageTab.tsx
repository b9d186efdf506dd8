import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router-dom'
import { type UsageGroup, usageGroups } from '../../../schema/api/usage.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { usageReportQuery, usageSummaryQuery } from '../../api/billing.ts'
import type { Payer } from '../../components/account/usePayer.ts'
import { Days, UsageCard } from '../../components/credits/UsageCard.tsx'
import { AddCreditsLink } from '../../components/RouteButton.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { UsageBreakdown } from './UsageBreakdown.tsx'

const ranges = [
  { value: '7', label: <Days days={7} /> },
  { value: '30', label: <Days days={30} /> },
  { value: '90', label: <Days days={90} /> },
  { value: 'month', label: 'This month' },
] as const
type RangeName = (typeof ranges)[number]['value']

interface UsageTabProps {
  payer: Payer
  /** By the server's clock. */
  now: string
}

/** Who used what. Its days are UTC days, also those of the chart, so that both have the same sums. */
export function UsageTab({ payer, now }: UsageTabProps) {
  const api = useApi()
  const [search, setSearch] = useSearchParams()
  const range = ranges.find(({ value }) => value === search.get('range'))?.value ?? '30'
  const groups = groupsFor(payer)
  const group_by = groups.find((group) => group === search.get('by')) ?? 'model'
  const choose = (change: { range?: RangeName; by?: UsageGroup }) =>
    setSearch({ tab: 'usage', range, by: group_by, ...change }, { replace: true })

  const to = now.slice(0, 10)
  const days = range === 'month' ? Number(to.slice(8)) : Number(range)
  const from = new Date(Date.parse(to) - (days - 1) * 86_400_000).toISOString().slice(0, 10)
  const summary = useQuery({
    ...usageSummaryQuery(api, payer, { days, time_zone: 'UTC' }),
    placeholderData: keepPreviousData,
  })
  const question = { from, to, group_by }
  const report = useQuery({ ...usageReportQuery(api, payer, question), placeholderData: keepPreviousData })
  // The chart says it already.
  const isQuiet =
    report.data?.rows.length === 0 && summary.data?.days.every(({ used, granted }) => used + granted === 0)
  return (
    <div className="space-y-4 sm:space-y-5">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <Segments
          label="Range"
          name="usage-range"
          value={range}
          options={ranges}
          onChange={(chosen) => choose({ range: chosen })}
        />
        <p className="text-muted text-sm">Each day starts at 00:00 UTC</p>
      </div>
      <UsageCard
        usage={summary}
        description={payer.organizationName === null ? undefined : `Everyone in ${payer.organizationName}`}
        emptyAction={payer.mayManage && <AddCreditsLink />}
      />
      {!isQuiet && (
        <UsageBreakdown
          payer={payer}
          report={report}
          question={question}
          groups={groups}
          onGroup={(by) => choose({ by })}
          onLonger={range === '90' ? undefined : () => choose({ range: '90' })}
        />
      )}
    </div>
  )
}

/** A member sees their own usage, and so does a person: there is nothing to group by person. */
function groupsFor({ organizationName, mayManage }: Payer): readonly UsageGroup[] {
  return usageGroups.filter((group) => group !== 'person' || (organizationName !== null && mayManage))
}
