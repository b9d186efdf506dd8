import { clsx } from 'clsx'
import { Check } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { creditRate } from '../../../schema/catalogue/credits.ts'
import { freePlan, personalPlan, type SoldPlan } from '../../../schema/catalogue/sold-plans.ts'
import { useSignedIn, useWebConfig } from '../../api/catalogue.ts'
import { Badge } from '../../ui/Badge.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'
import { useOffer, usePrice } from '../usePrice.ts'
import { StartTeams } from './sections.tsx'

interface PlanOfferProps {
  plan: SoldPlan
  price: string
  unit: string
  /** What the price means, for example how much is charged at once. */
  note?: string
  features: readonly string[]
  action: ReactNode
}

/** The recommended plan for one person stands out: most people want it. */
export function PlanOffer({ plan, price, unit, note, features, action }: PlanOfferProps) {
  const { name, description } = plan
  const highlighted = plan === personalPlan
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
        {highlighted && <Badge tone="accent">Popular</Badge>}
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

/** The text of the button of a plan for one person. */
export function buyText({ name, trial_days }: SoldPlan): string {
  return trial_days > 0 ? `Start ${trial_days}-Day Free Trial` : `Get ${name}`
}

interface TeamActionsProps {
  choice: Parameters<typeof StartTeams>[0]['choice']
  contact: string
  subject: string
}

/** A plan for an organization is ordered, or talked about first. */
export function TeamActions({ choice, contact, subject }: TeamActionsProps) {
  const { brand } = useWebConfig()
  return (
    <div className="grid gap-2.5 sm:grid-cols-2">
      <StartTeams choice={choice} />
      <LinkButton
        size="large"
        variant="secondary"
        href={`mailto:${brand.support_email}?subject=${encodeURIComponent(subject)}`}
      >
        {contact}
      </LinkButton>
    </div>
  )
}

/** The free plan, below the paid ones. */
export function StarterStrip() {
  const { currency } = useOffer()
  const signedIn = useSignedIn()
  const price = usePrice()
  return (
    <p className="mt-5 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-2xl border bg-sunken px-6 py-5 text-base sm:px-9">
      <span>
        <strong className="font-semibold">{freePlan.name} is free.</strong>{' '}
        <span className="text-muted">
          Add {creditRate.credits} credits for {price(creditRate.amount_minor)} whenever you need them. They
          never expire.
        </span>
      </span>
      <a
        href={
          signedIn ? '/dashboard#add-credits' : `/sign-up?plan=${freePlan.plan_type}&currency=${currency}`
        }
        className="font-medium text-accent-text underline-offset-4 hover:underline"
      >
        {signedIn ? 'Add credits' : 'Start for free'}
      </a>
    </p>
  )
}
