import { toast } from 'sonner'
import { createCustomerPortalSession } from '../../../schema/api/subscriptions.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { Button } from '../../ui/Button.tsx'
import { useDeparture } from './useHostedPage.ts'

/** Leaves for the hosted page where the subscriber's card, invoices and cancelling are. */
export function ManageBillingButton({ userId }: { userId: string }) {
  const api = useApi()
  const portal = useDeparture<void>({
    mutationFn: () => api(createCustomerPortalSession, { body: { userId } }),
    onError: () =>
      toast.error('Billing Portal Error', {
        description: 'Failed to access billing portal. Please try again.',
      }),
  })
  return (
    <Button
      look="secondary"
      size="small"
      busy={portal.processing}
      disabled={portal.processing}
      onClick={() => portal.start()}
    >
      Manage billing
    </Button>
  )
}
