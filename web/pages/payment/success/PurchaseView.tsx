import { clsx } from 'clsx'
import { Check, CircleX, Clock, CreditCard, FileQuestion, Hourglass, TriangleAlert } from 'lucide-react'
import { planOf } from '../../../../schema/catalogue/sold-plans.ts'
import { useWebConfig } from '../../../api/catalogue.ts'
import { failureText } from '../../../api/failure.ts'
import { usePageTitle } from '../../../components/page.ts'
import { RouteButton } from '../../../components/RouteButton.tsx'
import { StatusView } from '../../../components/StatusView.tsx'
import { Alert } from '../../../ui/Alert.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Spinner } from '../../../ui/Spinner.tsx'
import { PurchaseSuccess } from './PurchaseSuccess.tsx'
import { ContactSupport, PurchaseActions } from './parts.tsx'
import {
  creditTexts,
  type PlanPurchase,
  type PurchaseProgress,
  planTexts,
  type ReturnPage,
} from './purchase.ts'

interface PurchaseViewProps {
  progress: PurchaseProgress
  page: ReturnPage
  /** `null` for credits, and as long as the session's status is unknown. */
  plan?: PlanPurchase | null
  /** An organization has paid; at sign-up its Teams plan is all that is known of it. */
  pooled?: boolean
  subscriptionId?: string | null
  /** Why the request to settle the purchase at once failed. It is settled all the same, only later. */
  settlementError?: unknown
  /** Offered only when the purchase could not be verified. */
  onRetry?: () => void
}

const titles = {
  bank_pending: 'Payment pending',
  not_paid: 'Payment not completed',
  applied: 'Payment Successful!',
  failed: 'Payment failed',
  expired: 'Payment session expired',
  not_found: 'Payment not found',
  unverified: 'Verification Error',
} as const

/** The states in which nothing was bought. */
const nothingBought = {
  not_paid: { tone: 'caution', Icon: CreditCard },
  failed: { tone: 'critical', Icon: CircleX },
  expired: { tone: 'neutral', Icon: Clock },
} as const

export function PurchaseView({ progress, page, plan = null, onRetry, ...more }: PurchaseViewProps) {
  const { brand } = useWebConfig()
  const pooled = more.pooled || (plan !== null && planOf(plan.plan_type).per_seat)
  const texts = plan ? planTexts : creditTexts
  // Without a status the page decides what was bought.
  const waiting =
    plan || page === 'payment'
      ? { title: 'Processing Payment', text: 'Please wait while we confirm your payment.' }
      : { title: 'Verifying Payment...', text: 'Please wait while we confirm your credit purchase.' }
  const title = titleOf(progress, { waiting, overdue: texts.overdue, isTrial: plan?.trial === true })
  usePageTitle(title)

  switch (progress.kind) {
    case 'verifying':
      return (
        <StatusView tone="busy" {...waiting}>
          <PurchaseSteps progress={progress} plan={plan} pooled={pooled} />
        </StatusView>
      )
    case 'paid':
      if (progress.pace === 'overdue') {
        return (
          <StatusView tone="caution" Icon={Hourglass} {...texts.overdue} actions={<PurchaseActions />}>
            <PurchaseSteps progress={progress} plan={plan} pooled={pooled} />
            <Alert tone="caution">
              Email <ContactSupport email={brand.support_email} /> and tell us when you paid.
            </Alert>
          </StatusView>
        )
      }
      return (
        <StatusView tone="busy" {...waiting} actions={progress.pace === 'slow' && <PurchaseActions />}>
          <PurchaseSteps progress={progress} plan={plan} pooled={pooled} />
          {Boolean(more.settlementError) && (
            <Alert tone="caution" title={failureText(more.settlementError, 'Failed to process payment')}>
              We keep trying until it works. Nothing is lost, and you do not need to pay again.
            </Alert>
          )}
          {progress.pace === 'slow' && (
            <Alert title={texts.slow.title}>
              {texts.slow.text} <ContactSupport email={brand.support_email} />.
            </Alert>
          )}
        </StatusView>
      )
    case 'applied':
      return (
        <PurchaseSuccess
          title={title}
          purchase={progress}
          plan={plan}
          pooled={pooled}
          subscriptionId={more.subscriptionId ?? null}
        />
      )
    case 'bank_pending':
      return (
        <StatusView
          tone="caution"
          Icon={Clock}
          title={title}
          text={texts.bank_pending}
          actions={<PurchaseActions />}
        >
          <PurchaseSteps progress={progress} plan={plan} pooled={pooled} />
        </StatusView>
      )
    case 'not_paid':
    case 'failed':
    case 'expired':
      return (
        <StatusView
          {...nothingBought[progress.kind]}
          title={title}
          text={texts[progress.kind]}
          actions={<PurchaseActions again={plan ?? 'credits'} />}
        />
      )
    case 'not_found':
      return (
        <StatusView
          tone="critical"
          Icon={FileQuestion}
          title={title}
          text="We could not find this payment in your account. If you paid with a different account, sign in with that one."
          actions={<PurchaseActions pricing={page === 'payment'} />}
        >
          <p className="text-muted text-sm">
            Were you charged? Contact <ContactSupport email={brand.support_email} />.
          </p>
        </StatusView>
      )
    case 'unverified':
      return (
        <StatusView
          tone="caution"
          Icon={TriangleAlert}
          title={title}
          text={
            page === 'payment'
              ? failureText(progress.error, 'Failed to verify payment status')
              : 'Could not verify payment status, but your credits should be added shortly.'
          }
          actions={
            <>
              <Button onClick={onRetry}>Try Again</Button>
              {page === 'payment' ? (
                <RouteButton to="/pricing" variant="secondary">
                  Return to Pricing
                </RouteButton>
              ) : (
                <PurchaseActions only="dashboard" />
              )}
            </>
          }
        >
          <p className="text-muted text-sm">
            If you paid, nothing is lost: we apply the payment as soon as we can. Do not pay again.
          </p>
        </StatusView>
      )
  }
}

