import { clsx } from 'clsx'
import type { Budget } from '../../../schema/api/budgets.ts'
import { formatCredits, formatDate } from '../format.ts'

type Figures = Pick<Budget, 'limit' | 'extra' | 'spent' | 'spent_before' | 'held' | 'left' | 'resets_at'>

/** From this share of its limit on a bar warns. */
const nearLimit = 0.8

/** What is spent and reserved of a limit, as a bar and in words. */
export function LimitBar({ budget }: { budget: Figures }) {
  const { limit, extra, spent, spent_before, held, left, resets_at } = budget
  const share = (credits: number) => `${Math.min(100, limit === 0 ? 100 : (credits / limit) * 100)}%`
  const color = left <= 0 ? 'bg-critical' : spent + held >= limit * nearLimit ? 'bg-star' : 'bg-accent'
  const parts = [
    `${formatCredits(spent)} spent`,
    ...(held > 0 ? [`${formatCredits(held)} reserved`] : []),
    left > 0 ? `${formatCredits(left)} left` : 'nothing left',
  ]
  const notes = [
    `resets on ${formatDate(resets_at)}, 00:00 UTC`,
    ...(spent_before > 0 ? [`${formatCredits(spent_before)} spent before this limit`] : []),
    ...(extra > 0 ? [`raised by ${formatCredits(extra)} until then`] : []),
  ]
  return (
    <div className="text-sm tabular-nums">
      <div aria-hidden="true" className="flex h-2 overflow-hidden rounded-full bg-sunken">
        <div className={color} style={{ width: share(spent) }} />
        <div className={clsx(color, 'opacity-40')} style={{ width: share(held) }} />
      </div>
      <p className="mt-2 text-muted">
        {parts.join(' · ')} of <strong className="font-medium text-ink">{formatCredits(limit)}</strong>
      </p>
      <p className="text-faint text-xs">{notes.join(' · ')}</p>
    </div>
  )
}
