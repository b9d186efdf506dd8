import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { type OrganizationView, organizationSubscriptionQuery } from '../../api/organizations.ts'
import { Alert } from '../../ui/Alert.tsx'
import { formatDay } from '../format.ts'

export function EndingPlan({ view }: { view: OrganizationView }) {
  const { data } = useQuery(organizationSubscriptionQuery(useApi(), view))
  const cancel_at = data?.hasSubscription ? data.subscription?.cancel_at : null
  if (!cancel_at) return null
  return (
    <div className="mb-5">
      <Alert tone="caution" title={`The subscription ends on ${formatDay(cancel_at)}`}>
        Everyone keeps their seat until then.
      </Alert>
    </div>
  )
}
