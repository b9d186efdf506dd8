import { type ReactNode, useState } from 'react'
import { Link } from 'react-router-dom'
import type { AccountSubscription, AccountSummary } from '../../../schema/api/account.ts'
import type { BillingFrequency } from '../../../schema/catalogue/plans.ts'
import { personalPlans, planOf, soldPlanOf, teamPlan } from '../../../schema/catalogue/sold-plans.ts'
import type { PayerView } from '../../api/account.ts'
import { useLater } from '../../ui/useLater.ts'
import { formatMoney } from '../format.ts'

/** What a payer can have next, each with its price; nothing for callers who may not buy. */
export function PlanSteps({ summary, payer }: { summary: AccountSummary; payer: PayerView }) {
  const { subscription, plan_type, may_manage, currency } = summary
  const { name, per_seat } = planOf(plan_type)
  if (!may_manage) return null
  const money = (amount_minor: number) => formatMoney(amount_minor, currency.code)
  const { price_minor } = teamPlan
  const teamsText = `${teamPlan.name} is ${money(price_minor.monthly)} a month for each seat, with a shared pool of credits.`
  // By a seat, a person has the plan of an organization.
  if (subscription?.plan_type === plan_type) {
    const to = otherPeriod(subscription)
    const price = money(soldPlanOf(plan_type).price_minor[to ?? 'monthly'] * subscription.seats_total)
    return (
      <>
        {to && (
          <Step text={`Billed ${to}, ${name} is ${price} a ${to === 'yearly' ? 'year' : 'month'}.`}>
            <SwitchPeriod payer={payer} to={to} />
          </Step>
        )}
        {!per_seat && <Step text={teamsText} to="/teams/start" label={`Start with ${teamPlan.name}`} />}
      </>
    )
  }
  if (per_seat) return null
  if (payer.payer !== 'personal') {
    return <Step text={teamsText} to="/organizations?tab=billing" label="Set up billing" />
  }
  return personalPlans.map(({ plan_type, name, trial_days, price_minor, credits_per_seat }) => {
    const trial = subscription === null && trial_days > 0 ? `free for ${trial_days} days, then ` : ''
    return (
      <Step
        key={plan_type}
        text={`${name} is ${trial}${money(price_minor.monthly)} a month, with ${credits_per_seat} credits every month.`}
        to={`/auth/post-signup?plan=${plan_type}&billing=monthly`}
        label={`Upgrade to ${name}`}
      />
    )
  })
}

/** Null while the period cannot be changed. */
function otherPeriod(subscription: AccountSubscription): BillingFrequency | null {
  const { status, billing_frequency, cancel_at, lapses_at, scheduled_change } = subscription
  const isGoingOn = (status === 'active' || status === 'trialing') && !cancel_at && !lapses_at
  const isChangeable = isGoingOn && !scheduled_change
  if (!isChangeable) return null
  return billing_frequency === 'monthly' ? 'yearly' : 'monthly'
}

const linkStyle = 'whitespace-nowrap font-medium text-accent-text underline underline-offset-4'

type StepProps = { text: string } & ({ children: ReactNode } | { to: string; label: string })

function Step({ text, ...action }: StepProps) {
  return (
    <p className="py-0.5 text-muted text-sm leading-6 tabular-nums">
      {text}{' '}
      {'to' in action ? (
        <Link to={action.to} className={linkStyle}>
          {action.label}
        </Link>
      ) : (
        action.children
      )}
    </p>
  )
}

const loadDialog = async () => (await import('./PlanChangeDialog.tsx')).PlanChangeDialog

function SwitchPeriod({ payer, to }: { payer: PayerView; to: BillingFrequency }) {
  const [isOpen, setIsOpen] = useState(false)
  const PlanChangeDialog = useLater(loadDialog)
  return (
    <>
      <button
        type="button"
        className={linkStyle}
        disabled={!PlanChangeDialog}
        onClick={() => setIsOpen(true)}
      >
        Switch to {to} billing
      </button>
      {PlanChangeDialog && isOpen && (
        <PlanChangeDialog payer={payer} to={to} onClose={() => setIsOpen(false)} />
      )}
    </>
  )
}
