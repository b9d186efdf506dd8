import { findStripeCustomer, keepStripeCustomer, type UserRecord } from '../../schema/users/users.ts'
import type { Dependencies } from '../dependencies.ts'

/**
 * The payer's customer at Stripe, made at the first purchase. Stripe repeats its answer to a key for a day, failures too, so the
 * key is the intent's: a bad minute at Stripe must not keep somebody from buying until tomorrow. Two tabs may make two
 * customers; the first that is kept is used by both.
 */
export async function ensureStripeCustomer(
  deps: Pick<Dependencies, 'db' | 'stripe'>,
  user: UserRecord,
  intentId: string,
): Promise<string> {
  const owner = { owner_kind: 'user', owner_id: user.clerk_id } as const
  const known = await findStripeCustomer(deps.db, owner)
  if (known) return known
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ')
  const customer = await deps.stripe.customers.create(
    { email: user.email, ...(name && { name }), metadata: { clerkUserId: user.clerk_id } },
    { idempotencyKey: `customer/${intentId}` },
  )
  return keepStripeCustomer(deps.db, { ...owner, customer_id: customer.id })
}
