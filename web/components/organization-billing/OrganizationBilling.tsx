import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { accountSummaryQuery } from '../../api/account.ts'
import { organizationSubscriptionQuery } from '../../api/organizations.ts'
import { useSignedInUser } from '../../auth/useSignedInUser.ts'
import { Card } from '../../ui/Card.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { FailurePanel } from '../FailurePanel.tsx'
import { CreditPool } from './CreditPool.tsx'
import { PlanOverview } from './PlanOverview.tsx'
import { SetUpBilling } from './SetUpBilling.tsx'

/** What an organization pays for, and its pool of credits; for its admins. */
export function OrganizationBilling({ organizationId }: { organizationId: string }) {
  const { user } = useSignedInUser()
  const view = { organizationId, userId: user?.id ?? '' }
  const api = useApi()
  const subscription = useQuery(organizationSubscriptionQuery(api, view))
  const summary = useQuery(accountSummaryQuery(api, { payer: organizationId, userId: view.userId }))
  if (subscription.isPending || summary.isPending) return <BillingSkeleton />
  if (subscription.isLoadingError || summary.isLoadingError) {
    const failed = subscription.isLoadingError ? subscription : summary
    return (
      <Card>
        <FailurePanel
          title="Error"
          query={{ ...failed, refetch: () => Promise.all([subscription.refetch(), summary.refetch()]) }}
          defaultText="Failed to load billing information"
        />
      </Card>
    )
  }
  const { hasSubscription, subscription: latest } = subscription.data
  const { currency } = summary.data
  return (
    <div className="grid grid-cols-1 items-start gap-4 sm:gap-5 lg:grid-cols-5">
      <div className="lg:col-span-3">
        {hasSubscription && latest ? (
          <PlanOverview view={view} subscription={latest} summary={summary.data} />
        ) : (
          <SetUpBilling organizationId={organizationId} ended={latest} currency={currency} />
        )}
      </div>
      <div className="lg:col-span-2">
        <CreditPool view={view} currency={currency.code} hasPlan={hasSubscription} />
      </div>
    </div>
  )
}

function BillingSkeleton() {
  return (
    <div role="status" className="grid grid-cols-1 gap-4 sm:gap-5 lg:grid-cols-5">
      <span className="sr-only">Loading billing</span>
      <Skeleton className="h-72 rounded-card lg:col-span-3" />
      <Skeleton className="h-72 rounded-card lg:col-span-2" />
    </div>
  )
}
