import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, ChevronDown, RotateCw, Undo2 } from 'lucide-react'
import { Link, useNavigate } from 'react-router-dom'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useWebConfig } from '../../../api/catalogue.ts'
import { openCheckoutsQuery } from '../../../api/checkout.ts'
import { useSignedInUser } from '../../../auth/useSignedInUser.ts'
import { usePageTitle } from '../../../components/usePageTitle.ts'
import { Alert } from '../../../ui/Alert.tsx'
import { Button } from '../../../ui/Button.tsx'
import { LeftOrders } from './LeftOrders.tsx'

export function PaymentCancelledPage() {
  usePageTitle('Payment Cancelled')
  const { brand } = useWebConfig()
  const { user } = useSignedInUser()
  // A visitor may open this page too, and while it loads or fails, the rest of it is as true as before.
  const left = useQuery({ ...openCheckoutsQuery(useApi(), user?.id ?? ''), enabled: Boolean(user), retry: 1 })
  const orders = left.data ?? []
  const mail = `mailto:${brand.support_email}?subject=${encodeURIComponent('Payment Issue')}`
  return (
    <div className="w-full max-w-xl animate-rise rounded-card border bg-surface shadow-card">
      <div className="p-6 sm:p-8">
        <div className="grid size-11 place-items-center rounded-full bg-caution-soft text-caution">
          <Undo2 aria-hidden="true" className="size-5" />
        </div>
        <h1 className="mt-5 text-xl">Payment Cancelled</h1>
        <p className="mt-2 text-base text-muted">Your payment was cancelled and no charges were made</p>
        <div className="mt-6 space-y-6">
          <Alert title="Nothing has changed.">
            Your account and your credits are exactly as they were. You can make this purchase at any time.
          </Alert>
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
        </div>
        <div className="mt-7 flex flex-col gap-2.5 sm:flex-row">
          <TryAgain paymentPage={orders[0]?.url} />
          <Button asChild variant="secondary">
            <Link to="/pricing">
              <ArrowLeft aria-hidden="true" />
              Go Back
            </Link>
          </Button>
        </div>
      </div>
      <div className="flex flex-col justify-between gap-4 border-y bg-sunken px-6 py-5 sm:flex-row sm:items-center sm:px-8">
        <div>
          <h2 className="text-sm">Need Help?</h2>
          <p className="mt-0.5 text-muted text-sm">We reply to every message about a payment.</p>
        </div>
        <Button asChild variant="secondary" size="small">
          <a href={mail}>Contact Support</a>
        </Button>
      </div>
      <nav
        aria-label="More"
        className="flex flex-wrap gap-x-6 gap-y-2 px-6 py-4 text-sm sm:px-8 [&_a:hover]:text-ink [&_a]:text-muted"
      >
        <Link to="/pricing">View All Plans</Link>
        <a href={mail}>Get Support</a>
        <Link to="/dashboard">Dashboard</Link>
      </nav>
    </div>
  )
}

/** The payment page that was left; where it is not known, the page before this one, which usually is it. */
function TryAgain({ paymentPage }: { paymentPage: string | undefined }) {
  const navigate = useNavigate()
  if (paymentPage) {
    return (
      <Button asChild>
        <a href={paymentPage}>
          <RotateCw aria-hidden="true" />
          Try Again
        </a>
      </Button>
    )
  }
  return (
    <Button onClick={() => navigate(-1)}>
      <RotateCw aria-hidden="true" />
      Try Again
    </Button>
  )
}

function Items({ items }: { items: readonly string[] }) {
  return (
    <ul className="mt-2 space-y-1.5 text-muted text-sm">
      {items.map((item) => (
        <li
          key={item}
          className="flex gap-2.5 before:mt-[9px] before:size-1 before:shrink-0 before:rounded-full before:bg-faint"
        >
          {item}
        </li>
      ))}
    </ul>
  )
}

const happened = [
  'You cancelled the payment before it was completed',
  'No charge was made to your payment method',
  'Your account stays on its current plan',
]

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
