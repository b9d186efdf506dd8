import { CircleAlert } from 'lucide-react'
import { Navigate, useLocation, useSearchParams } from 'react-router-dom'
import { signInPath } from '../../../auth/redirects.ts'
import { useSignedInUser } from '../../../auth/useSignedInUser.ts'
import { StatusView } from '../../../components/StatusView.tsx'
import { usePageTitle } from '../../../components/usePageTitle.ts'
import { PurchaseActions } from './PurchaseActions.tsx'
import { PurchaseStatus } from './PurchaseStatus.tsx'
import { PurchaseView } from './PurchaseView.tsx'
import type { ReturnPage } from './texts.ts'

export function PaymentSuccessPage() {
  return <CheckoutReturn page="payment" />
}

/** The same page for credit purchases, with some other texts and links. */
export function BillingSuccessPage() {
  return <CheckoutReturn page="billing" />
}

/** At the top of the page, so that growing content pushes nothing above it. */
function CheckoutReturn({ page }: { page: ReturnPage }) {
  return (
    <div className="mb-auto flex w-full flex-col items-center sm:pt-[6vh]">
      <Purchase page={page} />
    </div>
  )
}

function Purchase({ page }: { page: ReturnPage }) {
  const { isLoaded, user } = useSignedInUser()
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
