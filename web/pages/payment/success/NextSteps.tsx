import type { ReactNode } from 'react'
import { planOf } from '../../../../schema/catalogue/sold-plans.ts'
import { useWebConfig } from '../../../api/catalogue.ts'
import { formatCredits } from '../../../components/format.ts'
import type { PlanPurchase } from './plan.ts'

/** `credits`: of all seats, every month. */
export function NextSteps({
  plan: { plan_type, seats, trial },
  credits,
}: {
  plan: PlanPurchase
  credits: number
}) {
  const { brand } = useWebConfig()
  const { per_seat } = planOf(plan_type)
  return (
    <section className="space-y-3 pt-1">
      <h2 className="font-semibold text-sm">What’s Next</h2>
      <ol className="space-y-3 text-muted text-sm [counter-reset:step]">
        {per_seat && (
          <Step>Your organization is selected: the dashboard shows its plan, credits and seats.</Step>
        )}
        <Step>
          {brand.marketplace_url ? (
            <a
              href={brand.marketplace_url}
              className="font-medium text-accent-text underline underline-offset-4"
            >
              Install {brand.name} in your editor
            </a>
          ) : (
            `Install ${brand.name} in your editor`
          )}{' '}
          and sign in with this account{per_seat && ', with your organization as the one that pays'}.
        </Step>
        <Step>
          Start using your credits. You get {formatCredits(credits / seats)} every month
          {per_seat && ' for each seat'}.
        </Step>
        {trial && <Step>You can cancel at any time: open the dashboard and choose Manage billing.</Step>}
      </ol>
    </section>
  )
}

function Step({ children }: { children: ReactNode }) {
  return (
    <li className="flex gap-3 [counter-increment:step]">
      <span
        aria-hidden="true"
        className="grid size-5 shrink-0 place-items-center rounded-full bg-sunken font-semibold text-2xs text-ink tabular-nums ring-1 ring-line before:content-[counter(step)]"
      />
      <span>{children}</span>
    </li>
  )
}
