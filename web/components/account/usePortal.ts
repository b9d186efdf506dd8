import { createOrganizationBillingPortal } from '../../../schema/api/organizations.ts'
import { createCustomerPortalSession } from '../../../schema/api/subscriptions.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { ApiFailure, failureText, isStatus } from '../../api/failure.ts'
import { toast } from '../../ui/toast.ts'
import { useHostedPage } from '../useHostedPage.ts'
import type { Payer } from './usePayer.ts'

/** Opens the hosted billing portal of a payer, where the card is changed and a plan cancelled or resumed. */
export function usePortal({ userId, organization }: Payer) {
  const api = useApi()
  return useHostedPage<void>({
    mutationFn: () =>
      organization
        ? api(createOrganizationBillingPortal, { body: { clerk_org_id: organization.id } })
        : api(createCustomerPortalSession, { body: { userId } }),
    onError: (error) => {
      const { title, text } = organization
        ? { title: 'Error', text: failureText(error, 'Failed to open billing portal') }
        : portalFailure(error)
      toast.error(title, { description: text })
    },
  })
}

/** What the product says when a person's own portal does not open. */
export function portalFailure(error: unknown): { title: string; text: string } {
  if (isStatus(error, 401)) {
    return { title: 'Authentication Required', text: 'Please sign in to access billing information' }
  }
  const title = 'Billing Portal Error'
  const isAnswered = error instanceof ApiFailure && error.text !== null
  return isAnswered
    ? { title, text: 'Failed to access billing portal. Please try again.' }
    : { title, text: 'An unexpected error occurred. Please try again later.' }
}
