import { RefreshCw } from 'lucide-react'
import type { FindingsList } from '../../../../schema/api/reconciliation.ts'
import { formatCredits } from '../../../components/format.ts'
import { counted, provenText } from '../../../components/support/labels.ts'
import { Moment } from '../../../components/support/Moment.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'

interface LastRunProps {
  run: FindingsList['last_run']
  provenDay: string | null
  isBusy: boolean
  onCompare: () => void
}

/** The latest comparison, how far it has come, and the last day of which everything is proven. */
export function LastRun({ run, provenDay, isBusy, onCompare }: LastRunProps) {
  const isUnderWay = run?.state === 'waiting' || run?.state === 'running'
  return (
    <Card className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-4 py-3 text-sm">
      <div className="min-w-0 flex-1 basis-64" role="status">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium">{provenText(provenDay)}</span>
          {run && <RunBadge run={run} />}
        </p>
        <p className="mt-0.5 text-muted text-xs [overflow-wrap:anywhere]">
          {run ? (
            <>
              Compared <Moment at={run.ended_at ?? run.began_at} />{' '}
              {run.requested_by === 'schedule' ? 'on schedule' : `by ${run.requested_by}`}
              {run.compared
                .filter(({ count }) => count > 0)
                .map(({ what, count }) => ` · ${what}: ${formatCredits(count)}`)}
            </>
          ) : (
            'Nothing has been compared yet.'
          )}
        </p>
        {run?.error && <p className="mt-0.5 text-critical text-xs">{run.error}</p>}
      </div>
      <Button variant="secondary" size="small" busy={isBusy || isUnderWay} onClick={onCompare}>
        {!(isBusy || isUnderWay) && <RefreshCw aria-hidden="true" />}
        Compare now
      </Button>
    </Card>
  )
}

function RunBadge({ run }: { run: NonNullable<FindingsList['last_run']> }) {
  switch (run.state) {
    case 'waiting':
      return <Badge tone="accent">Starting</Badge>
    case 'running':
      return <Badge tone="accent">Comparing</Badge>
    case 'failed':
      return <Badge tone="critical">Failed</Badge>
    case 'done':
      return run.findings === 0 ? (
        <Badge tone="positive">No differences</Badge>
      ) : (
        <Badge tone="critical">{counted(run.findings, 'difference')}</Badge>
      )
  }
}
