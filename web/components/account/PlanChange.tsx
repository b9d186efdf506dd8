import { useState } from 'react'
import type { AccountSubscription } from '../../../schema/api/account.ts'
import type { BillingFrequency } from '../../../schema/catalogue/plans.ts'
import type { PayerView } from '../../api/account.ts'
import { Button } from '../../ui/Button.tsx'
import { useLater } from '../../ui/useLater.ts'

interface PlanChangeProps {
  payer: PayerView
  subscription: Pick<AccountSubscription, 'status' | 'billing_frequency' | 'cancel_at' | 'scheduled_change'>
}

const loadDialog = async () => (await import('./PlanChangeDialog.tsx')).PlanChangeDialog

/** Monthly to yearly billing or back. */
export function PlanChange({ payer, subscription }: PlanChangeProps) {
  const [isOpen, setIsOpen] = useState(false)
  const PlanChangeDialog = useLater(loadDialog)
  const { status, billing_frequency, cancel_at, scheduled_change } = subscription
  const isChangeable = (status === 'active' || status === 'trialing') && !cancel_at && !scheduled_change
  if (!isChangeable) return null
  const to: BillingFrequency = billing_frequency === 'monthly' ? 'yearly' : 'monthly'
  return (
    <>
      <Button variant="quiet" size="small" disabled={!PlanChangeDialog} onClick={() => setIsOpen(true)}>
        Switch to {to} billing
      </Button>
      {PlanChangeDialog && (
        <PlanChangeDialog payer={payer} to={to} open={isOpen} onClose={() => setIsOpen(false)} />
      )}
    </>
  )
}
