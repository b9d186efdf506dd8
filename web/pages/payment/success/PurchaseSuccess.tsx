import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { formatMoney } from '../../../../schema/catalogue/currency.ts'
import { plans } from '../../../../schema/catalogue/plans.ts'
import { formatCredits } from '../../../components/format.ts'
import { StatusView } from '../../../components/StatusView.tsx'
import { Button } from '../../../ui/Button.tsx'
import { NextSteps } from './NextSteps.tsx'
import { PurchaseActions } from './PurchaseActions.tsx'
import { type PlanPurchase, periodPriceMinor } from './plan.ts'
import type { AppliedPurchase } from './progress.ts'

interface PurchaseSuccessProps {
  title: string
  purchase: AppliedPurchase
  /** `null` when credits were bought. */
  plan: PlanPurchase | null
}

/** A purchase that is in the ledger. */
export function PurchaseSuccess({ title, purchase, plan }: PurchaseSuccessProps) {
  if (!plan) {
    return (
      <StatusView
        tone="positive"
        Icon={CircleCheck}
        title={title}
        text="Your credit purchase has been processed successfully."
        actions={<PurchaseActions history />}
      >
        <CreditReceipt purchase={purchase} />
      </StatusView>
    )
  }
  const { name } = plans[plan.plan_type]
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
      <PlanReceipt plan={plan} purchase={purchase} />
      <NextSteps plan={plan} />
    </StatusView>
  )
}

function CreditReceipt({ purchase }: { purchase: AppliedPurchase }) {
  return (
    <Receipt>
      <ReceiptLine term="Credits Added">
        <span className="font-semibold text-lg text-positive">+{formatCredits(purchase.credits)}</span>
      </ReceiptLine>
      <ReceiptLine term="Amount paid">
        {formatMoney(purchase.amount_minor, purchase.currency)}{' '}
        <span className="text-muted">{purchase.currency}</span>
      </ReceiptLine>
      <ReceiptLine term="New balance">{formatCredits(purchase.balance)} credits</ReceiptLine>
    </Receipt>
  )
}

function PlanReceipt({ plan, purchase }: { plan: PlanPurchase; purchase: AppliedPurchase }) {
  const money = (amount_minor: number) => formatMoney(amount_minor, purchase.currency)
  const period = `${money(periodPriceMinor(plan))} per ${plan.billing === 'yearly' ? 'year' : 'month'}`
  return (
    <section className="space-y-2.5">
      <h2 className="font-semibold text-sm">Payment Summary</h2>
      <Receipt label="Payment Summary">
        <ReceiptLine term="Plan">{plans[plan.plan_type].name}</ReceiptLine>
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
  )
}

function Receipt({ label, children }: { label?: string; children: ReactNode }) {
  return (
    <dl
      aria-label={label}
      className="divide-y divide-line rounded-control border bg-sunken text-sm tabular-nums"
    >
      {children}
    </dl>
  )
}

function ReceiptLine({ term, note, children }: { term: string; note?: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 px-4 py-3">
      <dt className="text-muted">{term}</dt>
      <dd className="text-right font-medium">
        {children}
        {note && <span className="mt-0.5 block font-normal text-muted text-xs">{note}</span>}
      </dd>
    </div>
  )
}
