import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { cancelSupportActs, type SupportAct } from '../../../../schema/api/support-acts.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { actProgressQuery, isSettled, type RequestedActs } from '../../../api/support-acts.ts'
import { outcomeText } from '../../../content/support/acts.ts'
import { reasonText } from '../../../content/support/failures.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { formatCredits } from '../../format.ts'
import { toastFailure } from '../../toastFailure.ts'
import { actStates } from '../labels.ts'
import { summaryOf } from './outcome.ts'

interface BatchProgressProps {
  batchId: string | null
  acts: readonly SupportAct[]
  refused: RequestedActs['refused']
}

/** How far acts that were asked for together have come. What has not begun can be cancelled. */
export function BatchProgress({ batchId, acts, refused }: BatchProgressProps) {
  const api = useApi()
  const queryClient = useQueryClient()
  const cancel = useMutation({
    mutationFn: (batch_id: string) => api(cancelSupportActs, { body: { batch_id } }),
    onError: toastFailure('An unexpected error occurred'),
    onSettled: (_, __, batch_id) => queryClient.invalidateQueries(actProgressQuery(api, { batch_id })),
  })
  const done = acts.filter(isSettled).length
  const isOver = done === acts.length
  return (
    <div className="space-y-4">
      <progress
        aria-label="Progress"
        max={acts.length}
        value={done}
        className="block h-1.5 w-full overflow-hidden rounded-full accent-accent"
      />
      <div className="flex min-h-8 items-center justify-between gap-3">
        <p role="status" className="font-medium text-sm">
          {isOver
            ? summaryOf(acts, refused.length)
            : `${formatCredits(done)} of ${formatCredits(acts.length)} done`}
        </p>
        {!isOver && batchId && (
          <Button
            variant="secondary"
            size="small"
            busy={cancel.isPending}
            onClick={() => cancel.mutate(batchId)}
          >
            Cancel the rest
          </Button>
        )}
      </div>
      <ActList acts={acts} refused={refused} />
    </div>
  )
}

export function ActList({ acts, refused }: Omit<BatchProgressProps, 'batchId'>) {
  return (
    <ul className="max-h-60 divide-y divide-line overflow-y-auto rounded-control border text-sm">
      {refused.map(({ target, error }) => (
        <Line key={target.id} id={target.id} text={error}>
          <Badge tone="caution">Refused</Badge>
        </Line>
      ))}
      {acts.map((act) => (
        <Line
          key={act.id}
          id={act.target.id}
          owner={act.owner?.label}
          text={act.outcome ? outcomeText(act.kind, act.outcome) : reasonText(act.error ?? act.last_error)}
        >
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

interface LineProps {
  id: string
  owner?: string | null | undefined
  text: string | null
  children: ReactNode
}

function Line({ id, owner, text, children }: LineProps) {
  return (
    <li className="flex items-start justify-between gap-3 px-3 py-2">
      <div className="min-w-0">
        {owner && <p className="text-xs [overflow-wrap:anywhere]">{owner}</p>}
        <p className="truncate font-mono text-xs">{id}</p>
        {text && <p className="mt-0.5 text-muted text-xs [overflow-wrap:anywhere]">{text}</p>}
      </div>
      <span className="shrink-0">{children}</span>
    </li>
  )
}
