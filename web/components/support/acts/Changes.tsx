import type { ActOutcome } from '../../../../schema/api/support-acts.ts'
import { Erasure } from './Erasure.tsx'
import { changesOf } from './outcome.ts'

export function Changes({ outcome }: { outcome: ActOutcome }) {
  const changes = changesOf(outcome)
  const { erasure } = outcome
  // What is done at Stripe or Clerk alone changes no row of ours.
  if (changes.length === 0 && !erasure)
    return outcome.changed ? <p className="text-sm">{outcome.sentence}</p> : null
  return (
    <div className="space-y-3">
      {erasure && outcome.changed && <Erasure outcome={outcome} erasure={erasure} />}
      {changes.length > 0 && (
        <dl className="divide-y divide-line rounded-control border text-sm">
          {changes.map(({ what, change, note }) => (
            <div
              key={`${what} ${change} ${note}`}
              className="flex flex-wrap items-baseline gap-x-3 px-3 py-1.5"
            >
              <dt className="w-32 shrink-0 text-muted">{what}</dt>
              <dd className="min-w-0 flex-1 font-medium tabular-nums">
                {change}
                {note && (
                  <span className="block font-normal text-faint text-xs [overflow-wrap:anywhere]">
                    {note}
                  </span>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}
