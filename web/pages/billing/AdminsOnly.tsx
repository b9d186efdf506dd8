import { ShieldAlert } from 'lucide-react'
import { Card } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'

export function AdminsOnly() {
  return (
    <Card>
      <EmptyState icon={ShieldAlert} title="Admin Access Required" titleAs="h2" className="py-14">
        Only organization administrators can view billing settings.
      </EmptyState>
    </Card>
  )
}
