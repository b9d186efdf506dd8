import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { Link } from 'react-router-dom'
import type { AccountSubscription, AccountSummary, NextPayment } from '../../../schema/api/account.ts'
import { planFeatures } from '../../../schema/catalogue/plan-items.ts'
import type { Plan } from '../../../schema/catalogue/plans.ts'
import { freePlan, planOf } from '../../../schema/catalogue/sold-plans.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { nextPaymentQuery } from '../../api/account.ts'
import { cardExpiry, cardName } from '../../components/account/card.ts'
import { PlanSteps } from '../../components/account/PlanSteps.tsx'
import { PortalButton } from '../../components/account/PortalButton.tsx'
import { nextText } from '../../components/account/ScheduledChange.tsx'
import type { Payer } from '../../components/account/usePayer.ts'
import { formatDay, formatMoney } from '../../components/format.ts'
import { SubscriptionBadge } from '../../components/organization-billing/SubscriptionBadge.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Fact } from '../../ui/Fact.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'

export function PlanCard({ summary, payer }: { summary: AccountSummary; payer: Payer }) {
  const { plan_type, subscription, may_manage } = summary
  const hasPlan = subscription !== null && plan_type === subscription.plan_type
  return (
    <Card aria-labelledby="plan-title" className="flex flex-col lg:col-span-2">
      <CardHeader
        id="plan-title"
        title="Current Plan"
        action={subscription && <SubscriptionBadge {...subscription} />}
      />
      <div className="flex flex-1 flex-col px-5 pt-3 pb-5 sm:px-6 sm:pb-6">
        <p className="font-semibold text-2xl">{planOf(plan_type).name}</p>
        {hasPlan && <Dates subscription={subscription} payer={payer} mayManage={may_manage} />}
        {!hasPlan && <Features of={planOf(plan_type)} />}
        <div className="mt-3 border-t pt-2 empty:hidden">
          <PlanSteps summary={summary} payer={payer} />
        </div>
        <div className="mt-auto flex flex-wrap items-end justify-end gap-2 pt-3">
          <p className="mr-auto text-sm text-faint leading-8">{footnote(summary)}</p>
          {may_manage && hasPlan && <PortalButton payer={payer} />}
          {may_manage && plan_type === freePlan.plan_type && payer.organizationName === null && (
            <Link to="/pricing" className="font-medium text-accent-text text-sm leading-8 hover:underline">
              View plans
            </Link>
          )}
        </div>
      </div>
    </Card>
  )
}

function Features({ of }: { of: Plan }) {
  return (
    <ul className="mt-3 space-y-1.5 text-muted text-sm">
      {planFeatures(of)
        .slice(0, 3)
        .map((feature) => (
          <li key={feature} className="flex items-center gap-2">
            <Check aria-hidden="true" className="size-3.5 shrink-0 text-accent-text" />
            {feature}
          </li>
        ))}
    </ul>
  )
}

interface DatesProps {
  subscription: AccountSubscription
  payer: Payer
  mayManage: boolean
}

function Dates({ subscription, payer, mayManage }: DatesProps) {
  const { status, cancel_at, trial_end, current_period_end, scheduled_change } = subscription
  const isTrial = status === 'trialing' && trial_end !== null
  return (
    <dl className="mt-3 space-y-1.5 text-sm tabular-nums">
      {cancel_at !== null ? (
        <Fact term="Ends">{formatDay(cancel_at)}</Fact>
      ) : isTrial ? (
        // Who sees the payment sees its date there.
        !mayManage && <Fact term="Trial ends">{formatDay(trial_end)}</Fact>
      ) : (
        !mayManage && status === 'active' && <Fact term="Renews">{formatDay(current_period_end)}</Fact>
      )}
      {payer.organizationName !== null && <Fact term="Seats">{subscription.seats_total}</Fact>}
      {scheduled_change && (
        <Fact term="Next change">
          {`${nextText(subscription, scheduled_change)} on ${formatDay(scheduled_change.at)}`}
        </Fact>
      )}
      {mayManage && <Payment payer={payer} isFirst={isTrial} />}
    </dl>
  )
}

/** What Stripe will take next, and from which card. The lines have their place before it has answered. */
function Payment({ payer: { payer, userId }, isFirst }: { payer: Payer; isFirst: boolean }) {
  const next = useQuery(nextPaymentQuery(useApi(), { payer, userId }))
  if (next.isError) {
    return (
      <Fact term="Next payment">
        <button
          type="button"
          className="font-medium text-accent-text underline underline-offset-4"
          disabled={next.isFetching}
          onClick={() => void next.refetch()}
        >
          Not loaded, try again
        </button>
      </Fact>
    )
  }
  const wait = <Skeleton className="inline-block h-4 w-24 align-middle" />
  return (
    <>
      <Fact term={isFirst && next.data?.payment ? 'First payment' : paymentTerm(next.data)}>
        {next.data ? paymentText(next.data) : wait}
      </Fact>
      <Fact term="Card">{next.data ? cardText(next.data) : wait}</Fact>
    </>
  )
}

function paymentTerm(next: NextPayment | undefined): string {
  return next?.payment?.overdue ? 'Overdue' : 'Next payment'
}

function paymentText({ payment }: NextPayment): string {
  if (!payment) return 'None'
  const amount = formatMoney(payment.amount_minor, payment.currency)
  if (payment.at === null) return amount
  return `${amount}${payment.overdue ? ', retry on' : ' on'} ${formatDay(payment.at)}`
}

function cardText({ card }: NextPayment): string {
  if (!card) return 'None on file'
  return `${cardName(card)}, ${cardExpiry(card)}`
}

function footnote({ plan_type, subscription, payer, member_since }: AccountSummary): string {
  if (subscription?.ended_at && subscription.plan_type !== plan_type) {
    return `${planOf(subscription.plan_type).name} ended on ${formatDay(subscription.ended_at)}`
  }
  if (payer !== 'personal') return subscription ? '' : 'No plan yet'
  if (planOf(plan_type).per_seat) return 'Billed to your organization'
  return member_since ? `Member since ${formatDay(member_since)}` : ''
}
