import type { ReactNode } from 'react'
import type { SupportAct } from '../../../../schema/api/support-acts.ts'
import type { RequestedActs } from '../../../api/support-acts.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { actStates } from '../labels.ts'

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
