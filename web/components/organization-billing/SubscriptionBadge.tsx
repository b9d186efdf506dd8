import type { OrganizationSubscription } from '../../../schema/api/organizations.ts'
import { Badge } from '../../ui/Badge.tsx'

export function SubscriptionBadge({ status }: Pick<OrganizationSubscription, 'status'>) {
  switch (status) {
    case 'active':
      return <Badge tone="positive">Active</Badge>
    case 'past_due':
      return <Badge tone="caution">Past Due</Badge>
    case 'canceled':
      return <Badge tone="critical">Cancelled</Badge>
    default:
      return <Badge>{status}</Badge>
  }
}
