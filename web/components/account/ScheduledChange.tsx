import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CalendarClock } from 'lucide-react'
import { useSearchParams } from 'react-router-dom'
import type { AccountSubscription, AccountSummary } from '../../../schema/api/account.ts'
import { cancelPlan, keepPlan } from '../../../schema/api/plan-changes.ts'
import { type BillingFrequency, billingFrequencies } from '../../../schema/catalogue/plans.ts'
import { planOf } from '../../../schema/catalogue/sold-plans.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { accountSummaryQuery, nextPaymentQuery, type PayerView } from '../../api/account.ts'
import { organizationSubscriptionQuery } from '../../api/organizations.ts'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.ts'
import { ConfirmButton } from '../ConfirmButton.tsx'
import { formatDay } from '../format.ts'
import { toastFailure } from '../toastFailure.ts'
import { Awaited, useAwaiting } from './Awaited.tsx'

/** The change of seats or billing that waits for the next period, for those who may take it back. */
export function ScheduledChange({ payer }: { payer: PayerView }) {
  const { data } = useQuery(accountSummaryQuery(useApi(), payer))
  const { subscription, may_manage } = data ?? {}
  if (!may_manage || !subscription?.scheduled_change) return null
  return <Change payer={payer} subscription={subscription} change={subscription.scheduled_change} />
}

interface ChangeProps {
  payer: PayerView
  subscription: AccountSubscription
  change: NonNullable<AccountSubscription['scheduled_change']>
}

/** While a change is scheduled, the billing portal can neither undo it nor cancel the plan. */
function Change({ payer, subscription, change }: ChangeProps) {
  const present = presentText(subscription, change)
  const keep = useSubscriptionChange(payer, {
    endpoint: keepPlan,
    done: () => `The plan keeps ${present}.`,
    failed: 'Failed to keep the plan',
  })
  const cancel = useSubscriptionChange(payer, {
    endpoint: cancelPlan,
    done: (at) => `The plan ends on ${formatDay(at ?? change.at)}.`,
    failed: 'Failed to cancel subscription',
  })
  const busy = keep.isPending || cancel.isPending
  const day = formatDay(change.at)
  return (
    <section
      aria-labelledby="scheduled-change"
      className="mb-4 flex flex-col gap-4 rounded-card border border-caution-line bg-caution-soft px-5 py-4 md:flex-row md:items-center md:justify-between sm:mb-5"
    >
      <div className="flex gap-3">
        <CalendarClock aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-caution" />
        <div>
          <h2 id="scheduled-change" className="font-medium text-sm">
            From {day}: {nextText(subscription, change)}
          </h2>
          <p className="mt-0.5 text-ink/80 text-sm">Nothing changes before that day.</p>
        </div>
      </div>
      <div className="flex shrink-0 flex-wrap gap-2">
        <Button
          variant="secondary"
          size="small"
          busy={keep.isPending}
          disabled={busy}
          onClick={() => keep.mutate()}
        >
          Keep {present}
        </Button>
        <ConfirmButton
          label="Cancel subscription…"
          variant="quiet"
          busy={cancel.isPending}
          disabled={busy}
          title="Cancel the subscription?"
          text={`It ends on ${day}. Until then the credits that come with the plan stay usable${planOf(subscription.plan_type).per_seat ? ', and everyone keeps their seat' : ''}.`}
          confirm="Cancel subscription"
          dismiss="Keep subscription"
          onConfirm={() => cancel.mutate()}
        />
      </div>
    </section>
  )
}

function presentText(
  { seats_total, billing_frequency }: AccountSubscription,
  change: ChangeProps['change'],
): string {
  return [
    change.seats !== seats_total && count(seats_total),
    change.billing_frequency !== billing_frequency && `${billing_frequency} billing`,
  ]
    .filter(Boolean)
    .join(' and ')
}

/** What comes instead, as short as it can be said. */
export function nextText(
  { seats_total, billing_frequency }: AccountSubscription,
  change: ChangeProps['change'],
): string {
  return [
    change.seats !== seats_total && `${count(change.seats)} instead of ${seats_total}`,
    change.billing_frequency !== billing_frequency && `${change.billing_frequency} billing`,
  ]
    .filter(Boolean)
    .join(', ')
}

interface SubscriptionChange {
  endpoint: typeof keepPlan | typeof cancelPlan
  done: (cancel_at: string | null) => string
  failed: string
}

/** Puts Stripe's answer in the cache: our own rows follow later, so a refetch would show the old state. */
function useSubscriptionChange(payer: PayerView, { endpoint, done, failed }: SubscriptionChange) {
  const api = useApi()
  const queryClient = useQueryClient()
  const summary = accountSummaryQuery(api, payer).queryKey
  const ofOrganization = organizationSubscriptionQuery(api, payer).queryKey
  return useMutation({
    mutationFn: () => api(endpoint, { query: { payer: payer.payer }, body: {} }),
    onSuccess: async ({ cancel_at }) => {
      const changed = { scheduled_change: null, cancel_at }
      await queryClient.cancelQueries({ queryKey: summary })
      await queryClient.cancelQueries({ queryKey: ofOrganization })
      queryClient.setQueryData(summary, (known: AccountSummary | undefined) =>
        known?.subscription ? { ...known, subscription: { ...known.subscription, ...changed } } : known,
      )
      queryClient.setQueryData(ofOrganization, (known) =>
        known?.subscription ? { ...known, subscription: { ...known.subscription, ...changed } } : known,
      )
      toast.success(done(cancel_at))
    },
    onError: toastFailure(failed),
  })
}

function count(seats: number): string {
  return `${seats} ${seats === 1 ? 'seat' : 'seats'}`
}

/** A change of billing that was confirmed on Stripe's page. */
export function ConfirmedChange({ payer }: { payer: PayerView }) {
  const [search] = useSearchParams()
  const api = useApi()
  const queryClient = useQueryClient()
  const pollMs = useAwaiting()
  const expected = billingFrequencies.find((one) => one === search.get('billed'))
  const { data } = useQuery({
    ...accountSummaryQuery(api, payer),
    enabled: expected !== undefined,
    refetchInterval: ({ state: { data } }) => pollMs(isThere(data?.subscription, expected)),
  })
  if (expected === undefined || data === undefined) return null
  const onThere = () => {
    // Not one that waits for the next period, which has a notice of its own.
    if (data.subscription?.billing_frequency === expected) {
      toast.success(`Your plan is billed ${expected} now`, { id: 'billed' })
    }
    void queryClient.invalidateQueries({ queryKey: organizationSubscriptionQuery(api, payer).queryKey })
    void queryClient.invalidateQueries({ queryKey: nextPaymentQuery(api, payer).queryKey })
  }
  return (
    <div className="mb-4 empty:hidden sm:mb-5">
      <Awaited
        name="billed"
        isThere={isThere(data.subscription, expected)}
        onThere={onThere}
        title="Your plan is being changed"
      />
    </div>
  )
}

/** Now, or from the next period on. */
function isThere(
  subscription: AccountSubscription | null | undefined,
  expected: BillingFrequency | undefined,
): boolean {
  if (!subscription || !expected) return false
  const { billing_frequency, scheduled_change } = subscription
  return billing_frequency === expected || scheduled_change?.billing_frequency === expected
}
