import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, RotateCw, Undo2 } from 'lucide-react'
import { Link, useNavigate } from 'react-router-dom'
import type { OpenCheckout } from '../../../../schema/api/checkout.ts'
import { planOf } from '../../../../schema/catalogue/sold-plans.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useWebConfig } from '../../../api/catalogue.ts'
import { openCheckoutsQuery } from '../../../api/checkout.ts'
import { useSignedInUser } from '../../../auth/useSignedInUser.ts'
import { formatCredits, formatMoney } from '../../../components/format.ts'
import { usePageTitle } from '../../../components/page.ts'
import { RouteButton } from '../../../components/RouteButton.tsx'
import { StatusView } from '../../../components/StatusView.tsx'
import { Alert } from '../../../ui/Alert.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Disclosure } from '../../../ui/Disclosure.tsx'
import { LinkButton } from '../../../ui/LinkButton.tsx'

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
            <RouteButton to="/pricing" variant="secondary">
              <ArrowLeft aria-hidden="true" />
              Go Back
            </RouteButton>
          </>
        }
      >
        <Alert title="Nothing has changed.">You can make this purchase at any time.</Alert>
        {orders.length > 0 && <LeftOrders orders={orders} />}
        <section>
          <h2 className="text-sm">What Happened?</h2>
          <Items items={happened} />
        </section>
        <div className="divide-y divide-line border-y">
          {folded.map(({ title, items }) => (
            <Disclosure key={title} title={title} className="gap-4 py-3 text-sm hover:text-accent-text">
              <div className="-mt-2 pb-3">
                <Items items={items} />
              </div>
            </Disclosure>
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
    <LinkButton href={paymentPage}>{content}</LinkButton>
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
        <LinkButton href={mail} variant="secondary" size="small">
          Contact Support
        </LinkButton>
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
              <LinkButton
                href={order.url}
                aria-label={`Continue to payment: ${title}`}
                variant="secondary"
                size="small"
              >
                Continue to payment
              </LinkButton>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

const happened = [
  'You cancelled the payment before it was completed',
  'No charge was made to your payment method',
  'Your account stays on its current plan',
]

/** Lists that a reader opens who wants to know more. */
const folded = [
  {
    title: 'Common reasons',
    items: [
      'You pressed the back button or closed the window',
      'You wanted to review the plan details first',
      'The connection was interrupted',
      'You wanted to use another payment method',
    ],
  },
  {
    title: 'Troubleshooting tips',
    items: [
      'Make sure your account has sufficient funds',
      'Check that the card details are correct',
      'Try another payment method',
      'Temporarily disable ad blockers and browser extensions',
      'Clear your browser’s cache and cookies',
    ],
  },
]

/** What was left unpaid, and what it costs. */
export function describeOrder(order: OpenCheckout): { title: string; price: string } {
  const { planType, seats, credits, billingFrequency, amount_minor, currency, trial_days } = order
  const price = formatMoney(amount_minor, currency)
  if (!planType) return { title: `${formatCredits(credits)} credits`, price }
  const { name, per_seat } = planOf(planType)
  const period = `${price} per ${billingFrequency === 'yearly' ? 'year' : 'month'}`
  return {
    title: per_seat ? `${name}, ${seats} ${seats === 1 ? 'seat' : 'seats'}` : name,
    price: trial_days > 0 ? `${trial_days} days free, then ${period}` : period,
  }
}
