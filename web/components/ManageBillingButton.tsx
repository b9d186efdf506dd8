import { Button } from '../ui/Button.tsx'
import { useHostedPage } from './useHostedPage.ts'

interface ManageBillingButtonProps {
  /** Asks the server for the portal's address. */
  openPortal: () => Promise<{ url: string }>
  onError: (error: unknown) => void
}

/** Opens the hosted billing portal, where a subscriber changes the card, sees invoices and cancels. */
export function ManageBillingButton({ openPortal, onError }: ManageBillingButtonProps) {
  const portal = useHostedPage<void>({ mutationFn: openPortal, onError })
  return (
    <Button
      variant="secondary"
      size="small"
      busy={portal.processing}
      disabled={portal.processing}
      onClick={() => portal.open()}
    >
      Manage billing
    </Button>
  )
}
