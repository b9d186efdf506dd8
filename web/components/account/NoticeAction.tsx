import { Button } from '../../ui/Button.tsx'
import { AddCreditsLink } from './AddCreditsLink.tsx'
import type { Notice } from './notices.ts'
import { PortalButton } from './PortalButton.tsx'
import type { Payer } from './usePayer.ts'

interface NoticeActionProps {
  action: NonNullable<Notice['action']>
  payer: Payer
  onFollow?: () => void
}

/** The action that resolves a notice, in one click. */
export function NoticeAction({ action, payer, onFollow }: NoticeActionProps) {
  if (action.leadsTo === 'credits') return <AddCreditsLink onFollow={onFollow} />
  if (action.leadsTo === 'stripe') {
    return (
      <Button asChild variant="secondary" size="small">
        <a href={action.url} rel="noreferrer" onClick={onFollow}>
          {action.label}
        </a>
      </Button>
    )
  }
  return <PortalButton payer={payer} label={action.label} />
}
