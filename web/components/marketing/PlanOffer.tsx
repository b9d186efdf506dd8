import { clsx } from 'clsx'
import { Check } from 'lucide-react'
import { type ReactNode, useId } from 'react'

interface PlanOfferProps {
  name: string
  description: string
  badge?: ReactNode
  price: string
  unit: string
  /** What the price means, for example how much is charged at once. */
  note?: string
  features: readonly string[]
  action: ReactNode
  /** Set for the one that most people want. */
  highlighted?: boolean
}

export function PlanOffer({
  name,
  description,
  badge,
  price,
  unit,
  note,
  features,
  action,
  highlighted,
}: PlanOfferProps) {
  const titleId = useId()
  return (
    <article
      aria-labelledby={titleId}
      className={clsx(
        'flex flex-col rounded-2xl border bg-surface p-6 sm:p-9',
        highlighted ? 'border-accent shadow-card' : 'shadow-low',
      )}
    >
      <div className="flex items-center gap-3">
        <h3 id={titleId} className="text-xl">
          {name}
        </h3>
        {badge}
      </div>
      <p className="mt-1.5 text-sm text-muted">{description}</p>
      <p className="mt-7 flex flex-wrap items-baseline gap-x-2">
        <span className="font-semibold text-4xl tabular-nums">{price}</span>
        <span className="text-muted">{unit}</span>
      </p>
      {note !== undefined && <p className="mt-2 min-h-5 text-muted text-sm">{note}</p>}
      <div className="mt-7 grid">{action}</div>
      {features.length > 0 && (
        <ul className="mt-8 grid gap-x-4 gap-y-3 border-t pt-7 font-medium text-sm sm:grid-cols-2">
          {features.map((feature) => (
            <li key={feature} className="flex gap-2.5">
              <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent-text" />
              {feature}
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}
