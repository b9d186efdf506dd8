import { CircleX, Clock, CreditCard, FileQuestion, Hourglass, TriangleAlert } from 'lucide-react'
import { failureText } from '../../api/translate.ts'
import { useWebConfig } from '../../api/webConfig.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { StatusView } from '../StatusView.tsx'
import { usePageTitle } from '../usePageTitle.ts'
import { CreditSuccess } from './CreditSuccess.tsx'
import { PlanSuccess } from './PlanSuccess.tsx'
import { ContactSupport, PurchaseActions } from './PurchaseActions.tsx'
import type { PlanPurchase } from './plan.ts'
import type { PurchaseProgress } from './progress.ts'
import { purchaseWords, type ReturnPage, unverifiedText, waitingWords } from './words.ts'

interface PurchaseViewProps {
  progress: PurchaseProgress
  page: ReturnPage
  /** `null` for credits, and while nobody knows. */
  plan?: PlanPurchase | null
  /** Only a purchase that could not be verified offers it. */
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

export function PurchaseView({ progress, page, plan = null, onRetry }: PurchaseViewProps) {
  const { brand } = useWebConfig()
  const words = purchaseWords(plan)
  const waiting = waitingWords(page, plan)
  const title = titleOf(progress, { waiting, overdue: words.overdue })
  usePageTitle(title)

  switch (progress.kind) {
    case 'verifying':
      return <StatusView tone="busy" {...waiting} />
    case 'paid':
      if (progress.pace === 'overdue') {
        return (
          <StatusView tone="caution" Icon={Hourglass} {...words.overdue} actions={<PurchaseActions />}>
            <Alert tone="caution">
              Write to <ContactSupport email={brand.support_email} /> and mention the time of your payment.
            </Alert>
          </StatusView>
        )
      }
      return (
        <StatusView tone="busy" {...waiting} actions={progress.pace === 'slow' && <PurchaseActions />}>
          {progress.pace === 'slow' && (
            <Alert title={words.slow.title}>
              {words.slow.text} <ContactSupport email={brand.support_email} />.
            </Alert>
          )}
        </StatusView>
      )
    case 'applied':
      return plan ? (
        <PlanSuccess title={title} plan={plan} purchase={progress} />
      ) : (
        <CreditSuccess title={title} purchase={progress} />
      )
    case 'bank_pending':
      return (
        <StatusView
          tone="caution"
          Icon={Clock}
          title={title}
          text={words.bank_pending}
          actions={<PurchaseActions />}
        />
      )
    case 'not_paid':
      return (
        <StatusView
          tone="caution"
          Icon={CreditCard}
          title={title}
          text={words.not_paid}
          actions={<PurchaseActions again={plan ?? 'credits'} />}
        />
      )
    case 'failed':
      return (
        <StatusView
          tone="critical"
          Icon={CircleX}
          title={title}
          text={words.failed}
          actions={<PurchaseActions again={plan ?? 'credits'} />}
        />
      )
    case 'expired':
      return (
        <StatusView
          tone="neutral"
          Icon={Clock}
          title={title}
          text={words.expired}
          actions={<PurchaseActions again={plan ?? 'credits'} />}
        />
      )
    case 'not_found':
      return (
        <StatusView
          tone="critical"
          Icon={FileQuestion}
          title={title}
          text="We know no payment of your account with this address. If you paid with another account, sign in with that one."
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
          text={failureText(progress.error, unverifiedText(page))}
          actions={
            <>
              <Button onClick={onRetry}>Try Again</Button>
              <PurchaseActions only="dashboard" />
            </>
          }
        />
      )
  }
}

function titleOf(
  progress: PurchaseProgress,
  words: { waiting: { title: string }; overdue: { title: string } },
): string {
  if (progress.kind === 'verifying') return words.waiting.title
  if (progress.kind === 'paid') return (progress.pace === 'overdue' ? words.overdue : words.waiting).title
  return titles[progress.kind]
}
