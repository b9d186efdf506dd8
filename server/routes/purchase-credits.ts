import type { purchaseCredits } from '../../schema/api/checkout.ts'
import { creditsCostMinor } from '../../schema/catalogue/credits.ts'
import { requireOwnId } from '../auth/own-account.ts'
import { withSessionId } from '../checkout/return-address.ts'
import { startCreditPurchase } from '../checkout/start-credit-purchase.ts'
import { amountMismatch } from '../errors.ts'
import type { Handler } from '../mount.ts'

export const handlePurchaseCredits: Handler<typeof purchaseCredits> = async (
  { body, user_id, trace },
  deps,
) => {
  requireOwnId(body.clerkUserId, { user_id })
  if (!isPrice(body.amount, body.credits)) throw amountMismatch(body.credits)
  const { app_url } = deps.settings
  return startCreditPurchase(
    deps,
    {
      user_id,
      credits: body.credits,
      currency: body.currency,
      returns: {
        success_url: withSessionId(`${app_url}/billing/success`),
        cancel_url: `${app_url}/payment/cancelled`,
      },
      failure_text: 'Failed to create checkout session',
    },
    trace,
  )
}

/** Major units, two decimals at most. A difference below a millionth of a cent is how computers write 1.4. */
function isPrice(amount: number, credits: number): boolean {
  return Math.abs(amount * 100 - creditsCostMinor(credits)) < 1e-6
}
