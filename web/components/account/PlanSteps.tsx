import { type ReactNode, useState } from 'react'
import { Link } from 'react-router-dom'
import type { AccountSubscription, AccountSummary } from '../../../schema/api/account.ts'
import { type BillingFrequency, plans } from '../../../schema/catalogue/plans.ts'
import type { PayerView } from '../../api/account.ts'
import { useWebConfig } from '../../api/catalogue.ts'
import { useLater } from '../../ui/useLater.ts'
import { formatMoney } from '../format.ts'

const { pro, teams } = plans

/** What a payer can have next, each with its price; nothing for callers who may not buy. */
export function PlanSteps({ summary, payer }: { summary: AccountSummary; payer: PayerView }) {
  const { pro_trial_days } = useWebConfig()
  const { subscription, plan_type, may_manage, currency } = summary
  if (!may_manage) return null
  const money = (amount_minor: number) => formatMoney(amount_minor, currency.code)
  const teamsText = `${teams.name} is ${money(teams.price_minor.monthly)} a month for each seat, with a shared pool of credits.`
  // By a seat, a person has the plan of an organization.
  if (subscription?.plan_type === plan_type) {
    const to = otherPeriod(subscription)
    const price = money(plans[subscription.plan_type].price_minor[to ?? 'monthly'] * subscription.seats_total)
    return (
      <>
        {to && (
          <Step
            text={`Billed ${to}, ${plans[plan_type].name} is ${price} a ${to === 'yearly' ? 'year' : 'month'}.`}
          >
            <SwitchPeriod payer={payer} to={to} />
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
  const proText = `${pro.name} is ${trial}${money(pro.price_minor.monthly)} a month, with ${pro.credits_per_seat} credits every month.`
  return <Step text={proText} to="/auth/post-signup?plan=pro&billing=monthly" label="Upgrade to Pro" />
}

/** Null while the period cannot be changed. */
function otherPeriod(subscription: AccountSubscription): BillingFrequency | null {
  const { status, billing_frequency, cancel_at, scheduled_change } = subscription
  const isChangeable = (status === 'active' || status === 'trialing') && !cancel_at && !scheduled_change
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
      {PlanChangeDialog && (
        <PlanChangeDialog payer={payer} to={to} open={isOpen} onClose={() => setIsOpen(false)} />
      )}
    </>
  )
}
