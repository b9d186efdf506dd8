import { formatMoney } from '../../../schema/catalogue/currency.ts'
import { formatCredits } from '../format.ts'
import type { PurchaseProgress } from './progress.ts'

type AppliedPurchase = Extract<PurchaseProgress, { kind: 'applied' }>

export function PurchaseReceipt({ purchase }: { purchase: AppliedPurchase }) {
  return (
    <dl className="divide-y divide-line rounded-control border bg-sunken text-sm tabular-nums [&>div]:flex [&>div]:items-baseline [&>div]:justify-between [&>div]:gap-4 [&>div]:px-4 [&>div]:py-3">
      <div>
        <dt className="text-muted">Credits Added</dt>
        <dd className="font-semibold text-lg text-positive">+{formatCredits(purchase.credits)}</dd>
      </div>
      <div>
        <dt className="text-muted">Amount paid</dt>
        <dd className="font-medium">
          {formatMoney(purchase.amount_minor, purchase.currency)}{' '}
          <span className="text-muted">{purchase.currency}</span>
        </dd>
      </div>
      <div>
        <dt className="text-muted">New balance</dt>
        <dd className="font-medium">{formatCredits(purchase.balance)} credits</dd>
      </div>
    </dl>
  )
}
