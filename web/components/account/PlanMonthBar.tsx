import type { AccountSummary } from '../../../schema/api/account.ts'

/** Empties as the plan's credits of the month are used. Decorative: the text below it says the same. */
export function PlanMonthBar({
  month: { granted, used },
}: {
  month: NonNullable<AccountSummary['plan_month']>
}) {
  return (
    <div aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-hover">
      <div className="h-full rounded-full bg-accent" style={{ width: `${(1 - used / granted) * 100}%` }} />
    </div>
  )
}
