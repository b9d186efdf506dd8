import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import type { AccountSummary } from '../../../schema/api/account.ts'
import { creditRate } from '../../../schema/catalogue/credits.ts'
import { planOf } from '../../../schema/catalogue/sold-plans.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { extensionTokenQuery } from '../../api/account.ts'
import { rememberedPerson } from '../../auth/rememberedPerson.ts'
import { type SignedInUser, useSignedInUser } from '../../auth/useSignedInUser.ts'
import { CurrencyChoice } from '../../components/account/CurrencyChoice.tsx'
import { Notices } from '../../components/account/Notices.tsx'
import { ConfirmedChange, ScheduledChange } from '../../components/account/ScheduledChange.tsx'
import { type Payer, usePayer } from '../../components/account/usePayer.ts'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { formatMoney } from '../../components/format.ts'
import { useHashTarget, usePageTitle } from '../../components/page.ts'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { BalanceCard, keepFigures, LastBalanceCard, lastFigures } from './BalanceCard.tsx'
import { FirstSteps } from './FirstSteps.tsx'
import { PlanCard } from './PlanCard.tsx'
import { TokenCard } from './TokenCard.tsx'
import { type AccountView, useAccount } from './useAccount.ts'

// Below the fold, and for organizations only: loaded once the account is.
const ActivityCard = lazy(async () => ({ default: (await import('./ActivityCard.tsx')).ActivityCard }))
const SeatsCard = lazy(async () => ({ default: (await import('./SeatsCard.tsx')).SeatsCard }))

export function DashboardPage() {
  usePageTitle('Dashboard')
  const { user } = useSignedInUser()
  const payer = usePayer()
  return (
    <div className="mx-auto w-full max-w-5xl px-4 py-8 sm:px-8 sm:py-10">
      <h1 className="text-2xl">Dashboard</h1>
      <p className="mt-1 min-h-5 text-muted text-sm [overflow-wrap:anywhere]">
        {user && payer && greeting(user, payer)}
      </p>
      <div className="mt-7">
        {/* Keyed, so that nothing typed or shown for one account stays for the next. */}
        {user && payer ? <Dashboard key={payer.payer} user={user} payer={payer} /> : <Loading />}
      </div>
    </div>
  )
}

/** Within this time after sign-up the greeting is not “Welcome back”. */
const firstVisitMs = 60 * 60_000

function greeting({ firstName, createdAt, lastSignInAt }: SignedInUser, { organizationName }: Payer): string {
  if (organizationName !== null) return `You are viewing ${organizationName}.`
  const isBack = Number(lastSignInAt) - Number(createdAt) > firstVisitMs
  return `${isBack ? 'Welcome back' : 'Welcome'}${firstName ? `, ${firstName}` : ''}.`
}

/** All of it appears at once, so that nothing moves when a notice comes in above the cards. */
function Dashboard({ user, payer }: { user: SignedInUser; payer: Payer }) {
  const account = useAccount(user, payer.payer)
  const token = useQuery(extensionTokenQuery(useApi(), user.id))
  // Without an answer the token's card says so and asks again, for which the dashboard stays.
  if (account.state === 'loading' || !token.isFetched) return <Loading />
  const connected = Boolean(token.data?.hasActive || token.data?.editors.length)
  return <LoadedDashboard account={account} {...{ user, payer, connected }} />
}

interface LoadedDashboardProps {
  user: SignedInUser
  payer: Payer
  account: Exclude<AccountView, { state: 'loading' }>
  /** Whether an editor has a token. */
  connected: boolean
}

