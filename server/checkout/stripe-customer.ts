import { findStripeCustomer, saveStripeCustomer } from '../../schema/customers/customers.ts'
import type { Owner } from '../../schema/ledger/accounts.ts'
import type { Dependencies } from '../dependencies.ts'

/** Who Stripe writes invoices to. */
export interface Payer {
  /** Null for an organization that does not exist yet: its customer is made for this one checkout. */
  readonly owner: Owner | null
  readonly email: string
  readonly name: string | null
  /** Who acts; for an organization, the admin. */
  readonly user_id: string
}

/**
 * The payer's customer at Stripe, made when it is first needed. Stripe repeats its answer to a key for a day, failures too, so
 * the key is that of the attempt (an intent's id): a bad minute at Stripe must not keep somebody from buying until tomorrow.
 * Two tabs may make two customers; the first that is kept is used by both.
 */
export async function ensureStripeCustomer(
  deps: Pick<Dependencies, 'db' | 'stripe'>,
  payer: Payer,
  attempt: string,
): Promise<string> {
  const { owner } = payer
  const known = owner && (await findStripeCustomer(deps.db, owner))
  if (known) return known
  const customer = await deps.stripe.customers.create(
    {
      email: payer.email,
      ...(payer.name && { name: payer.name }),
      metadata: {
        clerkUserId: payer.user_id,
        ...(owner?.owner_kind === 'organization' && { organizationId: owner.owner_id }),
      },
    },
    { idempotencyKey: `customer/${attempt}` },
  )
  return owner ? saveStripeCustomer(deps.db, { ...owner, customer_id: customer.id }) : customer.id
}
