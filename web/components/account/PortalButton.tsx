import type { ComponentProps } from 'react'
import type { PayerView } from '../../api/account.ts'
import { Button } from '../../ui/Button.tsx'
import { type PortalFlow, usePortal } from './usePortal.ts'

interface PortalButtonProps extends Pick<ComponentProps<typeof Button>, 'variant' | 'size'> {
  payer: PayerView
  label?: string
  flow?: PortalFlow
}

/** Opens the hosted billing portal, where a subscriber changes the card, sees invoices and cancels. */
export function PortalButton({
  payer,
  label = 'Manage billing',
  variant = 'secondary',
  size = 'small',
  flow,
}: PortalButtonProps) {
  const portal = usePortal(payer)
  return (
    <Button variant={variant} size={size} busy={portal.processing} onClick={() => portal.open(flow)}>
      {portal.processing ? 'Loading...' : label}
    </Button>
  )
}
