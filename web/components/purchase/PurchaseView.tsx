import { CircleCheck, CircleX, Clock, CreditCard, FileQuestion, Hourglass, TriangleAlert } from 'lucide-react'
import { failureText } from '../../api/translate.ts'
import { useWebConfig } from '../../api/webConfig.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { StatusView } from '../StatusView.tsx'
import { usePageTitle } from '../usePageTitle.ts'
import { ContactSupport, PurchaseActions } from './PurchaseActions.tsx'
import { PurchaseReceipt } from './PurchaseReceipt.tsx'
import type { PurchaseProgress } from './progress.ts'

interface PurchaseViewProps {
  progress: PurchaseProgress
  /** Only a purchase that could not be verified offers it. */
  onRetry?: () => void
}

const titles: Record<PurchaseProgress['kind'], string> = {
  verifying: 'Verifying Payment...',
  paid: 'Verifying Payment...',
  bank_pending: 'Payment pending',
  not_paid: 'Payment not completed',
  applied: 'Payment Successful!',
  failed: 'Payment failed',
  expired: 'Payment session expired',
  not_found: 'Payment not found',
  unverified: 'Verification Error',
}

export function PurchaseView({ progress, onRetry }: PurchaseViewProps) {
  const { brand } = useWebConfig()
  const title =
    progress.kind === 'paid' && progress.pace === 'overdue' ? 'Payment received' : titles[progress.kind]
  usePageTitle(title)

  switch (progress.kind) {
    case 'verifying':
      return (
        <StatusView tone="busy" title={title} text="Please wait while we confirm your credit purchase." />
      )
    case 'paid':
      if (progress.pace === 'overdue') {
        return (
          <StatusView
            tone="caution"
            Icon={Hourglass}
            title={title}
            text="Your payment went through, but your credits are taking longer than the usual 10 minutes to appear. They are not lost: please contact support and we will put it right."
            actions={<PurchaseActions />}
          >
            <Alert tone="caution">
              Write to <ContactSupport email={brand.support_email} /> and mention the time of your payment.
            </Alert>
          </StatusView>
        )
      }
      return (
        <StatusView
          tone="busy"
          title={title}
          text="Please wait while we confirm your credit purchase."
          actions={progress.pace === 'slow' && <PurchaseActions />}
        >
          {progress.pace === 'slow' && (
            <Alert title="Your payment was received.">
              Credits usually appear instantly but may take a few minutes. If they are not visible after 10
              minutes, contact <ContactSupport email={brand.support_email} />.
            </Alert>
          )}
        </StatusView>
      )
    case 'bank_pending':
      return (
        <StatusView
          tone="caution"
          Icon={Clock}
          title={title}
          text="Your bank is still confirming the payment. Your credits are added as soon as it is confirmed. You can close this page."
          actions={<PurchaseActions />}
        />
      )
    case 'not_paid':
      return (
        <StatusView
          tone="caution"
          Icon={CreditCard}
          title={title}
          text="The payment page was left before the payment was completed. Nothing was charged, and no credits were added."
          actions={<PurchaseActions again />}
        />
      )
    case 'applied':
      return (
        <StatusView
          tone="positive"
          Icon={CircleCheck}
          title={title}
          text="Your credit purchase has been processed successfully."
          actions={<PurchaseActions history />}
        >
          <PurchaseReceipt purchase={progress} />
        </StatusView>
      )
    case 'failed':
      return (
        <StatusView
          tone="critical"
          Icon={CircleX}
          title={title}
          text="Your bank did not confirm the payment, so no credits were added. You can try again with another payment method."
          actions={<PurchaseActions again />}
        />
      )
    case 'expired':
      return (
        <StatusView
          tone="neutral"
          Icon={Clock}
          title={title}
          text="This payment session was not completed in time. Nothing was charged, and no credits were added."
          actions={<PurchaseActions again />}
        />
      )
    case 'not_found':
      return (
        <StatusView
          tone="critical"
          Icon={FileQuestion}
          title={title}
          text="We know no payment of your account with this address. If you paid with another account, sign in with that one."
          actions={<PurchaseActions />}
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
          text={failureText(
            progress.error,
            'Could not verify payment status, but your credits should be added shortly.',
          )}
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
