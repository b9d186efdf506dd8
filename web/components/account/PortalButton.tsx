import type { PayerView } from '../../api/account.ts'
import { Button } from '../../ui/Button.tsx'
import { type PortalFlow, usePortal } from './usePortal.ts'

interface PortalButtonProps {
  payer: PayerView
  label?: string
  flow?: PortalFlow
}

/** Opens the hosted billing portal, where a subscriber changes the card, sees invoices and cancels. */
export function PortalButton({ payer, label = 'Manage billing', flow }: PortalButtonProps) {
  const portal = usePortal(payer)
  return (
    <Button
      variant="secondary"
      size="small"
      busy={portal.processing}
      disabled={portal.processing}
      onClick={() => portal.open(flow)}
    >
      {label}
    </Button>
  )
}
