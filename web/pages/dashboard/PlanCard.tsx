import { Check } from 'lucide-react'
import { Link } from 'react-router-dom'
import { createCustomerPortalSession } from '../../../schema/api/subscriptions.ts'
import type { User } from '../../../schema/api/users.ts'
import { type PlanType, plans } from '../../../schema/catalogue/plans.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { formatDay } from '../../components/format.ts'
import { ManageBillingButton } from '../../components/ManageBillingButton.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { toast } from '../../ui/toast.ts'

export function PlanCard({ user }: { user: User }) {
  const plan = plans[user.plan_type]
  return (
    <Card aria-labelledby="plan-title" className="flex flex-col lg:col-span-2">
      <CardHeader id="plan-title" title="Current Plan" />
      <div className="flex flex-1 flex-col px-5 pt-3 pb-5 sm:px-6 sm:pb-6">
        <p className="font-semibold text-2xl tracking-[-0.02em]">{plan.name}</p>
        <ul className="mt-3 space-y-1.5 text-muted text-sm">
          {plan.features.slice(0, 3).map((feature) => (
            <li key={feature} className="flex items-center gap-2">
              <Check aria-hidden="true" className="size-3.5 shrink-0 text-accent-text" />
              {feature}
            </li>
          ))}
        </ul>
        <div className="mt-auto flex min-h-12 flex-wrap items-end justify-between gap-2 pt-4">
          <p className="text-[13px] text-faint leading-8">{footnote(user)}</p>
          <PlanAction planType={user.plan_type} userId={user.clerk_id} />
        </div>
      </div>
    </Card>
  )
}

export function PlanCardSkeleton() {
  return (
    <Card className="space-y-4 p-6 lg:col-span-2">
      <Skeleton className="h-4 w-24" />
      <Skeleton className="h-8 w-28" />
      <Skeleton className="h-4 w-full" />
      <Skeleton className="h-4 w-40" />
    </Card>
  )
}

/** A Teams plan belongs to its organization, so it does not appear in the user's own billing portal. */
function PlanAction({ planType, userId }: { planType: PlanType; userId: string }) {
  switch (planType) {
    case 'pro':
      return <PortalButton userId={userId} />
    case 'teams':
      return null
    case 'starter':
      return (
        <Button asChild variant="secondary" size="small">
          <Link to="/pricing">View plans</Link>
        </Button>
      )
  }
}

function PortalButton({ userId }: { userId: string }) {
  const api = useApi()
  return (
    <ManageBillingButton
      openPortal={() => api(createCustomerPortalSession, { body: { userId } })}
      onError={() =>
        toast.error('Billing Portal Error', {
          description: 'Failed to access billing portal. Please try again.',
        })
      }
    />
  )
}

function footnote({ plan_type, created_at }: User): string {
  return plan_type === 'teams' ? 'Billed to your organization' : `Member since ${formatDay(created_at)}`
}
