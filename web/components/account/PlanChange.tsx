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

/** The other period; null while it cannot be changed. */
export function planChangeOf({
  status,
  billing_frequency,
  cancel_at,
  scheduled_change,
}: PlanChangeProps['subscription']): BillingFrequency | null {
  const isChangeable = (status === 'active' || status === 'trialing') && !cancel_at && !scheduled_change
  if (!isChangeable) return null
  return billing_frequency === 'monthly' ? 'yearly' : 'monthly'
}

/** Monthly to yearly billing or back. */
export function PlanChange({ payer, subscription }: PlanChangeProps) {
  const [isOpen, setIsOpen] = useState(false)
  const PlanChangeDialog = useLater(loadDialog)
  const to = planChangeOf(subscription)
  if (!to) return null
  return (
    <>
      <Button variant="secondary" size="small" disabled={!PlanChangeDialog} onClick={() => setIsOpen(true)}>
        Switch to {to} billing
      </Button>
      {PlanChangeDialog && (
        <PlanChangeDialog payer={payer} to={to} open={isOpen} onClose={() => setIsOpen(false)} />
      )}
    </>
  )
}
