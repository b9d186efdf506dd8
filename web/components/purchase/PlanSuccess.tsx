import { CircleCheck } from 'lucide-react'
import { Link } from 'react-router-dom'
import { formatMoney } from '../../../schema/catalogue/currency.ts'
import { plans } from '../../../schema/catalogue/plans.ts'
import { Button } from '../../ui/Button.tsx'
import { formatCredits } from '../format.ts'
import { StatusView } from '../StatusView.tsx'
import { NextSteps } from './NextSteps.tsx'
import { type PlanPurchase, periodPriceMinor } from './plan.ts'
import type { AppliedPurchase } from './progress.ts'
import { Receipt, ReceiptLine } from './Receipt.tsx'

interface PlanSuccessProps {
  title: string
  plan: PlanPurchase
  purchase: AppliedPurchase
}

export function PlanSuccess({ title, plan, purchase }: PlanSuccessProps) {
  const { name } = plans[plan.plan_type]
  const money = (amount_minor: number) => formatMoney(amount_minor, purchase.currency)
  const period = `${money(periodPriceMinor(plan))} per ${plan.billing === 'yearly' ? 'year' : 'month'}`
  return (
    <StatusView
      tone="positive"
      Icon={CircleCheck}
      title={title}
      text={plan.trial ? `Your free trial of ${name} has started.` : `Your ${name} plan is active.`}
      actions={
        <Button asChild>
          <Link to="/dashboard">Go to Dashboard</Link>
        </Button>
      }
    >
      <section className="space-y-2.5">
        <h2 className="font-semibold text-sm">Payment Summary</h2>
        <Receipt label="Payment Summary">
          <ReceiptLine term="Plan">{name}</ReceiptLine>
          <ReceiptLine term="Billing">{plan.billing === 'yearly' ? 'Yearly' : 'Monthly'}</ReceiptLine>
          {plan.plan_type === 'teams' && <ReceiptLine term="Seats">{plan.seats}</ReceiptLine>}
          {plan.trial ? (
            <ReceiptLine term="Amount" note={`Free trial, then ${period}`}>
              {money(purchase.amount_minor)} today
            </ReceiptLine>
          ) : (
            <ReceiptLine term="Amount">{money(purchase.amount_minor)}</ReceiptLine>
          )}
          <ReceiptLine
            term="Credits Granted"
            {...(plan.plan_type === 'teams' && { note: 'in your organization’s pool' })}
          >
            <span className="font-semibold text-base text-positive">+{formatCredits(purchase.credits)}</span>
          </ReceiptLine>
        </Receipt>
      </section>
      <NextSteps plan={plan} />
    </StatusView>
  )
}
