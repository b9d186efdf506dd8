import { BadgeCheck } from 'lucide-react'
import { Link } from 'react-router-dom'
import { createOrganizationBillingPortal } from '../../../../schema/api/organizations.ts'
import { createCustomerPortalSession } from '../../../../schema/api/subscriptions.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { StatusView } from '../../../components/StatusView.tsx'
import { useHostedPage } from '../../../components/useHostedPage.ts'
import { Button } from '../../../ui/Button.tsx'
import { toast } from '../../../ui/toast.ts'

interface AlreadySubscribedProps {
  text: string
  /** The billing portal for changes; `null` when only the Organizations page can lead there. */
  portal: { readonly userId: string } | { readonly organizationId: string } | null
}

/** Shown to a user who already has the plan: they are not charged again, and can change it with one click. */
export function AlreadySubscribed({ text, portal }: AlreadySubscribedProps) {
  return (
    <StatusView
      tone="positive"
      Icon={BadgeCheck}
      title="You are already subscribed"
      text={`${text} You have not been charged again.`}
      actions={
        <>
          {portal ? (
            <PortalButton portal={portal} />
          ) : (
            <Button asChild>
              <Link to="/organizations">Go to Organizations</Link>
            </Button>
          )}
          <Button asChild variant="secondary">
            <Link to="/dashboard">Go to Dashboard</Link>
          </Button>
        </>
      }
    />
  )
}

function PortalButton({ portal }: { portal: NonNullable<AlreadySubscribedProps['portal']> }) {
  const api = useApi()
  const { open, processing } = useHostedPage<void>({
    mutationFn: () =>
      'userId' in portal
        ? api(createCustomerPortalSession, { body: { userId: portal.userId } })
        : api(createOrganizationBillingPortal, { body: { clerk_org_id: portal.organizationId } }),
    onError: () =>
      toast.error('Billing Portal Error', {
        description: 'Failed to access billing portal. Please try again.',
      }),
  })
  return (
    <Button busy={processing} disabled={processing} onClick={() => open()}>
      Manage billing
    </Button>
  )
}
