import { useUser } from '@clerk/clerk-react'
import { CircleAlert } from 'lucide-react'
import { Navigate, useLocation, useSearchParams } from 'react-router-dom'
import { signInPath } from '../../auth/redirects.ts'
import { StatusView } from '../StatusView.tsx'
import { usePageTitle } from '../usePageTitle.ts'
import { PurchaseActions } from './PurchaseActions.tsx'
import { PurchaseStatus } from './PurchaseStatus.tsx'
import { PurchaseView } from './PurchaseView.tsx'
import type { ReturnPage } from './words.ts'

/** Where the hosted payment page sends its customers back to, under both of its addresses. */
export function CheckoutReturn({ page }: { page: ReturnPage }) {
  const { isLoaded, user } = useUser()
  const location = useLocation()
  const sessionId = useSearchParams()[0].get('session_id')

  if (!sessionId) return <InvalidSession page={page} />
  if (!isLoaded) return <PurchaseView page={page} progress={{ kind: 'verifying' }} />
  if (!user) return <Navigate to={signInPath(location)} replace />
  return <PurchaseStatus key={sessionId} sessionId={sessionId} clerkUserId={user.id} page={page} />
}

function InvalidSession({ page }: { page: ReturnPage }) {
  usePageTitle('Payment not found')
  return (
    <StatusView
      tone="critical"
      Icon={CircleAlert}
      title="Payment not found"
      text="Invalid payment session or user not authenticated"
      actions={<PurchaseActions pricing={page === 'payment'} />}
    />
  )
}
