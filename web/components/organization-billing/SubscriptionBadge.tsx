import type { AccountSubscription } from '../../../schema/api/account.ts'
import { Badge } from '../../ui/Badge.tsx'

type Shown = Pick<AccountSubscription, 'status' | 'cancel_at' | 'ended_at'>

export function SubscriptionBadge({ status, cancel_at, ended_at }: Shown) {
  if (ended_at !== null || status === 'canceled') return <Badge tone="critical">Canceled</Badge>
  if (status === 'past_due') return <Badge tone="caution">Past Due</Badge>
  if (status === 'unpaid') return <Badge tone="critical">Unpaid</Badge>
  if (status === 'paused') return <Badge>Paused</Badge>
  if (cancel_at !== null) return <Badge tone="caution">Ends soon</Badge>
  if (status === 'trialing') return <Badge tone="accent">Free trial</Badge>
  return status === 'active' ? <Badge tone="positive">Active</Badge> : <Badge>{status}</Badge>
}
