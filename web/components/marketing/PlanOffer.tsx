import { clsx } from 'clsx'
import { Check } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { creditRate } from '../../../schema/catalogue/credits.ts'
import { useSignedIn, useWebConfig } from '../../api/catalogue.ts'
import { useOffer, usePrice } from '../usePrice.ts'

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

/** The text of the Pro plan's button. It offers a trial only while the server grants it. */
export function useTrialButton(): string {
  const { pro_trial_days } = useWebConfig()
  return pro_trial_days > 0 ? `Start ${pro_trial_days}-Day Free Trial` : 'Get Pro'
}

/** The free plan, below the paid ones. */
export function StarterStrip() {
  const { currency } = useOffer()
  const signedIn = useSignedIn()
  const price = usePrice()
  return (
    <p className="mt-5 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-2xl border bg-sunken px-6 py-5 text-base sm:px-9">
      <span>
        <strong className="font-semibold">Starter is free.</strong>{' '}
        <span className="text-muted">
          Add {creditRate.credits} credits for {price(creditRate.amount_minor)} whenever you need them. They
          never expire.
        </span>
      </span>
      <a
        href={signedIn ? '/dashboard#add-credits' : `/sign-up?plan=starter&currency=${currency}`}
        className="font-medium text-accent-text underline-offset-4 hover:underline"
      >
        {signedIn ? 'Add credits' : 'Start for free'}
      </a>
    </p>
  )
}
