import { plans } from '../../schema/catalogue/plans.ts'
import type { Selection } from '../auth/selection.ts'

interface SelectedPlanProps {
  selection: Selection
}

/** The visitor's choices so far, shown above the sign-up and sign-in forms. */
export function SelectedPlan({ selection }: SelectedPlanProps) {
  const plan = plans[selection.plan ?? 'starter']
  const facts = [
    ['Plan', plan.name],
    ['Billing', selection.billing === 'yearly' ? 'Yearly' : 'Monthly'],
    ['Currency', selection.currency],
    ...(selection.seats === 1 ? [] : [['Seats', String(selection.seats)]]),
  ]
  return (
    <dl
      aria-label="Your selection"
      className="mb-5 flex w-full max-w-[25rem] divide-x divide-line rounded-card border bg-surface shadow-low"
    >
      {facts.map(([name, value]) => (
        <div key={name} className="flex-1 px-4 py-3">
          <dt className="text-faint text-xs">{name}</dt>
          <dd className="mt-0.5 font-medium text-sm tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
