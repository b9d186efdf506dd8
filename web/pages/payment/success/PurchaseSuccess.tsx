import { CircleCheck } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Link } from 'react-router-dom'
import { planOf } from '../../../../schema/catalogue/sold-plans.ts'
import { useWebConfig } from '../../../api/catalogue.ts'
import { creditsShown, creditsUnit } from '../../../components/account/balance.tsx'
import { forgetChosenAmount } from '../../../components/credits/useCreditPurchase.ts'
import { formatCredits, formatDay, formatMoney } from '../../../components/format.ts'
import { RouteButton } from '../../../components/RouteButton.tsx'
import { StatusView } from '../../../components/StatusView.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Fact } from '../../../ui/Fact.tsx'
import { Celebration, ContactSupport, NextSteps, PurchaseActions } from './parts.tsx'
import type { AppliedPurchase, PlanPurchase } from './purchase.ts'
import { TeamInvitationManager } from './TeamInvitationManager.tsx'

interface PurchaseSuccessProps {
  title: string
  purchase: AppliedPurchase
  /** `null` when credits were bought. */
  plan: PlanPurchase | null
  pooled: boolean
  subscriptionId: string | null
}

export function PurchaseSuccess({ plan, pooled, subscriptionId, ...result }: PurchaseSuccessProps) {
  if (!plan) return <CreditsSuccess {...result} pooled={pooled} />
  return planOf(plan.plan_type).per_seat && plan.seats > 1 && subscriptionId ? (
    <TeamSuccess plan={plan} subscriptionId={subscriptionId} {...result} />
  ) : (
    <PlanSuccess plan={plan} {...result} />
  )
}

type Result = Pick<PurchaseSuccessProps, 'title' | 'purchase'>

function CreditsSuccess({ title, purchase, pooled }: Result & { pooled: boolean }) {
  const { brand } = useWebConfig()
  useEffect(forgetChosenAmount, [])
  return (
    <StatusView
      tone="positive"
      Icon={CircleCheck}
      decoration={<Celebration />}
      title={title}
      text="Your credit purchase has been processed successfully."
      actions={<PurchaseActions history />}
    >
      <CreditReceipt purchase={purchase} pooled={pooled} />
      <p className="text-muted text-xs leading-5">
        In your editor, credits usually appear instantly but may take a few minutes. If they are not visible
        after 10 minutes, contact <ContactSupport email={brand.support_email} />.
      </p>
    </StatusView>
  )
}

interface PlanSuccessProps extends Result {
  plan: PlanPurchase
  children?: ReactNode
  action?: ReactNode
}

function PlanSuccess({ title, purchase, plan, children, action }: PlanSuccessProps) {
  return (
    <StatusView
      tone="positive"
      Icon={CircleCheck}
      decoration={<Celebration />}
      title={title}
      text={planText(plan)}
      actions={
        <>
          <RouteButton to="/dashboard">Go to Dashboard</RouteButton>
          {action}
        </>
      }
    >
      <PlanReceipt plan={plan} purchase={purchase} />
      {/* Those of a team are with its organization, which may not be chosen yet. */}
      {!plan.trial && !planOf(plan.plan_type).per_seat && (
        <p className="text-sm">
          <Link
            to="/billing?tab=invoices"
            className="font-medium text-accent-text underline underline-offset-4"
          >
            Invoices and receipts
          </Link>
        </p>
      )}
      {children}
      <NextSteps plan={plan} credits={purchase.credits} />
    </StatusView>
  )
}

function planText(plan: PlanPurchase): string {
  const { name } = planOf(plan.plan_type)
  if (!plan.trial) return `Your ${name} plan is active.`
  if (!plan.trial_ends_at) return `${name} is free during your trial.`
  return `${name} is free until ${formatDay(plan.trial_ends_at)}. We charge your card on that day unless you cancel first.`
}

interface TeamSuccessProps extends Result {
  plan: PlanPurchase
  subscriptionId: string
}

