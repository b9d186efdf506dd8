import type { createCreditTopupSession } from '../../schema/api/checkout.ts'
import { requireOwnId } from '../auth/own-account.ts'
import { isOwnAddress, withSessionId } from '../checkout/return-address.ts'
import { startCreditPurchase } from '../checkout/start-credit-purchase.ts'
import { foreignReturnAddress } from '../errors.ts'
import type { Handler } from '../mount.ts'

export const handleCreateCreditTopupSession: Handler<typeof createCreditTopupSession> = async (
  { body, user_id, trace },
  deps,
) => {
  requireOwnId(body.clerkUserId, { user_id })
  const { app_url } = deps.settings
  const successUrl = body.successUrl ?? `${app_url}/payment/success`
  const cancelUrl = body.cancelUrl ?? `${app_url}/payment/cancelled`
  if (!isOwnAddress(successUrl, deps.settings)) throw foreignReturnAddress('successUrl')
  if (!isOwnAddress(cancelUrl, deps.settings)) throw foreignReturnAddress('cancelUrl')
  return startCreditPurchase(
    deps,
    {
      user_id,
      credits: body.creditsAmount,
      currency: body.currency,
      returns: { success_url: withSessionId(successUrl), cancel_url: cancelUrl },
    },
    trace,
  )
}
