import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, ChevronDown, RotateCw, Undo2 } from 'lucide-react'
import { Link, useNavigate } from 'react-router-dom'
import type { OpenCheckout } from '../../../../schema/api/checkout.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useWebConfig } from '../../../api/catalogue.ts'
import { openCheckoutsQuery } from '../../../api/checkout.ts'
import { useSignedInUser } from '../../../auth/useSignedInUser.ts'
import { StatusView } from '../../../components/StatusView.tsx'
import { usePageTitle } from '../../../components/usePageTitle.ts'
import { Alert } from '../../../ui/Alert.tsx'
import { Button } from '../../../ui/Button.tsx'
import { describeOrder, folded, happened } from './texts.ts'

export function PaymentCancelledPage() {
  usePageTitle('Payment Cancelled')
  const { user } = useSignedInUser()
  // A visitor may open this page too, and while it loads or fails, the rest of it is as true as before.
  const left = useQuery({ ...openCheckoutsQuery(useApi(), user?.id ?? ''), enabled: Boolean(user), retry: 1 })
  const orders = left.data ?? []
  return (
    <>
      <StatusView
        tone="caution"
        Icon={Undo2}
        title="Payment Cancelled"
        text="Your payment was cancelled and no charges were made"
        actions={
          <>
            <TryAgain paymentPage={orders[0]?.url} />
            <Button asChild variant="secondary">
              <Link to="/pricing">
                <ArrowLeft aria-hidden="true" />
                Go Back
              </Link>
            </Button>
          </>
        }
      >
        <Alert title="Nothing has changed.">You can make this purchase at any time.</Alert>
        {orders.length > 0 && <LeftOrders orders={orders} />}
        <section>
          <h2 className="text-sm">What Happened?</h2>
          <Items items={happened} />
        </section>
        <div>
          {folded.map(({ title, items }) => (
            <details key={title} className="group border-t py-3 last:border-b">
              <summary className="flex cursor-pointer list-none items-center justify-between gap-4 font-medium text-sm hover:text-accent-text [&::-webkit-details-marker]:hidden">
                {title}
                <ChevronDown
                  aria-hidden="true"
                  className="size-4 text-faint transition-transform group-open:rotate-180"
                />
              </summary>
              <Items items={items} />
            </details>
          ))}
        </div>
      </StatusView>
      <Help />
    </>
  )
}

/** The payment page that was left; where it is not known, the page before this one, which usually is it. */
function TryAgain({ paymentPage }: { paymentPage: string | undefined }) {
  const navigate = useNavigate()
  const content = (
    <>
      <RotateCw aria-hidden="true" />
      Try Again
    </>
  )
  return paymentPage ? (
    <Button asChild>
      <a href={paymentPage}>{content}</a>
    </Button>
  ) : (
    <Button onClick={() => navigate(-1)}>{content}</Button>
  )
}

function Help() {
  const { brand } = useWebConfig()
  const mail = `mailto:${brand.support_email}?subject=${encodeURIComponent('Payment Issue')}`
  return (
    <div className="mt-4 w-full max-w-md rounded-card border bg-sunken text-sm">
      <div className="flex items-center justify-between gap-4 border-b px-6 py-4 sm:px-8">
        <div>
          <h2 className="text-sm">Need Help?</h2>
          <p className="mt-0.5 text-muted">We reply to every message about a payment.</p>
        </div>
        <Button asChild variant="secondary" size="small">
          <a href={mail}>Contact Support</a>
        </Button>
      </div>
      <nav
        aria-label="More"
        className="flex flex-wrap gap-x-6 gap-y-2 px-6 py-3 sm:px-8 [&_a:hover]:text-ink [&_a]:text-muted"
      >
        <Link to="/pricing">View All Plans</Link>
        <a href={mail}>Get Support</a>
        <Link to="/dashboard">Dashboard</Link>
      </nav>
    </div>
  )
}

function Items({ items }: { items: readonly string[] }) {
  return (
    <ul className="mt-2 list-disc space-y-1.5 pl-4 text-muted text-sm marker:text-faint">
      {items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  )
}

/** Orders that were left, each with a link to its payment page. */
function LeftOrders({ orders }: { orders: readonly OpenCheckout[] }) {
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
