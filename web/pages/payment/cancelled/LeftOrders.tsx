import type { OpenCheckout } from '../../../../schema/api/checkout.ts'
import { plans } from '../../../../schema/catalogue/plans.ts'
import { formatCredits, formatMoney } from '../../../components/format.ts'
import { Button } from '../../../ui/Button.tsx'

/** Uncharged orders, each with a link to its payment page. */
export function LeftOrders({ orders }: { orders: readonly OpenCheckout[] }) {
  return (
    <section aria-labelledby="left-title">
      <h2 id="left-title" className="text-sm">
        Not charged
      </h2>
      <ul className="mt-2 divide-y divide-line rounded-control border bg-sunken text-sm">
        {orders.map((order) => (
          <li key={order.sessionId} className="flex flex-wrap items-center justify-between gap-3 px-4 py-3">
            <div className="min-w-0 tabular-nums">
              <p className="font-medium">{titleOf(order)}</p>
              <p className="text-muted text-xs">{priceOf(order)}</p>
            </div>
            <Button asChild variant="secondary" size="small">
              <a href={order.url} aria-label={`Continue to payment: ${titleOf(order)}`}>
                Continue to payment
              </a>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function titleOf({ planType, seats, credits }: OpenCheckout): string {
  if (!planType) return `${formatCredits(credits)} credits`
  const { name, per_seat } = plans[planType]
  return per_seat ? `${name}, ${seats} ${seats === 1 ? 'seat' : 'seats'}` : name
}

function priceOf({ planType, billingFrequency, amount_minor, currency, trial_days }: OpenCheckout): string {
  const price = formatMoney(amount_minor, currency)
  if (!planType) return price
  const period = `${price} per ${billingFrequency === 'yearly' ? 'year' : 'month'}`
  return trial_days > 0 ? `${trial_days} days free, then ${period}` : period
}
