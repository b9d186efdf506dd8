import type { topUpOrganizationCredits } from '../../schema/api/organizations.ts'
import { defaultCurrency } from '../../schema/catalogue/currency.ts'
import { findLiveSubscription } from '../../schema/subscriptions/subscriptions.ts'
import { organizationPayer } from '../checkout/payer.ts'
import { withSessionId } from '../checkout/return-address.ts'
import { startCreditPurchase } from '../checkout/start-credit-purchase.ts'
import type { Handler } from '../mount.ts'
import { requireAdmin } from '../organizations/membership.ts'

/** The request names no currency: an organization pays its credits in that of its plan. */
export const handleTopUpOrganizationCredits: Handler<typeof topUpOrganizationCredits> = async (
  { body, user_id, trace },
  deps,
) => {
  const organization_id = body.org_id
  const admin = await requireAdmin(deps, { organization_id, user_id }, { doing: 'top up credits' })
  const owner = { owner_kind: 'organization', owner_id: organization_id } as const
  const subscription = await findLiveSubscription(deps.db, owner)
  const { app_url } = deps.settings
  const { url, ...checkout } = await startCreditPurchase(
    deps,
    {
      user_id,
      payer: { ...organizationPayer(admin), owner },
      credits: body.credits_amount,
      currency: subscription?.currency ?? defaultCurrency,
      returns: {
        success_url: withSessionId(`${app_url}/billing/success`),
        cancel_url: `${app_url}/organizations`,
      },
      failure_text: 'Failed to create top-up session',
    },
    trace,
  )
  return { checkout_url: url, ...checkout }
}
