import { Link } from 'react-router-dom'
import { Button } from '../../ui/Button.tsx'

interface PurchaseActionsProps {
  /** Nothing was bought: offer another try first. */
  again?: boolean
  /** Something was bought: offer to see it in the history. */
  history?: boolean
  only?: 'dashboard'
}

export function PurchaseActions({ again, history, only }: PurchaseActionsProps) {
  return (
    <>
      {again && (
        <Button asChild>
          <Link to="/dashboard#add-credits">Try Again</Link>
        </Button>
      )}
      <Button asChild look={again || only ? 'secondary' : 'primary'}>
        <Link to="/dashboard">Return to Dashboard</Link>
      </Button>
      {history && (
        <Button asChild look="secondary">
          <Link to="/dashboard#activity">View Billing History</Link>
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
