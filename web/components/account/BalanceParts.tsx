import type { AccountSummary } from '../../../schema/api/account.ts'
import { Badge } from '../../ui/Badge.tsx'
import { monthText, otherCreditsText } from './balanceText.ts'
import { lowBalanceTone } from './notices.ts'

/** What a balance consists of. The bar fills with use of the month; the text above it says the same. */
export function BalanceParts({ summary }: { summary: Pick<AccountSummary, 'balance' | 'plan_month'> }) {
  const { plan_month } = summary
  return (
    <div className="space-y-2">
      {plan_month && (
        <>
          <p>{monthText(plan_month)}</p>
          <div aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-hover">
            <div
              className="h-full rounded-full bg-accent"
              style={{ width: `${(plan_month.used / plan_month.granted) * 100}%` }}
            />
          </div>
        </>
      )}
      <p className="empty:hidden">{otherCreditsText(summary)}</p>
    </div>
  )
}

/** In the color of its notice. */
export function LowBalanceBadge({ summary }: { summary: AccountSummary }) {
  const tone = lowBalanceTone(summary)
  return <Badge tone={tone === 'info' ? 'accent' : tone}>Low balance</Badge>
}
