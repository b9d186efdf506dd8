import type { User } from '../../../schema/api/users.ts'
import { lowBalanceCredits } from '../../../schema/catalogue/credits.ts'
import { formatCredits } from '../../components/format.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'

export function BalanceCard({ user }: { user: User }) {
  // On a Teams plan the credits are in the organization's pool, so few personal credits are no reason to warn.
  const low = user.credits < lowBalanceCredits && user.plan_type !== 'teams'
  return (
    <Card aria-labelledby="balance-title" className="flex flex-col lg:col-span-3">
      <CardHeader
        id="balance-title"
        title="Available Credits"
        action={low && <Badge tone="caution">Low balance</Badge>}
      />
      <div className="flex flex-1 flex-col px-5 pt-3 pb-5 sm:px-6 sm:pb-6">
        <p className="font-semibold text-5xl tabular-nums tracking-[-0.035em]">
          {formatCredits(user.credits)}
        </p>
        <BalanceBar plan={user.plan_credits} purchased={user.purchased_credits} />
        <dl className="mt-3 flex flex-wrap gap-x-6 gap-y-1.5 text-sm tabular-nums">
          <Part label="Plan" amount={user.plan_credits} swatch="bg-accent" />
          <Part label="Purchased" amount={user.purchased_credits} swatch="bg-accent/45" />
        </dl>
        <p className="mt-auto pt-4 text-muted text-sm">{note(user)}</p>
      </div>
    </Card>
  )
}

export function BalanceCardSkeleton() {
  return (
    <>
      <span role="status" className="sr-only">
        Loading your balance
      </span>
      <Card className="space-y-4 p-6 lg:col-span-3">
        <Skeleton className="h-4 w-32" />
        <Skeleton className="h-12 w-40" />
        <Skeleton className="h-2 w-full" />
        <Skeleton className="h-4 w-56" />
      </Card>
    </>
  )
}

function Part({ label, amount, swatch }: { label: string; amount: number; swatch: string }) {
  return (
    <div className="flex items-center gap-2">
      <span aria-hidden="true" className={`size-2 rounded-full ${swatch}`} />
      <dt className="text-muted">{label}</dt>
      <dd className="font-medium">{formatCredits(amount)}</dd>
    </div>
  )
}

/** Decorative: the numbers below it say the same. A negative balance is left out. */
function BalanceBar({ plan, purchased }: { plan: number; purchased: number }) {
  const whole = Math.max(plan, 0) + Math.max(purchased, 0)
  const share = (amount: number) => ({ width: `${(amount / whole) * 100}%` })
  return (
    <div aria-hidden="true" className="mt-5 flex h-2 gap-0.5 overflow-hidden rounded-full bg-hover">
      {plan > 0 && <div className="bg-accent" style={share(plan)} />}
      {purchased > 0 && <div className="bg-accent/45" style={share(purchased)} />}
    </div>
  )
}

function note({ credits, plan_type }: User): string {
  if (credits < 0)
    return 'Your balance is negative because of a refund or dispute. Credits you add will cover that first.'
  if (plan_type === 'teams')
    return 'These are your personal credits. Your Teams plan’s credits are in your organization’s pool.'
  if (credits === 0) return 'You have no credits yet. Add some to start using the assistant.'
  if (credits < lowBalanceCredits)
    return 'You are running low. Add credits to keep working without interruption.'
  return 'Plan credits are used first. Purchased credits never expire.'
}
