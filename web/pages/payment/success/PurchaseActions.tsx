import { Link } from 'react-router-dom'
import { Button } from '../../../ui/Button.tsx'
import { type PlanPurchase, planCheckoutPath } from './plan.ts'

interface PurchaseActionsProps {
  /** Nothing was bought: the first button starts the same purchase again. */
  again?: PlanPurchase | 'credits'
  /** Credits were bought: adds a link to the history. */
  history?: boolean
  /** The first button leads to the plans. */
  pricing?: boolean
  /** Makes the dashboard link secondary, beside a more important button. */
  only?: 'dashboard'
}

export function PurchaseActions({ again, history, pricing, only }: PurchaseActionsProps) {
  const plan = again !== 'credits' && again
  return (
    <>
      {again && (
        <Button asChild>
          <Link to={plan ? planCheckoutPath(plan) : '/dashboard#add-credits'}>Try Again</Link>
        </Button>
      )}
      {(pricing || plan) && (
        <Button asChild variant={plan ? 'secondary' : 'primary'}>
          <Link to="/pricing">Return to Pricing</Link>
        </Button>
      )}
      {!plan && (
        <Button asChild variant={again || pricing || only ? 'secondary' : 'primary'}>
          <Link to="/dashboard">Return to Dashboard</Link>
        </Button>
      )}
      {history && (
        <Button asChild variant="secondary">
          <Link to="/billing?tab=invoices&view=transactions">View Billing History</Link>
        </Button>
      )}
    </>
  )
}

export function ContactSupport({ email }: { email: string }) {
  return (
    <a
      href={`mailto:${email}?subject=${encodeURIComponent('Payment Issue')}`}
      className="font-medium text-accent-text underline underline-offset-4"
    >
      {email}
    </a>
  )
}
