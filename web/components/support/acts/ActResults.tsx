import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import type { SupportAct } from '../../../../schema/api/support-acts.ts'
import { supportKey } from '../../../api/support.ts'
import type { RequestedActs } from '../../../api/support-acts.ts'
import { Alert } from '../../../ui/Alert.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Spinner } from '../../../ui/Spinner.tsx'
import { formatCredits } from '../../format.ts'
import { actStates } from '../labels.ts'
import { Changes } from './Changes.tsx'
import { summaryOf } from './outcome.ts'
import { useProgress } from './useProgress.ts'

interface ActResultsProps {
  started: RequestedActs
  onClose: () => void
  onDone?: (() => void) | undefined
}

/** How far acts have come, and then what followed. They go on when the dialog is closed. */
export function ActResults({ started, onClose, onDone }: ActResultsProps) {
  const { acts, refused, isSettled } = useProgress(started)
  const queryClient = useQueryClient()
  const finish = useEffectEvent(() => {
    onDone?.()
    void queryClient.invalidateQueries({ queryKey: supportKey })
  })
  useEffect(() => {
    if (isSettled) finish()
  }, [isSettled])
  const [act] = acts
  const done = acts.filter(({ state }) => state !== 'queued').length
  return (
    <div className="space-y-4">
      {acts.length + refused.length === 1 && act ? (
        <Result act={act} />
      ) : (
        <>
          <progress
            aria-label="Progress"
            max={acts.length}
            value={done}
            className="block h-1.5 w-full overflow-hidden rounded-full accent-accent"
          />
          <p role="status" className="font-medium text-sm">
            {isSettled
              ? summaryOf(acts, refused.length)
              : `${formatCredits(done)} of ${formatCredits(acts.length)} done`}
          </p>
          <ActList acts={acts} refused={refused} />
        </>
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
        <span>Under way …{act.last_error && <span className="block text-xs">{act.last_error}</span>}</span>
      </div>
    )
  }
  if (act.state === 'waiting_for_approval') {
    return (
      <Alert tone="caution" title="Waiting for approval">
        It is above the limit of one person. A colleague approves or rejects it in Work.
      </Alert>
    )
  }
  if (act.state !== 'done' || !act.outcome) {
    return (
      <Alert tone="critical" title={act.state === 'refused' ? 'It was refused' : 'It failed'}>
        {act.error ?? 'Unknown cause.'}
      </Alert>
    )
  }
  return (
    <>
      <Alert tone={act.outcome.changed ? 'positive' : 'info'} title={act.outcome.sentence} />
      <Changes outcome={act.outcome} />
    </>
  )
}

interface ActListProps {
  acts: readonly SupportAct[]
  refused: RequestedActs['refused']
}

export function ActList({ acts, refused }: ActListProps) {
  return (
    <ul className="max-h-60 divide-y divide-line overflow-y-auto rounded-control border text-sm">
      {refused.map(({ target, error }) => (
        <Line key={target.id} id={target.id} text={error}>
          <Badge tone="caution">Refused</Badge>
        </Line>
      ))}
      {acts.map((act) => (
        <Line key={act.id} id={act.target.id} text={act.outcome?.sentence ?? act.error ?? act.last_error}>
          {act.outcome?.changed === false ? (
            <Badge>Nothing to change</Badge>
          ) : act.outcome && act.is_dry_run ? (
            <Badge tone="positive">Would change</Badge>
          ) : (
            <Badge tone={actStates[act.state][0]}>{actStates[act.state][1]}</Badge>
          )}
        </Line>
      ))}
    </ul>
  )
}

function Line({ id, text, children }: { id: string; text: string | null; children: ReactNode }) {
  return (
    <li className="flex items-start justify-between gap-3 px-3 py-2">
      <div className="min-w-0">
        <p className="truncate font-mono text-xs">{id}</p>
        {text && <p className="mt-0.5 text-muted text-xs [overflow-wrap:anywhere]">{text}</p>}
      </div>
      <span className="shrink-0">{children}</span>
    </li>
  )
}
