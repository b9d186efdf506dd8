import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { organizationNameSchema } from '../../../../schema/api/subscriptions.ts'
import { type Currency, defaultCurrency } from '../../../../schema/catalogue/currency.ts'
import { type BillingFrequency, minimumSeats, seatsText } from '../../../../schema/catalogue/plans.ts'
import { type SoldPlan, teamPlan, teamPlans } from '../../../../schema/catalogue/sold-plans.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { accountSummaryQuery } from '../../../api/account.ts'
import { useWebConfig } from '../../../api/catalogue.ts'
import { openPlanCheckout } from '../../../api/checkout.ts'
import { failureNotice, failureText, hasCode } from '../../../api/failure.ts'
import { RequireUser } from '../../../auth/RequireUser.tsx'
import { readSelection } from '../../../auth/selection.ts'
import { EndOwnPlan, useOwnPlanEnd } from '../../../components/account/EndOwnPlan.tsx'
import { CurrencySegments } from '../../../components/CurrencySegments.tsx'
import { formatCredits, formatMoney } from '../../../components/format.ts'
import { usePageTitle } from '../../../components/page.ts'
import { useHostedPage } from '../../../components/useHostedPage.ts'
import { Alert } from '../../../ui/Alert.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Fact } from '../../../ui/Fact.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Segments } from '../../../ui/Segments.tsx'
import { AuthFormSkeleton } from '../../../ui/Skeleton.tsx'
import { AlreadySubscribed } from '../../auth/post-signup/PaidPlan.tsx'

/** Sells a plan by the seat with the organization that it is for, which is created when the plan is paid. */
export function TeamsStartPage() {
  usePageTitle(`Start with ${teamPlan.name}`)
  return (
    <RequireUser loading={<AuthFormSkeleton />}>
      {({ id }) => <TeamsOrder key={id} userId={id} />}
    </RequireUser>
  )
}

const defaultSeats = 5
const periods = [
  { value: 'monthly', label: 'Monthly' },
  { value: 'yearly', label: 'Yearly' },
] as const

