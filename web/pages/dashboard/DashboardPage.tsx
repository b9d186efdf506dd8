import { useUser } from '@clerk/clerk-react'
import type { SignedInUser } from '../../auth/RequireUser.tsx'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { usePageTitle } from '../../components/usePageTitle.ts'
import { Card } from '../../ui/Card.tsx'
import { ActivityCard } from './ActivityCard.tsx'
import { AddCreditsCard } from './AddCreditsCard.tsx'
import { BalanceCard, BalanceCardSkeleton } from './BalanceCard.tsx'
import { PlanCard, PlanCardSkeleton } from './PlanCard.tsx'
import { useAccount } from './useAccount.ts'

export function DashboardPage() {
  usePageTitle('Dashboard')
  const { user } = useUser()
  // The layout only lets signed-in users through, but while signing out there is a moment without a user.
  return user && <Dashboard user={user} />
}

function Dashboard({ user }: { user: SignedInUser }) {
  return (
    <div className="mx-auto w-full max-w-5xl px-4 py-8 sm:px-8 sm:py-10">
      <h1 className="text-2xl">Dashboard</h1>
      <p className="mt-1 text-muted text-sm">
        {user.firstName ? `Welcome back, ${user.firstName}.` : 'Welcome back.'}
      </p>
      <div className="mt-7 grid gap-4 sm:gap-5 lg:grid-cols-5">
        <AccountCards user={user} />
        <AddCreditsCard clerkUserId={user.id} />
        <ActivityCard clerkUserId={user.id} />
      </div>
    </div>
  )
}

function AccountCards({ user }: { user: SignedInUser }) {
  const account = useAccount(user)
  switch (account.state) {
    case 'loading':
      return (
        <>
          <BalanceCardSkeleton />
          <PlanCardSkeleton />
        </>
      )
    case 'failed':
      return (
        <Card className="lg:col-span-5">
          <FailurePanel
            title={account.title}
            error={account.error}
            defaultText="Your account could not be loaded."
            busy={account.retrying}
            onRetry={account.retry}
          />
        </Card>
      )
    case 'ready':
      return (
        <>
          <BalanceCard user={account.user} />
          <PlanCard user={account.user} />
        </>
      )
  }
}
