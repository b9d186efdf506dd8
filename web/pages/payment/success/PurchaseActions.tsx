import { RouteButton } from '../../../components/RouteButton.tsx'
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
        <RouteButton to={plan ? planCheckoutPath(plan) : '/dashboard#add-credits'}>Try Again</RouteButton>
      )}
      {(pricing || plan) && (
        <RouteButton to="/pricing" variant={plan ? 'secondary' : 'primary'}>
          Return to Pricing
        </RouteButton>
      )}
      {!plan && (
        <RouteButton to="/dashboard" variant={again || pricing || only ? 'secondary' : 'primary'}>
          Return to Dashboard
        </RouteButton>
      )}
      {history && (
        <RouteButton to="/billing?tab=invoices&view=transactions" variant="secondary">
          View Billing History
        </RouteButton>
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
