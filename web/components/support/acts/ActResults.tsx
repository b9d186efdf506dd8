import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { isLimited, type SupportAct } from '../../../../schema/api/support-acts.ts'
import type { RequestedActs } from '../../../api/support-acts.ts'
import { outcomeText, tellOf } from '../../../content/support/acts.ts'
import { reasonText } from '../../../content/support/failures.ts'
import { Alert } from '../../../ui/Alert.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Spinner } from '../../../ui/Spinner.tsx'
import { CopyText } from '../CopyText.tsx'
import { WorkerSilence } from '../WorkerSilence.tsx'
import { BatchProgress } from './BatchProgress.tsx'
import { Changes } from './Changes.tsx'
import { useProgress } from './DryRun.tsx'

interface ActResultsProps {
  started: RequestedActs
  onClose: () => void
  onDone?: (() => void) | undefined
}

/** How far acts have come, and then what followed. They go on when the dialog is closed. */
export function ActResults({ started, onClose, onDone }: ActResultsProps) {
  const { acts, worker, refused, isSettled } = useProgress(started)
  const queryClient = useQueryClient()
  const finish = useEffectEvent(() => {
    onDone?.()
    // Also what the customer sees.
    void queryClient.invalidateQueries()
  })
  useEffect(() => {
    if (isSettled) finish()
  }, [isSettled])
  const [act] = acts
  return (
    <div className="space-y-4">
      {!isSettled && <WorkerSilence worker={worker} then="Asked; it is done when one answers." />}
      {acts.length + refused.length === 1 && act ? (
        <Result act={act} />
      ) : (
        <BatchProgress batchId={started.batch_id} acts={acts} refused={refused} />
      )}
      <div className="flex justify-end">
        <Button variant={isSettled ? 'primary' : 'secondary'} autoFocus onClick={onClose}>
          {isSettled ? 'Done' : 'Close, it goes on'}
        </Button>
      </div>
    </div>
  )
}

function Result({ act }: { act: SupportAct }) {
  if (act.state === 'queued') {
    return (
      <div
        role="status"
        className="flex items-center gap-2.5 rounded-control bg-sunken px-4 py-3 text-muted text-sm"
      >
        <Spinner />
        <span>
          Under way …{act.last_error && <span className="block text-xs">{reasonText(act.last_error)}</span>}
        </span>
      </div>
    )
  }
  if (act.state === 'waiting_for_approval') {
    return (
      <Alert tone="caution" title="Waiting for approval">
        {isLimited(act.kind) ? 'It is above the limit of one person.' : 'It cannot be undone.'} A colleague
        approves or refuses it in Work.
      </Alert>
    )
  }
  if (act.state !== 'done' || !act.outcome) {
    return (
      <Alert tone="critical" title={act.state === 'refused' ? 'It was refused' : 'It failed'}>
        {reasonText(act.error ?? 'Unknown cause.')}
      </Alert>
    )
  }
  const tell = tellOf(act)
  return (
    <>
      <Alert
        tone={act.outcome.changed ? 'positive' : 'info'}
        title={
          act.outcome.erasure && act.outcome.changed
            ? 'The person is erased'
            : outcomeText(act.kind, act.outcome)
        }
      />
      <Changes kind={act.kind} outcome={act.outcome} />
      {tell && (
        <p className="flex flex-wrap items-center gap-x-4 gap-y-2 text-muted text-xs">
          <span className="min-w-0 flex-1 basis-72">To the customer: “{tell}”</span>
          <CopyText text={tell} />
        </p>
      )}
    </>
  )
}
