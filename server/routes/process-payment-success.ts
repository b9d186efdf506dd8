import type { processPaymentSuccess } from '../../schema/api/checkout.ts'
import { findIntentBySession } from '../../schema/checkout/intents.ts'
import { requireOwnId } from '../auth/own-account.ts'
import { requestCompletion } from '../checkout/request-completion.ts'
import { sessionNotFound } from '../errors.ts'
import type { Handler } from '../mount.ts'
import { presentFulfilment } from '../presenters/fulfilment.ts'

/** The return page says that the customer is back. It is a reason to look, never a reason to grant. */
export const handleProcessPaymentSuccess: Handler<typeof processPaymentSuccess> = async (
  { body, user_id, trace },
  deps,
) => {
  requireOwnId(body.clerkUserId, { user_id })
  const intent = await findIntentBySession(deps.db, { stripe_session_id: body.sessionId, user_id })
  if (!intent) throw sessionNotFound()
  trace.note({ intent_id: intent.id })
  if (intent.state !== 'settled') await requestCompletion(deps, intent, { cause: 'return_page', trace })
  return { success: true, fulfilment: await presentFulfilment(deps.db, intent) }
}
