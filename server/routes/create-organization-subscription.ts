import type { createOrganizationSubscription } from '../../schema/api/organizations.ts'
import { defaultCurrency } from '../../schema/catalogue/currency.ts'
import { findBuyer } from '../checkout/buyer.ts'
import { organizationPayer } from '../checkout/payer.ts'
import { withSessionId } from '../checkout/return-address.ts'
import { startSubscription } from '../checkout/start-subscription.ts'
import type { Handler } from '../mount.ts'
import { requireAdmin } from '../organizations/membership.ts'

export const handleCreateOrganizationSubscription: Handler<typeof createOrganizationSubscription> = async (
  { body, user_id, trace },
  deps,
) => {
  const organization_id = body.clerk_org_id
  const admin = await requireAdmin(deps, { organization_id, user_id }, { doing: 'manage billing' })
  await findBuyer(deps, user_id)
  const { app_url } = deps.settings
  const { url, ...checkout } = await startSubscription(
    deps,
    {
      request: {
        user_id,
        owner_kind: 'organization',
        owner_id: organization_id,
        plan_type: body.plan_type,
        billing_frequency: body.billing_frequency,
        currency: defaultCurrency,
        seats: body.seats_total,
      },
      payer: organizationPayer(admin),
      shown_price: undefined,
      returns: {
        success_url: withSessionId(`${app_url}/payment/success`),
        cancel_url: `${app_url}/organizations`,
      },
      failure_text: 'Failed to create subscription',
    },
    trace,
  )
  return { checkout_url: url, ...checkout }
}
