import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OwnPlanEnd } from '../../../schema/api/plan-changes.ts'
import { planOf } from '../../../schema/catalogue/sold-plans.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { ownPlanEndQuery } from '../../api/account.ts'
import { formatCredits, formatMoney } from '../format.ts'

interface OwnPlanChoice {
  /** Null without a plan of one's own, and while it is not known. */
  readonly plan: OwnPlanEnd | null
  /** An order waits for it, so that each buyer with a plan is asked. */
  readonly isLoading: boolean
  /** Whether the plan ends with the order. */
  readonly ends: boolean
  readonly setEnds: (ends: boolean) => void
}

/** Whether the buyer's own plan ends when Teams is paid: it does unless they say otherwise. */
export function useOwnPlanEnd(): OwnPlanChoice {
  const { data, isPending } = useQuery(ownPlanEndQuery(useApi()))
  const [wanted, setEnds] = useState(true)
  const plan = data?.plan ?? null
  return { plan, isLoading: isPending, ends: plan !== null && wanted, setEnds }
}

/** Asks buyers of Teams what becomes of their own plan, with all that its end brings. Nothing without one. */
export function EndOwnPlan({ choice }: { choice: OwnPlanChoice }) {
  const { plan, ends, setEnds } = choice
  if (!plan) return null
  const { name } = planOf(plan.plan_type)
  return (
    <div className="mt-4 rounded-control border bg-sunken px-4 py-3 text-sm">
      <label className="flex items-start gap-2.5 font-medium">
        <input
          type="checkbox"
          className="mt-0.5 size-4 accent-accent"
          aria-describedby="end-own-plan"
          checked={ends}
          onChange={({ target }) => setEnds(target.checked)}
        />
        End my {name} plan when Teams is paid
      </label>
      <p id="end-own-plan" aria-live="polite" className="mt-1 pl-6.5 text-muted leading-relaxed">
        {ends ? consequences(plan).join(' ') : `${name} stays beside Teams and renews as before.`}
      </p>
    </div>
  )
}

/** What the end of the plan brings, in sentences. */
export function consequences({
  plan_type,
  is_trial,
  is_disputed,
  refund_minor,
  currency,
  credits,
}: OwnPlanEnd): string[] {
  const { name } = planOf(plan_type)
  const unused = credits === 1 ? 'credit expires' : 'credits expire'
  return [
    is_trial
      ? `Your trial ends, and ${name} is never charged.`
      : is_disputed
        ? `Nothing is refunded, because a payment for ${name} is disputed.`
        : refund_minor > 0
          ? `About ${formatMoney(refund_minor, currency)} goes back to your card for the unused part of ${name}.`
          : `Nothing is refunded, because no paid part of ${name} is unused.`,
    ...(credits > 0 ? [`${formatCredits(credits)} unused ${name} ${unused}.`] : []),
    'Credits you bought stay in your own account.',
    `${name} does not come back if Teams is refunded later.`,
  ]
}