function TeamSuccess({ plan, subscriptionId, ...result }: TeamSuccessProps) {
  const [inviting, setInviting] = useState(false)
  const others = plan.seats - 1
  return (
    <>
      <PlanSuccess
        plan={plan}
        {...result}
        action={
          !inviting && (
            <Button variant="secondary" onClick={() => setInviting(true)}>
              Invite Team Members
            </Button>
          )
        }
      >
        <section className="space-y-1.5">
          <h2 className="font-semibold text-sm">Team Setup</h2>
          <p className="text-muted text-sm">
            One of your {plan.seats} seats is yours. You can invite{' '}
            {others === 1 ? 'one more person' : `${others} more people`}, now or later under Seat Management.
          </p>
        </section>
      </PlanSuccess>
      {inviting && (
        <TeamInvitationManager
          subscriptionId={subscriptionId}
          seats={plan.seats}
          onClose={() => setInviting(false)}
        />
      )}
    </>
  )
}

function CreditReceipt({ purchase, pooled }: { purchase: AppliedPurchase; pooled: boolean }) {
  return (
    <Receipt>
      <ReceiptLine term="Credits Added">
        <span className="font-semibold text-lg text-positive">
          +{formatCredits(purchase.credits)} credits
        </span>
      </ReceiptLine>
      <ReceiptLine term="Amount paid">
        {formatMoney(purchase.amount_minor, purchase.currency)}{' '}
        <span className="text-muted">{purchase.currency}</span>
      </ReceiptLine>
      <ReceiptLine term={pooled ? 'New balance of the pool' : 'New balance'}>
        {creditsShown(purchase.balance)} {creditsUnit(purchase.balance)}
      </ReceiptLine>
    </Receipt>
  )
}

function PlanReceipt({ plan, purchase }: { plan: PlanPurchase; purchase: AppliedPurchase }) {
  const money = (amount_minor: number) => formatMoney(amount_minor, purchase.currency)
  const period = `${money(plan.price_minor)} per ${plan.billing === 'yearly' ? 'year' : 'month'}`
  return (
    <section className="space-y-2.5">
      <h2 className="font-semibold text-sm">Payment Summary</h2>
      <Receipt label="Payment Summary">
        <ReceiptLine term="Plan">{planOf(plan.plan_type).name}</ReceiptLine>
        <ReceiptLine term="Billing">{plan.billing === 'yearly' ? 'Yearly' : 'Monthly'}</ReceiptLine>
        {planOf(plan.plan_type).per_seat && <ReceiptLine term="Seats">{plan.seats}</ReceiptLine>}
        {plan.trial ? (
          <ReceiptLine term="Amount" note={`then ${period}`}>
            {money(purchase.amount_minor)} today
          </ReceiptLine>
        ) : (
          <ReceiptLine term="Amount" note="paid">
            {money(purchase.amount_minor)}
          </ReceiptLine>
        )}
        <ReceiptLine
          term="Credits Granted"
          {...(planOf(plan.plan_type).per_seat && { note: 'in your organization’s pool' })}
        >
          <span className="font-semibold text-base text-positive">+{formatCredits(purchase.credits)}</span>
        </ReceiptLine>
        {plan.ended_plan && (
          <ReceiptLine
            term={`Your ${planOf(plan.ended_plan.plan_type).name} plan`}
            note={endedText(plan.ended_plan)}
          >
            Ended
          </ReceiptLine>
        )}
      </Receipt>
    </section>
  )
}

function endedText({ refund_minor, currency, is_final }: NonNullable<PlanPurchase['ended_plan']>): string {
  if (refund_minor === 0) return 'not charged again'
  return `${is_final ? '' : 'about '}${formatMoney(refund_minor, currency)} goes back to your card`
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

function ReceiptLine(line: { term: string; note?: string; children: ReactNode }) {
  return <Fact className="px-4 py-3" {...line} />
}
