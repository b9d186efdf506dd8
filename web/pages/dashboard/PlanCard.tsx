import { Check } from 'lucide-react'
import { Link } from 'react-router-dom'
import type { User } from '../../../schema/api/users.ts'
import { plans } from '../../../schema/catalogue/plans.ts'
import { formatDay } from '../../components/format.ts'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'

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
        <div className="mt-auto flex items-center justify-between gap-3 pt-4">
          <p className="text-faint text-sm">Since {formatDay(user.created_at)}</p>
          <Button asChild look="secondary" size="small">
            <Link to="/#pricing">View plans</Link>
          </Button>
        </div>
      </div>
    </Card>
  )
}
