import type { CheckoutIntent } from '../../schema/billing/checkout/intents.ts'
import { expireIntent } from '../../schema/billing/checkout/open-checkouts.ts'
import type { WorkerDependencies } from '../dependencies.ts'

/** Sessions live for a day at Stripe; after two days a session that we do not know can no longer be paid. */
const abandonedAfterMs = 48 * 3600 * 1000

/**
 * What a payer opened so long before is looked through too: the server that wrote the intent may have been
 * ahead of Stripe.
 */
const clockToleranceMs = 24 * 3600 * 1000

/**
 * Finds the session of an intent whose server stopped between calling Stripe and recording the answer, by
 * searching the payer's sessions. An intent that never became one expires in the end. Returns the session's
 * id, if there is one.
 */
export async function findLostSession(
  deps: Pick<WorkerDependencies, 'db' | 'stripe' | 'now'>,
  intent: CheckoutIntent,
): Promise<string | undefined> {
  const customer = intent.stripe_customer_id
  if (customer) {
    const createdFrom = Math.floor((intent.created_at.getTime() - clockToleranceMs) / 1000)
    const sessions = deps.stripe.checkout.sessions.list({
      customer,
      created: { gte: createdFrom },
      limit: 100,
    })
    for await (const session of sessions) {
      if (session.client_reference_id === intent.id) return session.id
    }
  }
  if (deps.now().getTime() - intent.created_at.getTime() > abandonedAfterMs) {
    await expireIntent(deps.db, { id: intent.id, state: 'created' })
  }
  return undefined
}
