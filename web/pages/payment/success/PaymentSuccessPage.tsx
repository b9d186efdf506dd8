import { useClerk } from '@clerk/clerk-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Navigate, useLocation, useSearchParams } from 'react-router-dom'
import { planOf } from '../../../../schema/catalogue/sold-plans.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { type ReturnedSession, sessionStatusQuery, settlementQuery } from '../../../api/checkout.ts'
import { signInPath } from '../../../auth/redirects.ts'
import { useSignedInUser } from '../../../auth/useSignedInUser.ts'
import { usePageTitle } from '../../../components/page.ts'
import { StatusView } from '../../../components/StatusView.tsx'
import { PurchaseView } from './PurchaseView.tsx'
import { PurchaseActions } from './parts.tsx'
import { nextPollMs, purchasedPlan, purchaseProgress, type ReturnPage } from './purchase.ts'

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

/** After this many failed status requests the user is told; retries continue for minutes. */
const silentFailures = 3

/** Polls until the ledger has the purchase, and shows how far it has got. */
function PurchaseStatus({ sessionId, clerkUserId, page }: ReturnedSession & { page: ReturnPage }) {
  const api = useApi()
  const queryClient = useQueryClient()
  const [startedAt] = useState(() => Date.now())
  const statusQuery = sessionStatusQuery(api, { sessionId, clerkUserId })
  const settlement = useQuery(settlementQuery(api, { sessionId, clerkUserId }))
  const status = useQuery({
    ...statusQuery,
    refetchInterval: ({ state }) => {
      const elapsed_ms = Date.now() - startedAt
      return nextPollMs(purchaseProgress({ status: state.data, error: state.error, elapsed_ms }), elapsed_ms)
    },
    refetchIntervalInBackground: true,
  })
  const progress = purchaseProgress({
    status: status.data,
    error: status.error ?? (status.failureCount > silentFailures ? status.failureReason : null),
    elapsed_ms: Math.max(status.dataUpdatedAt, status.errorUpdatedAt) - startedAt,
  })

  const plan = status.data ? purchasedPlan(status.data) : null
  const applied = progress.kind === 'applied'
  useEffect(() => {
    // Balance, plan, pool, seats: whatever is shown next is asked for again.
    if (applied) void queryClient.invalidateQueries({ refetchType: 'none' })
  }, [applied, queryClient])

  // Without an organization there is nothing to select; its own purchases leave the selection alone.
  const organizationId = status.data?.metadata.organizationId
  useSelectedOrganization(applied && plan && planOf(plan.plan_type).per_seat ? organizationId : undefined)

  return (
    <PurchaseView
      progress={progress}
      page={page}
      plan={plan}
      pooled={status.data?.metadata.organizationId !== undefined}
      subscriptionId={status.data?.subscription_id ?? null}
      settlementError={settlement.error}
      onRetry={() => void queryClient.resetQueries({ queryKey: statusQuery.queryKey })}
    />
  )
}

/**
 * Selects the organization of a Teams plan that has just been bought, so that the dashboard is its. When the
 * sign-in service does not answer, the account switcher does the same.
 */
function useSelectedOrganization(organizationId: string | undefined): void {
  const { setActive } = useClerk()
  useEffect(() => {
    if (organizationId) setActive({ organization: organizationId }).catch(() => undefined)
  }, [organizationId, setActive])
}
