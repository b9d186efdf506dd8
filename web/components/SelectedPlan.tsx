import { plans } from '../../schema/catalogue/plans.ts'
import { useWebConfig } from '../api/catalogue.ts'
import { offerOf } from '../auth/offer.ts'
import type { Selection } from '../auth/selection.ts'
import { formatCredits, formatMoney } from './format.ts'

interface SelectedPlanProps {
  selection: Selection
  /** The account is made on this page, so its owner cannot have had the trial. */
  isNewAccount: boolean
}

/** Says above the form what the chosen plan will cost, and when; nothing where none was chosen. */
export function SelectedPlan({ selection, isNewAccount }: SelectedPlanProps) {
  const { pro_trial_days } = useWebConfig()
  const offer = offerOf(selection, { trialDays: pro_trial_days, isNewAccount, formatMoney })
  if (!offer && selection.plan !== 'starter') return null
  const { billing, currency } = selection
  const choice = new URLSearchParams({ billing, ...(currency && { currency }) })
  return (
    <section
      aria-label="Your plan"
      className="mb-5 w-full max-w-[25rem] animate-rise rounded-card border bg-surface px-5 py-4 shadow-low"
    >
      <div className="flex items-baseline justify-between gap-4">
        <p className="font-medium text-base tabular-nums">
          {offer ? offer.sentence : `${plans.starter.name}, free`}
        </p>
        <a
          href={`/pricing?${choice}`}
          className="shrink-0 text-accent-text text-sm underline-offset-4 hover:underline"
        >
          Change<span className="sr-only"> the plan</span>
        </a>
      </div>
      <p className="mt-1 text-muted text-sm">
        {offer
          ? `${formatCredits(offer.includedCredits)} credits a month included. Nothing is charged yet.`
          : 'Add credits when you need them.'}
      </p>
    </section>
  )
}
