import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import type { PayerView } from '../../api/account.ts'
import { usageReportsQuery } from '../../api/billing.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { FailurePanel } from '../FailurePanel.tsx'
import { formatCreditChange, formatDay, formatTime } from '../format.ts'
import { ShowMore } from '../ShowMore.tsx'

interface UsageReportsProps {
  payer: PayerView
  /** The transfer of summed usage, its number of reports, and whether more may come. */
  sum: { readonly transfer_id: string; readonly reports: number; readonly is_open: boolean }
}

/** Leads from usage that is summed to each report of it. */
export function UsageReports({ payer, sum }: UsageReportsProps) {
  const [isShown, setIsShown] = useState(false)
  return (
    <>
      <button
        type="button"
        className="mt-0.5 font-medium text-accent-text text-xs hover:underline"
        onClick={() => setIsShown(true)}
      >
        {sum.reports === 1 ? 'Show the report' : `Show ${sum.reports} reports`}
      </button>
      <Dialog
        open={isShown}
        onOpenChange={setIsShown}
        wide
        title="Usage, report by report"
        description={
          sum.is_open
            ? 'The usage of one minute is posted as one change. This minute is not over yet.'
            : 'The usage of one minute is posted as one change.'
        }
      >
        <Reports payer={payer} transferId={sum.transfer_id} />
      </Dialog>
    </>
  )
}

function Reports({ payer, transferId }: { payer: PayerView; transferId: string }) {
  const reports = useInfiniteQuery(usageReportsQuery(useApi(), payer, transferId))
  if (reports.isPending) {
    return (
      <p role="status" className="flex items-center gap-2.5 text-muted text-sm">
        <Spinner />
        Loading the reports …
      </p>
    )
  }
  if (reports.isError && !reports.data) {
    return (
      <FailurePanel
        title="The reports could not be loaded"
        error={reports.error}
        defaultText="An unexpected error occurred"
        busy={reports.isFetching}
        onRetry={() => void reports.refetch()}
      />
    )
  }
  return (
    <div className="max-h-96 overflow-y-auto rounded-control border">
      <ol className="divide-y divide-line text-sm tabular-nums">
        {reports.data.pages
          .flatMap(({ items }) => items)
          .map((report) => (
            <li key={report.ordinal} className="flex items-start justify-between gap-4 px-4 py-2.5">
              <div className="min-w-0">
                <p className="font-medium [overflow-wrap:anywhere]">{report.description}</p>
                <p className="mt-0.5 text-muted text-xs [overflow-wrap:anywhere]">
                  <time dateTime={report.occurred_at}>
                    {formatDay(report.occurred_at)} {formatTime(report.occurred_at)}
                  </time>
                  {' · '}
                  {report.user_id === payer.userId ? 'you' : report.user_id}
                </p>
              </div>
              <span className="whitespace-nowrap font-medium text-critical">
                {formatCreditChange(-report.credits)}
              </span>
            </li>
          ))}
      </ol>
      <ShowMore query={reports} label="Show more" failure="Could not load more reports. Please try again." />
    </div>
  )
}
