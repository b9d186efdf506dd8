import type { createCustomerPortalSession } from '../../schema/api/subscriptions.ts'
import { requireOwnId } from '../auth/own-account.ts'
import { findBuyer } from '../checkout/buyer.ts'
import { openPortal } from '../checkout/open-portal.ts'
import { personalPayer } from '../checkout/payer.ts'
import type { Handler } from '../mount.ts'

export const handleCreateCustomerPortalSession: Handler<typeof createCustomerPortalSession> = async (
  { body, user_id },
  deps,
) => {
  requireOwnId(body.userId, { user_id })
  const user = await findBuyer(deps, user_id)
  return openPortal(deps, {
    kind: 'personal',
    payer: personalPayer(user),
    return_url: `${deps.settings.app_url}/billing`,
    failure_text: 'Failed to create customer portal session',
  })
}
