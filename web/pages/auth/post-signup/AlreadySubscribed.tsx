import { BadgeCheck } from 'lucide-react'
import type { PayerView } from '../../../api/account.ts'
import { PortalButton } from '../../../components/account/PortalButton.tsx'
import { RouteButton } from '../../../components/RouteButton.tsx'
import { StatusView } from '../../../components/StatusView.tsx'

interface AlreadySubscribedProps {
  text: string
  /** The billing portal for changes; `null` when only the Organizations page can lead there. */
  portal: PayerView | null
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
            <PortalButton payer={portal} variant="primary" size="medium" />
          ) : (
            <RouteButton to="/organizations">Go to organizations</RouteButton>
          )}
          <RouteButton to="/dashboard" variant="secondary">
            Go to Dashboard
          </RouteButton>
        </>
      }
    />
  )
}
