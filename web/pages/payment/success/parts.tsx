import { clsx } from 'clsx'
import type { CSSProperties, ReactNode } from 'react'
import { planOf } from '../../../../schema/catalogue/sold-plans.ts'
import { useWebConfig } from '../../../api/catalogue.ts'
import { formatCredits } from '../../../components/format.ts'
import { RouteButton } from '../../../components/RouteButton.tsx'
import { type PlanPurchase, planCheckoutPath } from './purchase.ts'

/** `credits`: of all seats, every month. */
export function NextSteps({ plan, credits }: { plan: PlanPurchase; credits: number }) {
  const { brand } = useWebConfig()
  const { per_seat } = planOf(plan.plan_type)
  return (
    <section className="space-y-3 pt-1">
      <h2 className="font-semibold text-sm">What’s Next</h2>
      <ol className="space-y-3 text-muted text-sm [counter-reset:step]">
        {per_seat && (
          <Step>Your organization is selected: the dashboard shows its plan, credits and seats.</Step>
        )}
        <Step>
          {brand.marketplace_url ? (
            <a
              href={brand.marketplace_url}
              className="font-medium text-accent-text underline underline-offset-4"
            >
              Install {brand.name} in your editor
            </a>
          ) : (
            `Install ${brand.name} in your editor`
          )}{' '}
          and sign in with this account{per_seat && ', with your organization as the one that pays'}.
        </Step>
        <Step>
          Start using your credits. You get {formatCredits(credits / plan.seats)} every month
          {per_seat && ' for each seat'}.
        </Step>
        {plan.trial && <Step>You can cancel at any time: open the dashboard and choose Manage billing.</Step>}
      </ol>
    </section>
  )
}

function Step({ children }: { children: ReactNode }) {
  return (
    <li className="flex gap-3 [counter-increment:step]">
      <span
        aria-hidden="true"
        className="grid size-5 shrink-0 place-items-center rounded-full bg-sunken font-semibold text-2xs text-ink tabular-nums ring-1 ring-line before:content-[counter(step)]"
      />
      <span>{children}</span>
    </li>
  )
}

interface PurchaseActionsProps {
  /** Nothing was bought: the first button starts the same purchase again. */
  again?: PlanPurchase | 'credits'
  /** Credits were bought: adds a link to the history. */
  history?: boolean
  /** The first button leads to the plans. */
  pricing?: boolean
  /** Makes the dashboard link secondary, beside a more important button. */
  only?: 'dashboard'
}

export function PurchaseActions({ again, history, pricing, only }: PurchaseActionsProps) {
  const plan = again !== 'credits' && again
  return (
    <>
      {again && (
        <RouteButton to={plan ? planCheckoutPath(plan) : '/dashboard#add-credits'}>Try Again</RouteButton>
      )}
      {(pricing || plan) && (
        <RouteButton to="/pricing" variant={plan ? 'secondary' : 'primary'}>
          Return to Pricing
        </RouteButton>
      )}
      {!plan && (
        <RouteButton to="/dashboard" variant={again || pricing || only ? 'secondary' : 'primary'}>
          Return to Dashboard
        </RouteButton>
      )}
      {history && (
        <RouteButton to="/billing?tab=invoices&view=transactions" variant="secondary">
          View Billing History
        </RouteButton>
      )}
    </>
  )
}

export function ContactSupport({ email }: { email: string }) {
  return (
    <a
      href={`mailto:${email}?subject=${encodeURIComponent('Payment Issue')}`}
      className="font-medium text-accent-text underline underline-offset-4"
    >
      {email}
    </a>
  )
}

const drops = ['bg-accent', 'bg-star', 'bg-positive']
const count = 12

/** Drops and ripples around the icon, once; none with reduced motion. */
export function Celebration() {
  return (
    <span aria-hidden="true" data-celebration className="absolute inset-0 motion-reduce:hidden">
      {[0, 1].map((step) => (
        <span
          key={step}
          style={{ '--step': step } as CSSProperties}
          className="absolute inset-0 animate-ripple rounded-full border-2 border-positive"
        />
      ))}
      {Array.from({ length: count }, (_, index) => `${(index * 360) / count}deg`).map((angle, index) => (
        <span
          key={angle}
          style={{ '--angle': angle } as CSSProperties}
          className={clsx(
            'absolute top-[calc(50%-0.375rem)] left-[calc(50%-0.125rem)] h-3 w-1 animate-burst rounded-full',
            drops[index % drops.length],
          )}
        />
      ))}
    </span>
  )
}
