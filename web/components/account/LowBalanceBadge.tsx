import type { AccountSummary } from '../../../schema/api/account.ts'
import { Badge } from '../../ui/Badge.tsx'
import { lowBalanceTone } from './notices.ts'

/** In the color of its notice. */
export function LowBalanceBadge({ summary }: { summary: AccountSummary }) {
  const tone = lowBalanceTone(summary)
  return <Badge tone={tone === 'info' ? 'accent' : tone}>Low balance</Badge>
}
