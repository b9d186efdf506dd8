import type { createOrganizationBillingPortal } from '../../schema/api/organizations.ts'
import { openPortal } from '../checkout/open-portal.ts'
import { organizationPayer } from '../checkout/payer.ts'
import type { Handler } from '../mount.ts'
import { requireAdmin } from '../organizations/membership.ts'

export const handleCreateOrganizationBillingPortal: Handler<typeof createOrganizationBillingPortal> = async (
  { body, user_id },
  deps,
) => {
  const organization = { organization_id: body.clerk_org_id, user_id }
  const admin = await requireAdmin(deps, organization, { doing: 'manage billing' })
  return openPortal(deps, {
    kind: 'organization',
    payer: organizationPayer(admin),
    return_url: `${deps.settings.app_url}/organizations`,
    failure_text: 'Failed to open billing portal',
  })
}