function titleOf(
  progress: PurchaseProgress,
  texts: { waiting: { title: string }; overdue: { title: string }; isTrial: boolean },
): string {
  if (progress.kind === 'verifying') return texts.waiting.title
  if (progress.kind === 'paid') return (progress.pace === 'overdue' ? texts.overdue : texts.waiting).title
  if (progress.kind === 'applied' && texts.isTrial) return 'Your trial has started'
  return titles[progress.kind]
}

interface PurchaseStepsProps {
  progress: Extract<PurchaseProgress, { kind: 'verifying' | 'paid' | 'bank_pending' }>
  plan: PlanPurchase | null
  pooled: boolean
}

/** The way of an order from the payment page to the ledger, as far as it is known. */
function PurchaseSteps({ progress, plan, pooled }: PurchaseStepsProps) {
  const { brand } = useWebConfig()
  const done = stepsDone(progress)
  const steps = [
    plan?.trial ? 'Order placed' : 'Paid',
    `Received by ${brand.name}`,
    'Queued',
    pooled ? 'In your organization’s pool' : 'In your balance',
  ]
  return (
    <ol aria-label="Progress" className="space-y-3 rounded-control border bg-sunken px-4 py-4 text-sm">
      {steps.map((step, index) => (
        <li
          key={step}
          aria-current={index === done ? 'step' : undefined}
          className={clsx('flex items-center gap-3', index <= done ? 'text-ink' : 'text-faint')}
        >
          <span
            aria-hidden="true"
            className={clsx(
              'grid size-5 shrink-0 place-items-center rounded-full',
              index < done ? 'bg-positive-soft text-positive' : 'ring-1 ring-line-strong',
            )}
          >
            {index < done && <Check className="size-3.5" />}
            {index === done && <Spinner className="size-3 text-accent" />}
          </span>
          {step}
          {index < done && <span className="sr-only">: done</span>}
        </li>
      ))}
    </ol>
  )
}

/** How many of the steps are behind it. */
function stepsDone(progress: PurchaseStepsProps['progress']): number {
  if (progress.kind !== 'paid') return 0
  return progress.stage === 'queued' ? 3 : 2
}
