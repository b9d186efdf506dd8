import type { createCreditTopupSession } from '../../schema/api/checkout.ts'
import { requireOwnId } from '../auth/own-account.ts'
import { returnAddresses } from '../checkout/return-address.ts'
import { startCreditPurchase } from '../checkout/start-credit-purchase.ts'
import type { Handler } from '../mount.ts'

export const handleCreateCreditTopupSession: Handler<typeof createCreditTopupSession> = async (
  { body, user_id, trace },
  deps,
) => {
  requireOwnId(body.clerkUserId, { user_id })
  return startCreditPurchase(
    deps,
    {
      user_id,
      credits: body.creditsAmount,
      currency: body.currency,
      returns: returnAddresses(deps.settings, body),
      failure_text: 'Failed to create top-up session',
    },
    trace,
  )
}