function TeamsOrder({ userId }: { userId: string }) {
  const [search] = useSearchParams()
  const selection = readSelection(search)
  const plan = teamPlans.find(({ plan_type }) => plan_type === selection.plan) ?? teamPlan
  const own = useQuery(accountSummaryQuery(useApi(), { payer: 'personal', userId }))
  const [chosen, setCurrency] = useState<Currency | null>(selection.currency)
  // Of the new organization, so it binds nothing of the buyer's, nor is bound by it.
  const currency = chosen ?? own.data?.currency.code ?? defaultCurrency
  const [name, setName] = useState('')
  const [typedSeats, setTypedSeats] = useState(String(search.has('seats') ? selection.seats : defaultSeats))
  const [billing, setBilling] = useState<BillingFrequency>(selection.billing)
  const [checked, setChecked] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const api = useApi()
  const ownPlan = useOwnPlanEnd()
  const { maximum_seats } = useWebConfig()
  const seats = Number(typedSeats)
  const isSeats = Number.isInteger(seats) && seats >= minimumSeats && seats <= maximum_seats
  const named = organizationNameSchema.safeParse(name)
  const checkout = useHostedPage<void>({
    mutationFn: () =>
      openPlanCheckout(api, {
        planType: plan.plan_type,
        billingFrequency: billing,
        currency,
        seats,
        organizationName: name,
        endOwnPlan: ownPlan.ends,
        clerkUserId: userId,
      }),
    onError: setFailure,
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    setChecked(true)
    setFailure(null)
    if (named.success && isSeats) checkout.open()
  }

  if (ownPlan.isLoading || own.isPending) return <AuthFormSkeleton />
  const defaultText = 'Failed to create checkout session'
  if (hasCode(failure, 'already_subscribed')) {
    return <AlreadySubscribed text={failureText(failure, defaultText)} portal={null} />
  }
  const notice = failure ? failureNotice(failure, defaultText) : null
  return (
    <section className="w-full max-w-md animate-rise rounded-card border bg-surface p-6 shadow-card sm:p-8">
      <h1 className="text-xl">Start with {plan.name}</h1>
      <p className="mt-2 text-base text-muted leading-relaxed">
        One bill, a shared pool of credits and a seat for each person. You have the first seat and invite the
        others after paying.
      </p>
      <form noValidate onSubmit={submit} className="mt-6">
        <Field
          label="Organization name"
          autoComplete="organization"
          placeholder="Harbour Labs"
          maxLength={100}
          value={name}
          disabled={checkout.processing}
          onChange={({ target }) => setName(target.value)}
          problem={checked && !named.success ? (named.error.issues[0]?.message ?? null) : null}
        />
        <div className="mt-2 grid gap-x-4 sm:grid-cols-2">
          <Field
            label="Seats"
            unit="seats"
            value={typedSeats}
            disabled={checkout.processing}
            onChange={({ target }) => setTypedSeats(target.value.trim())}
            problem={isSeats ? null : seatsText(maximum_seats)}
          />
          <div>
            <p aria-hidden="true" className="mb-1.5 font-medium text-sm">
              Billing period
            </p>
            <Segments
              label="Billing period"
              name="billing"
              value={billing}
              onChange={setBilling}
              options={periods}
            />
          </div>
        </div>
        <div className="mt-4 flex flex-wrap items-center justify-between gap-2 sm:mt-1">
          <p aria-hidden="true" className="font-medium text-sm">
            Currency
          </p>
          <CurrencySegments value={currency} onChange={setCurrency} />
        </div>
        <TeamsCost plan={plan} seats={isSeats ? seats : null} billing={billing} currency={currency} />
        <EndOwnPlan choice={ownPlan} />
        {notice && (
          <div className="mt-4">
            <Alert tone="critical" title={notice.text}>
              You have not been charged.{notice.reference && ` Reference ${notice.reference}`}
            </Alert>
          </div>
        )}
        <Button type="submit" size="large" className="mt-5 w-full" busy={checkout.processing}>
          {checkout.processing ? 'Processing...' : 'Continue to payment'}
        </Button>
        <p className="mt-3 text-faint text-xs">
          Nothing is charged before you pay on the next page. {plan.name} renews until you cancel, and you can
          add seats at any time.
        </p>
      </form>
    </section>
  )
}

interface TeamsCostProps {
  plan: SoldPlan
  /** Null while the number is not one that can be bought. */
  seats: number | null
  billing: BillingFrequency
  currency: Currency
}

/** What the team will pay, and what it gets for it. */
function TeamsCost({ plan, seats, billing, currency }: TeamsCostProps) {
  const { price_minor, credits_per_seat } = plan
  const money = (amount_minor: number) => formatMoney(amount_minor, currency)
  const isYearly = billing === 'yearly'
  const saved = (price_minor.monthly * 12 - price_minor.yearly) * (seats ?? 0)
  return (
    <dl
      aria-label="What it costs"
      aria-live="polite"
      className="mt-4 divide-y divide-line rounded-control border bg-sunken text-sm tabular-nums"
    >
      <Line term="Each seat" note={isYearly ? 'a year' : 'a month'}>
        {money(price_minor[billing])}
      </Line>
      <Line term="Total" note={isYearly ? 'a year' : 'a month'}>
        {seats === null ? '–' : money(price_minor[billing] * seats)}
      </Line>
      <Line term="Credits for the pool" note="every month">
        {seats === null ? '–' : formatCredits(credits_per_seat * seats)}
      </Line>
      {isYearly && saved > 0 && (
        <Line term="Saved against monthly" note="a year">
          {money(saved)}
        </Line>
      )}
    </dl>
  )
}

function Line({ term, note, children }: { term: string; note: string; children: string }) {
  return (
    <Fact term={term} className="px-4 py-2.5">
      {children} <span className="font-normal text-muted text-xs">{note}</span>
    </Fact>
  )
}
