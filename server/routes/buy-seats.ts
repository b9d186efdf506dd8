import type { buySeats } from '../../schema/api/organizations.ts'
import { requireOwnId } from '../auth/own-account.ts'
import { openPortal } from '../checkout/open-portal.ts'
import { organizationPayer } from '../checkout/payer.ts'
import type { Handler } from '../mount.ts'
import { requireAdmin } from '../organizations/membership.ts'
import { moreSeats } from '../organizations/more-seats.ts'

/** Nothing is bought here: the admin confirms the prorated sum on Stripe's page, and seats change when its event is applied. */
export const handleBuySeats: Handler<typeof buySeats> = async ({ body, user_id }, deps) => {
  requireOwnId(body.clerkUserId, { user_id })
  const organization_id = body.orgId
  const admin = await requireAdmin(deps, { organization_id, user_id }, { doing: 'buy seats' })
  const update = await moreSeats(deps, { organization_id, quantity: body.quantity })
  const return_url = `${deps.settings.app_url}/organizations`
  return openPortal(deps, {
    kind: 'organization',
    payer: organizationPayer(admin),
    return_url,
    flow_data: {
      type: 'subscription_update_confirm',
      subscription_update_confirm: update,
      after_completion: { type: 'redirect', redirect: { return_url } },
    },
    failure_text: 'Failed to create checkout session',
  })
}
