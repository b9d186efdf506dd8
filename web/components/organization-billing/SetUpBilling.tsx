import { Check } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { AccountSummary } from '../../../schema/api/account.ts'
import {
  createOrganizationSubscription,
  type OrganizationSubscription,
} from '../../../schema/api/organizations.ts'
import { planFeatures } from '../../../schema/catalogue/plan-items.ts'
import { minimumSeats, seatsText } from '../../../schema/catalogue/plans.ts'
import { teamPlan } from '../../../schema/catalogue/sold-plans.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { useWebConfig } from '../../api/catalogue.ts'
import { failureText } from '../../api/failure.ts'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Field } from '../../ui/Field.tsx'
import { toast } from '../../ui/toast.ts'
import { AgreementNote } from '../AgreementNote.tsx'
import { CurrencyChoice } from '../account/CurrencyChoice.tsx'
import { EndOwnPlan, useOwnPlanEnd } from '../account/EndOwnPlan.tsx'
import { formatDay, formatMoney } from '../format.ts'
import { useHostedPage } from '../useHostedPage.ts'
import { SubscriptionBadge } from './SubscriptionBadge.tsx'

interface SetUpBillingProps {
  organizationId: string
  ended: OrganizationSubscription | null
  currency: AccountSummary['currency']
}

export function SetUpBilling({ organizationId, ended, currency }: SetUpBillingProps) {
  const api = useApi()
  const ownPlan = useOwnPlanEnd()
  const { maximum_seats } = useWebConfig()
  const [typed, setTyped] = useState('5')
  const seats = Number(typed)
  const valid = Number.isInteger(seats) && seats >= minimumSeats && seats <= maximum_seats
  const checkout = useHostedPage({
    mutationFn: async (seats_total: number) => {
      const body = {
        clerk_org_id: organizationId,
        plan_type: teamPlan.plan_type,
        billing_frequency: 'monthly' as const,
        seats_total,
        currency: currency.code,
        end_own_plan: ownPlan.ends,
      }
      return { url: (await api(createOrganizationSubscription, { body })).checkout_url }
    },
    onError: (error) =>
      toast.error('Error', {
        description: `Subscription creation failed: ${failureText(error, 'Failed to create subscription')}`,
      }),
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (valid) checkout.open(seats)
  }

  return (
    <Card aria-labelledby="set-up-title">
      <CardHeader
        id="set-up-title"
        title="Set up Organization Billing"
        description={
          ended?.ended_at
            ? `The last subscription ended on ${formatDay(ended.ended_at)}. Subscribe again to use its seats.`
            : `The ${teamPlan.name} plan, ${formatMoney(teamPlan.price_minor.monthly, currency.code)} for each seat and month, with ${teamPlan.credits_per_seat} credits a seat.`
        }
        {...(ended && { action: <SubscriptionBadge {...ended} /> })}
      />
      <ul className="grid gap-x-6 gap-y-2 px-5 pt-4 text-sm sm:grid-cols-2 sm:px-6">
        {planFeatures(teamPlan).map((feature) => (
          <li key={feature} className="flex gap-2.5">
            <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent-text" />
            {feature}
          </li>
        ))}
      </ul>
      <form noValidate onSubmit={submit} className="px-5 pt-6 pb-5 sm:px-6">
        <Field
          label="Number of seats"
          unit="seats"
          value={typed}
          disabled={checkout.processing}
          onChange={({ target }) => setTyped(target.value.trim())}
          // Text that is no number becomes one seat when the field loses focus.
          onBlur={() => !Number.isInteger(seats || Number.NaN) && setTyped(String(minimumSeats))}
          problem={valid ? null : seatsText(maximum_seats)}
          hint={
            <>
              Monthly total:{' '}
              <strong className="font-semibold text-ink">
                {formatMoney(teamPlan.price_minor.monthly * seats, currency.code)}
              </strong>
            </>
          }
        />
        <CurrencyChoice payer={organizationId} currency={currency} />
        <EndOwnPlan choice={ownPlan} />
        <p className="mt-2 text-muted text-sm">You pay on the next page. Add seats or cancel at any time.</p>
        <Button
          type="submit"
          size="large"
          className="mt-4 w-full"
          busy={checkout.processing}
          disabled={!valid || ownPlan.isLoading}
        >
          {checkout.processing ? 'Processing...' : 'Subscribe'}
        </Button>
        <div className="mt-3">
          <AgreementNote when="By subscribing" documents={['/terms', '/refunds']} />
        </div>
      </form>
    </Card>
  )
}
