import type { AccountPayment } from '../../../schema/api/account.ts'
import { plans } from '../../../schema/catalogue/plans.ts'
import { formatCredits, formatDay, formatMoney, formatTime } from '../../components/format.ts'
import { Badge } from '../../ui/Badge.tsx'

const states = {
  awaiting_payment: { label: 'Pending', tone: 'accent' },
  paid: { label: 'On its way', tone: 'accent' },
  failed: { label: 'Failed', tone: 'caution' },
  under_review: { label: 'In review', tone: 'caution' },
} as const

/** Recent payments without credits: those in progress and failed ones. */
export function Payments({ payments }: { payments: readonly AccountPayment[] }) {
  if (payments.length === 0) return null
  return (
    <ul aria-label="Payments" className="mt-4 divide-y divide-line border-t bg-sunken last:rounded-b-card">
      {payments.map(({ id, state, reason, created_at, ...payment }) => (
        <li key={id} className="px-5 py-3 text-sm sm:px-6">
          <div className="flex items-start justify-between gap-3">
            <p className="font-medium">{nameOf(payment)}</p>
            <Badge tone={states[state].tone}>{states[state].label}</Badge>
          </div>
          <p className="mt-0.5 text-muted text-xs leading-5">{reason}</p>
          <p className="mt-0.5 text-faint text-xs">
            <time dateTime={created_at}>
              {formatDay(created_at)}, {formatTime(created_at)}
            </time>
          </p>
        </li>
      ))}
    </ul>
  )
}

function nameOf({
  plan_type,
  credits,
  amount_minor,
  currency,
}: Pick<AccountPayment, 'plan_type' | 'credits' | 'amount_minor' | 'currency'>): string {
  const what = plan_type ? `${plans[plan_type].name} plan` : `${formatCredits(credits)} credits`
  return `${what} · ${formatMoney(amount_minor, currency)}`
}