function LoadedDashboard({ user, payer, account, connected }: LoadedDashboardProps) {
  useHashTarget()
  const summary = account.state === 'ready' ? account.summary : undefined
  useEffect(() => {
    if (summary) keepFigures(user.id, summary)
  }, [user.id, summary])
  const mayManage = summary?.may_manage ?? payer.mayManage
  const firstSteps = summary && <FirstSteps summary={summary} connected={connected} />
  const isPaymentWrong = summary !== undefined && hasWrongPayment(summary)
  return (
    <>
      {account.state === 'ready' ? (
        <>
          <ConfirmedChange payer={payer} />
          <Notices payer={payer} />
          <ScheduledChange payer={payer} />
          {!isPaymentWrong && firstSteps}
          <div className="grid gap-4 sm:gap-5 lg:grid-cols-5">
            <BalanceCard summary={account.summary} />
            <PlanCard summary={account.summary} payer={payer} />
          </div>
        </>
      ) : (
        <Card>
          <FailurePanel
            title={account.title}
            query={account.query}
            defaultText="Your account could not be loaded."
            reassurance="Your payments and credits are not affected."
          />
        </Card>
      )}
      {/* On a phone one column, in the order of the cards; else two, each as long as it is. */}
      <div className="mt-4 grid items-start gap-4 sm:mt-5 sm:gap-5 lg:grid-cols-5">
        <div className="max-lg:contents lg:col-span-3 lg:flex lg:flex-col lg:gap-5">
          <TokenCard userId={user.id} />
          {mayManage && (
            <Suspense fallback={<Skeleton className="order-6 h-80 rounded-card" />}>
              <ActivityCard payer={payer} payments={summary?.payments ?? []} />
            </Suspense>
          )}
        </div>
        <div className="max-lg:contents lg:col-span-2 lg:flex lg:flex-col lg:gap-5">
          {payer.organizationName !== null && summary && planOf(summary.plan_type).per_seat && (
            <Suspense fallback={<Skeleton className="order-3 h-36 rounded-card" />}>
              <SeatsCard payer={payer} mayManage={mayManage} />
            </Suspense>
          )}
          {mayManage && summary && <AddCreditsCard payer={payer} currency={summary.currency} />}
        </div>
      </div>
      {/* Below the payments, so that nothing stands above what is wrong. */}
      {isPaymentWrong && <div className="mt-4 sm:mt-5">{firstSteps}</div>}
    </>
  )
}

function hasWrongPayment({ overdue, payments }: AccountSummary): boolean {
  return overdue !== null || payments.some(({ state }) => state === 'failed' || state === 'under_review')
}

/** With the figures of before, where this browser has them of the person that it signs in. */
function Loading() {
  const last = lastFigures(usePayer() ?? rememberedPerson())
  return (
    <div role="status">
      <span className="sr-only">Loading your account</span>
      <div className="grid gap-4 sm:gap-5 lg:grid-cols-5">
        {last ? (
          <LastBalanceCard figures={last} />
        ) : (
          <Skeleton className="min-h-61 rounded-card lg:col-span-3" />
        )}
        <Skeleton className="min-h-72 rounded-card lg:col-span-2" />
        <Skeleton className="h-49 rounded-card lg:col-span-3" />
        <Skeleton className="h-90 rounded-card lg:col-span-2" />
      </div>
    </div>
  )
}

// Loaded when the account is there, which it does not delay.
const BuyCredits = lazy(async () => ({
  default: (await import('../../components/credits/BuyCredits.tsx')).BuyCredits,
}))

interface AddCreditsCardProps {
  payer: Payer
  currency: AccountSummary['currency']
}

function AddCreditsCard({ payer, currency }: AddCreditsCardProps) {
  return (
    <Card id="add-credits" aria-labelledby="add-credits-title" className="order-4 scroll-mt-20">
      <CardHeader
        id="add-credits-title"
        title="Add Credits"
        description={`${creditRate.credits} credits for ${formatMoney(creditRate.amount_minor, currency.code)}`}
        action={<CurrencyChoice payer={payer.payer} currency={currency} />}
      />
      <div className="px-5 pt-4 pb-5 sm:px-6 sm:pb-6">
        <Suspense fallback={<Skeleton className="h-67" />}>
          <BuyCredits payer={payer} from="dashboard" currency={currency.code} />
        </Suspense>
      </div>
    </Card>
  )
}
