import type { SignedInUser } from '../../auth/RequireUser.tsx'
import { Card } from '../../ui/Card.tsx'
import { ActivityCard } from './ActivityCard.tsx'
import { AddCreditsCard } from './AddCreditsCard.tsx'
import { BalanceCard } from './BalanceCard.tsx'
import { CardsSkeleton } from './CardsSkeleton.tsx'
import { FailurePanel } from './FailurePanel.tsx'
import { PlanCard } from './PlanCard.tsx'
import { useAccount } from './useAccount.ts'

export function Dashboard({ user }: { user: SignedInUser }) {
  const account = useAccount(user)
  return (
    <div className="mx-auto w-full max-w-5xl px-4 py-8 sm:px-8 sm:py-10">
      <h1 className="text-2xl">Dashboard</h1>
      <p className="mt-1 text-muted text-sm">
        {user.firstName ? `Welcome back, ${user.firstName}.` : 'Welcome back.'}
      </p>
      <div className="mt-7 grid gap-4 sm:gap-5 lg:grid-cols-5">
        {account.state === 'loading' && <CardsSkeleton />}
        {account.state === 'failed' && (
          <Card className="lg:col-span-5">
            <FailurePanel
              title={account.title}
              error={account.error}
              defaultText="Your account could not be loaded."
              busy={account.retrying}
              onRetry={account.retry}
            />
          </Card>
        )}
        {account.state === 'ready' && (
          <>
            <BalanceCard user={account.user} />
            <PlanCard user={account.user} />
          </>
        )}
        <AddCreditsCard clerkUserId={user.id} />
        <ActivityCard clerkUserId={user.id} />
      </div>
    </div>
  )
}
