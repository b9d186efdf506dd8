import { Building2 } from 'lucide-react'
import { Link } from 'react-router-dom'
import { AdminsOnly } from '../../components/AdminsOnly.tsx'
import { OrganizationBilling } from '../../components/organization-billing/OrganizationBilling.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import type { Payer } from './payer.ts'

export function OrganizationTab({ payer }: { payer: Payer }) {
  if (payer.organizationName === null) return <NoOrganization />
  if (!payer.mayManage) return <AdminsOnly what="view billing settings" />
  return <OrganizationBilling organizationId={payer.payer} />
}

function NoOrganization() {
  return (
    <Card>
      <EmptyState
        icon={Building2}
        title="No Organization Selected"
        titleAs="h2"
        className="py-14"
        action={
          <Button asChild variant="secondary" size="small">
            <Link to="/organizations">Organizations</Link>
          </Button>
        }
      >
        Create or join an organization to manage billing settings.
      </EmptyState>
    </Card>
  )
}
