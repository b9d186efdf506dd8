import { Clock } from 'lucide-react'
import type { PendingCredits as Pending } from '../../../schema/api/explanation.ts'
import { formatCredits, formatDay, formatShortDay, formatTime } from '../format.ts'
import { Dotted } from './TransactionTable.tsx'

/** Credits that are reserved for requests under way, above the history that they are not in yet. */
export function PendingCredits({ pending, as_of }: { pending: readonly Pending[]; as_of: string }) {
  if (pending.length === 0) return null
  return (
    <ul aria-label="Reserved credits" className="divide-y divide-line border-t bg-sunken text-sm">
      {pending.map((hold) => (
        <li key={hold.id} className="flex items-start gap-2.5 px-5 py-3 sm:px-6">
          <Clock aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />
          <div className="min-w-0 [overflow-wrap:anywhere]">
            <p className="font-medium tabular-nums">
              <Heading hold={hold} as_of={as_of} />
            </p>
            <p className="mt-0.5 text-muted text-xs leading-5">
              <Dotted text={details(hold)} />
            </p>
          </div>
        </li>
      ))}
    </ul>
  )
}

/** "75 credits reserved · expires 14:32", with the day where that is not today. */
function Heading({ hold: { credits, expires_at }, as_of }: { hold: Pending; as_of: string }) {
  const reserved = `${formatCredits(credits)} ${credits === 1 ? 'credit' : 'credits'} reserved`
  if (expires_at === null) return <>{reserved} for a refund</>
  const isToday = formatDay(expires_at) === formatDay(as_of)
  const day = isToday ? '' : `${formatShortDay(expires_at)} at `
  return (
    <>
      {reserved} · <span className="whitespace-nowrap">{`expires ${day}${formatTime(expires_at)}`}</span>
    </>
  )
}

function details({ note, by, editor, model, project }: Pending): string {
  return [note, by && `Requested by ${by}`, editor, model, project].filter(Boolean).join(' · ')
}
