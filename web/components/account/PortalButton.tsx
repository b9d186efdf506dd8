import type { ComponentProps } from 'react'
import { createOrganizationBillingPortal } from '../../../schema/api/organizations.ts'
import { createCustomerPortalSession } from '../../../schema/api/subscriptions.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import type { PayerView } from '../../api/account.ts'
import { ApiFailure, failureText, isStatus } from '../../api/failure.ts'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.ts'
import { useHostedPage } from '../useHostedPage.ts'

interface PortalButtonProps extends Pick<ComponentProps<typeof Button>, 'variant' | 'size'> {
  payer: PayerView
  label?: string
  flow?: PortalFlow
}

/** Opens the hosted billing portal, where a subscriber changes the card, sees invoices and cancels. */
export function PortalButton({
  payer,
  label = 'Manage billing',
  variant = 'secondary',
  size = 'small',
  flow,
}: PortalButtonProps) {
  const portal = usePortal(payer)
  return (
    <Button variant={variant} size={size} busy={portal.processing} onClick={() => portal.open(flow)}>
      {portal.processing ? 'Loading...' : label}
    </Button>
  )
}

/** A page of the portal that does one thing and leads back. */
type PortalFlow = 'payment_method_update'

/** Opens the hosted billing portal of a payer, where the card is changed and a plan cancelled or resumed. */
function usePortal({ payer, userId }: PayerView) {
  const api = useApi()
  const isPersonal = payer === 'personal'
  return useHostedPage<PortalFlow | undefined>({
    mutationFn: (flow) =>
      isPersonal
        ? api(createCustomerPortalSession, { body: { userId, flow } })
        : api(createOrganizationBillingPortal, { body: { clerk_org_id: payer, flow } }),
    onError: (error) => {
      const { title, text } = isPersonal
        ? portalFailure(error)
        : { title: 'Error', text: failureText(error, 'Failed to open billing portal') }
      toast.error(title, { description: text })
    },
  })
}

/** What the product says when a person's own portal does not open: the server's reason, if there is one. */
export function portalFailure(error: unknown): { title: string; text: string } {
  if (isStatus(error, 401)) {
    return { title: 'Authentication Required', text: 'Please sign in to access billing information' }
  }
  const title = 'Billing Portal Error'
  if (!(error instanceof ApiFailure) || error.text === null) {
    return { title, text: 'An unexpected error occurred. Please try again later.' }
  }
  const isReason = error.code !== 'portal_failed'
  return { title, text: isReason ? error.text : 'Failed to access billing portal. Please try again.' }
}
