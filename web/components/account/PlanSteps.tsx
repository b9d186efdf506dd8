import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import type { AccountSubscription, AccountSummary } from '../../../schema/api/account.ts'
import { type BillingFrequency, plans } from '../../../schema/catalogue/plans.ts'
import type { PayerView } from '../../api/account.ts'
import { useWebConfig } from '../../api/catalogue.ts'
import { Button } from '../../ui/Button.tsx'
import { formatCredits, formatMoney } from '../format.ts'
import { PlanChange, planChangeOf } from './PlanChange.tsx'

interface PlanStepsProps {
  summary: AccountSummary
  payer: PayerView
}

/** What a payer can have next, each with its price; nothing for callers who may not buy. */
export function PlanSteps({ summary, payer }: PlanStepsProps) {
  const { pro_trial_days } = useWebConfig()
  const { subscription, plan_type, may_manage, currency } = summary
  if (!may_manage) return null
  const money = (amount_minor: number) => formatMoney(amount_minor, currency.code)
  const { pro, teams } = plans
  const teamsText = `Teams is ${money(teams.price_minor.monthly)} a month for each seat, with a shared pool of credits.`
  // By a seat, a person has the plan of an organization.
  if (subscription?.plan_type === plan_type) {
    const to = planChangeOf(subscription)
    return (
      <>
        {to && (
          <Step text={`Billed ${to}, ${plans[plan_type].name} is ${periodPrice(subscription, to, money)}.`}>
            <PlanChange payer={payer} subscription={subscription} />
          </Step>
        )}
        {plan_type === 'pro' && <Step text={teamsText} to="/teams/start" label="Start with Teams" />}
      </>
    )
  }
  if (plan_type === 'teams') return null
  if (payer.payer !== 'personal') {
    return <Step text={teamsText} to="/organizations?tab=billing" label="Set up billing" />
  }
  const trial = subscription === null && pro_trial_days > 0 ? `free for ${pro_trial_days} days, then ` : ''
  const proText = `Pro is ${trial}${money(pro.price_minor.monthly)} a month, with ${formatCredits(pro.credits_per_seat)} credits every month.`
  return <Step text={proText} to="/auth/post-signup?plan=pro&billing=monthly" label="Upgrade to Pro" />
}

function periodPrice(
  { plan_type, seats_total }: AccountSubscription,
  to: BillingFrequency,
  money: (amount_minor: number) => string,
): string {
  const price = money(plans[plan_type].price_minor[to] * seats_total)
  return `${price} a ${to === 'yearly' ? 'year' : 'month'}`
}

type StepProps = { text: string } & ({ children: ReactNode } | { to: string; label: string })

function Step({ text, ...action }: StepProps) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1.5 border-t py-2.5 text-sm">
      <p className="grow basis-48 text-muted tabular-nums">{text}</p>
      {'to' in action ? (
        <Button asChild variant="secondary" size="small">
          <Link to={action.to}>{action.label}</Link>
        </Button>
      ) : (
        action.children
      )}
    </div>
  )
}
