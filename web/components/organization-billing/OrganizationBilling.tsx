import { useQuery } from '@tanstack/react-query'
import { defaultCurrency } from '../../../schema/catalogue/currency.ts'
import { useApi } from '../../api/ApiProvider.tsx'
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
  const subscription = useQuery(organizationSubscriptionQuery(useApi(), view))
  if (subscription.isPending) return <BillingSkeleton />
  if (subscription.isLoadingError) {
    return (
      <Card>
        <FailurePanel
          title="Error"
          error={subscription.error}
          defaultText="Failed to load billing information"
          busy={subscription.isFetching}
          onRetry={() => void subscription.refetch()}
        />
      </Card>
    )
  }
  const { hasSubscription, subscription: latest } = subscription.data
  return (
    <div className="grid grid-cols-1 items-start gap-4 sm:gap-5 lg:grid-cols-5">
      <div className="lg:col-span-3">
        {hasSubscription && latest ? (
          <PlanOverview view={view} subscription={latest} />
        ) : (
          <SetUpBilling organizationId={organizationId} ended={latest} />
        )}
      </div>
      <div className="lg:col-span-2">
        <CreditPool
          view={view}
          currency={hasSubscription && latest ? latest.currency : defaultCurrency}
          hasPlan={hasSubscription}
        />
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
