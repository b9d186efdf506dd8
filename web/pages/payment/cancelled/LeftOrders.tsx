import type { OpenCheckout } from '../../../../schema/api/checkout.ts'
import { Button } from '../../../ui/Button.tsx'
import { describeOrder } from './texts.ts'

/** Orders that were left, each with a link to its payment page. */
export function LeftOrders({ orders }: { orders: readonly OpenCheckout[] }) {
  return (
    <section aria-labelledby="left-title">
      <h2 id="left-title" className="text-sm">
        Your order
      </h2>
      <ul className="mt-2 divide-y divide-line rounded-control border bg-sunken text-sm">
        {orders.map((order) => {
          const { title, price } = describeOrder(order)
          return (
            <li key={order.sessionId} className="flex flex-wrap items-center justify-between gap-3 px-4 py-3">
              <div className="min-w-0 tabular-nums">
                <p className="font-medium">{title}</p>
                <p className="text-muted text-xs">{price}</p>
              </div>
              <Button asChild variant="secondary" size="small">
                <a href={order.url} aria-label={`Continue to payment: ${title}`}>
                  Continue to payment
                </a>
              </Button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
