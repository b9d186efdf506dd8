import { ShieldAlert } from 'lucide-react'
import { Card } from '../ui/Card.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

/** In place of what only the administrators of an organization can do or see. */
export function AdminsOnly({ what }: { what: string }) {
  return (
    <Card>
      <EmptyState icon={ShieldAlert} title="Admin Access Required" titleAs="h2" className="py-14">
        Only organization administrators can {what}.
      </EmptyState>
    </Card>
  )
}
