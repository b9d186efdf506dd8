import type { createCheckoutSession } from '../../schema/api/subscriptions.ts'
import { requireOwnId } from '../auth/own-account.ts'
import { findBuyer } from '../checkout/buyer.ts'
import { newOrganizationPayer, personalPayer } from '../checkout/payer.ts'
import { returnAddresses } from '../checkout/return-address.ts'
import { startSubscription } from '../checkout/start-subscription.ts'
import { oneSeatOnly } from '../errors.ts'
import type { Handler } from '../mount.ts'

/** Pro for the caller, or Teams for an organization that is made when it is paid. */
export const handleCreateCheckoutSession: Handler<typeof createCheckoutSession> = async (
  { body, user_id, trace },
  deps,
) => {
  requireOwnId(body.clerkUserId, { user_id })
  const isTeam = body.planType === 'teams'
  if (!isTeam && body.seats !== 1) throw oneSeatOnly()
  const returns = returnAddresses(deps.settings, body)
  const user = await findBuyer(deps, user_id)
  return startSubscription(
    deps,
    {
      request: {
        user_id,
        owner_kind: isTeam ? 'organization' : 'user',
        owner_id: isTeam ? null : user_id,
        plan_type: body.planType,
        billing_frequency: body.billingFrequency,
        currency: body.currency,
        seats: body.seats,
      },
      payer: isTeam ? newOrganizationPayer(user) : personalPayer(user),
      shown_price: body.priceId,
      returns,
      failure_text: 'Failed to create checkout session',
    },
    trace,
  )
}
