import { useQuery } from '@tanstack/react-query'
import {
  createOrganizationBillingPortal,
  type OrganizationSubscription,
} from '../../../schema/api/organizations.ts'
import { formatMoney } from '../../../schema/catalogue/currency.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { failureText } from '../../api/failure.ts'
import {
  type OrganizationView,
  organizationCreditsQuery,
  organizationSubscriptionQuery,
} from '../../api/organizations.ts'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { formatCredits, formatDay } from '../../components/format.ts'
import { ManageBillingButton } from '../../components/ManageBillingButton.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { toast } from '../../ui/toast.ts'
import { SetUpBilling } from './SetUpBilling.tsx'

export function BillingTab({ view }: { view: OrganizationView }) {
  const subscription = useQuery(organizationSubscriptionQuery(useApi(), view))
  if (subscription.isPending) return <Skeleton className="h-60 rounded-card" />
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
  if (!hasSubscription || !latest) return <SetUpBilling view={view} endedAt={latest?.ended_at ?? null} />
  return (
    <div className="grid gap-4 sm:gap-5 lg:grid-cols-5">
      <Overview view={view} subscription={latest} />
      <CreditPool view={view} />
    </div>
  )
}

interface OverviewProps {
  view: OrganizationView
  subscription: OrganizationSubscription
}

function Overview({ view, subscription }: OverviewProps) {
  const { seats_total, price_per_seat_minor, currency, billing_frequency, cancel_at } = subscription
  const yearly = billing_frequency === 'yearly'
  return (
    <Card aria-labelledby="plan-title" className="lg:col-span-3">
      <CardHeader id="plan-title" title="Teams plan" action={<StatusBadge status={subscription.status} />} />
      <dl className="grid grid-cols-2 gap-x-6 gap-y-5 px-5 pt-4 pb-5 tabular-nums sm:px-6">
        <Fact term="Seats" value={seats_total} />
        <Fact
          term={yearly ? 'Yearly total' : 'Monthly total'}
          value={formatMoney(price_per_seat_minor * seats_total, currency)}
        />
        <Fact term="Each seat" value={formatMoney(price_per_seat_minor, currency)} />
        <Fact
          term={cancel_at ? 'Ends' : 'Next payment'}
          value={formatDay(cancel_at ?? subscription.current_period_end)}
        />
      </dl>
      <div className="flex flex-wrap items-center justify-between gap-3 border-t px-5 py-4 sm:px-6">
        <p className="text-[13px] text-faint">Seats, invoices and the card are on the billing page.</p>
        <PortalButton organizationId={view.organizationId} />
      </div>
    </Card>
  )
}

function Fact({ term, value }: { term: string; value: string | number }) {
  return (
    <div>
      <dt className="text-muted text-sm">{term}</dt>
      <dd className="mt-0.5 font-semibold text-lg tracking-[-0.01em]">{value}</dd>
    </div>
  )
}

function StatusBadge({ status }: { status: OrganizationSubscription['status'] }) {
  switch (status) {
    case 'active':
      return <Badge tone="positive">Active</Badge>
    case 'past_due':
      return <Badge tone="caution">Past Due</Badge>
    case 'trialing':
      return <Badge tone="accent">Free trial</Badge>
    default:
      return <Badge>{status}</Badge>
  }
}

function CreditPool({ view }: { view: OrganizationView }) {
  const credits = useQuery(organizationCreditsQuery(useApi(), view))
  if (credits.isPending) return <Skeleton className="h-48 rounded-card lg:col-span-2" />
  return (
    <Card aria-labelledby="pool-title" className="lg:col-span-2">
      <CardHeader id="pool-title" title="Credit pool" description="Shared by everybody with a seat" />
      {credits.isLoadingError ? (
        <FailurePanel
          title="Error"
          error={credits.error}
          defaultText="Failed to load organization credits"
          busy={credits.isFetching}
          onRetry={() => void credits.refetch()}
        />
      ) : (
        <div className="px-5 pt-4 pb-5 tabular-nums sm:px-6">
          <p className="font-semibold text-4xl tracking-[-0.03em]">
            {formatCredits(credits.data.remaining_credits)}
          </p>
          <p className="mt-2 text-muted text-sm">
            {formatCredits(credits.data.used_credits)} used since {formatDay(credits.data.since)}
          </p>
        </div>
      )}
    </Card>
  )
}

function PortalButton({ organizationId }: { organizationId: string }) {
  const api = useApi()
  return (
    <ManageBillingButton
      openPortal={() => api(createOrganizationBillingPortal, { body: { clerk_org_id: organizationId } })}
      onError={(error) =>
        toast.error('Error', { description: failureText(error, 'Failed to open billing portal') })
      }
    />
  )
}
