import { Link } from 'react-router-dom'
import { Button } from '../../ui/Button.tsx'
import type { Notice } from './notices.ts'
import type { Payer } from './usePayer.ts'
import { usePortal } from './usePortal.ts'

interface NoticeActionProps {
  action: NonNullable<Notice['action']>
  payer: Payer
  onFollow?: () => void
}

/** One click from a notice to what ends it. */
export function NoticeAction({ action, payer, onFollow }: NoticeActionProps) {
  const portal = usePortal(payer)
  if (action.leadsTo === 'credits') {
    return (
      <Button asChild variant="secondary" size="small">
        <Link to="/dashboard#add-credits" onClick={onFollow}>
          {action.label}
        </Link>
      </Button>
    )
  }
  return (
    <Button
      variant="secondary"
      size="small"
      busy={portal.processing}
      disabled={portal.processing}
      onClick={() => portal.open()}
    >
      {action.label}
    </Button>
  )
}
