import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { AccountSummary, NextPayment } from '../../../schema/api/account.ts'
import type { OrganizationSubscription } from '../../../schema/api/organizations.ts'
import { planOf } from '../../../schema/catalogue/sold-plans.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { accountSummaryQuery, nextPaymentQuery, type PayerView } from '../../api/account.ts'
import { organizationSubscriptionQuery } from '../../api/organizations.ts'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { cardExpiry, cardName } from '../account/card.ts'
import { PlanSteps } from '../account/PlanSteps.tsx'
import { PortalButton } from '../account/PortalButton.tsx'
import { LimitsCard } from '../budgets/LimitsCard.tsx'
import { FailurePanel } from '../FailurePanel.tsx'
import { formatCredits, formatDay, formatMoney } from '../format.ts'
import { CreditPool } from './CreditPool.tsx'
import { SetUpBilling } from './SetUpBilling.tsx'
import { SubscriptionBadge } from './SubscriptionBadge.tsx'

/** What an organization pays for, and its pool of credits; for its admins. */
export function OrganizationBilling({ payer }: { payer: PayerView }) {
  const api = useApi()
  const subscription = useQuery(organizationSubscriptionQuery(api, payer))
  const summary = useQuery(accountSummaryQuery(api, payer))
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
          <PlanOverview payer={payer} subscription={latest} summary={summary.data} />
        ) : (
          <SetUpBilling organizationId={payer.payer} ended={latest} currency={currency} />
        )}
      </div>
      <div className="lg:col-span-2">
        <CreditPool payer={payer} currency={currency.code} hasPlan={hasSubscription} />
      </div>
      <div className="lg:col-span-5">
        <LimitsCard payer={payer} mayManage={true} />
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

interface PlanOverviewProps {
  payer: PayerView
  subscription: OrganizationSubscription
  summary: AccountSummary
}

function PlanOverview({ payer, subscription, summary }: PlanOverviewProps) {
  const next = useQuery(nextPaymentQuery(useApi(), payer))
  const { seats_total, price_per_seat_minor, currency, billing_frequency, cancel_at } = subscription
  const money = (amount_minor: number) => formatMoney(amount_minor, currency)
  const yearly = billing_frequency === 'yearly'
  const perMonth = subscription.credits_per_seat * seats_total
  // Seats that were added within a month bring their share of it.
  const now = summary.plan_month?.granted ?? perMonth
  const first = now === perMonth ? '' : `${formatCredits(now)} credits this month, then `
  return (
    <Card aria-labelledby="plan-title">
      <CardHeader
        id="plan-title"
        title={`${planOf(subscription.plan_type).name} plan`}
        description={`${first}${formatCredits(perMonth)} credits for the pool every month`}
        action={<SubscriptionBadge {...subscription} />}
      />
      <dl className="grid grid-cols-2 gap-x-6 gap-y-5 px-5 pt-5 pb-6 tabular-nums sm:px-6">
        <Fact term="Seats" value={seats_total} note={`${money(price_per_seat_minor)} each`} />
        <Fact
          term={yearly ? 'Yearly total' : 'Monthly total'}
          value={money(price_per_seat_minor * seats_total)}
          note={yearly ? 'billed once a year' : 'billed every month'}
        />
        <Fact
          term={cancel_at ? 'Ends' : next.data?.payment?.overdue ? 'Overdue' : 'Next payment'}
          value={formatDay(cancel_at ?? next.data?.payment?.at ?? subscription.current_period_end)}
          note={
            cancel_at
              ? 'no further charges'
              : money(next.data?.payment?.amount_minor ?? nextTotal(subscription))
          }
        />
        <CardFact next={next} />
      </dl>
      <div className="flex flex-wrap items-center justify-between gap-3 border-t px-5 py-4 sm:px-6">
        <PlanSteps summary={summary} payer={payer} />
        <div className="ml-auto">
          <PortalButton payer={payer} />
        </div>
      </div>
    </Card>
  )
}

/** The card that Stripe will charge. */
function CardFact({ next }: { next: UseQueryResult<NextPayment> }) {
  if (next.isPending) return <Fact term="Card" value="…" note="loading" />
  if (next.isError) return <Fact term="Card" value="Unknown" note="it could not be loaded" />
  const { card } = next.data
  if (!card) return <Fact term="Card" value="None on file" note="add one under Manage billing" />
  return <Fact term="Card" value={cardName(card)} note={`until ${cardExpiry(card)}`} />
}

/** The next period's price for its seats; Stripe's own total also includes prorations. */
function nextTotal({
  price_per_seat_minor,
  seats_total,
  scheduled_change,
}: OrganizationSubscription): number {
  return price_per_seat_minor * (scheduled_change?.seats ?? seats_total)
}

function Fact({ term, value, note }: { term: string; value: string | number; note: string }) {
  return (
    <div>
      <dt className="text-muted text-sm">{term}</dt>
      <dd className="mt-0.5">
        <span className="block font-semibold text-lg">{value}</span>
        <span className="block text-faint text-xs">{note}</span>
      </dd>
    </div>
  )
}
