import Stripe from 'stripe'
import { failureOf } from '../../../schema/api/failures.ts'
import { findStripeCustomer, listCustomersPaidBy } from '../../../schema/billing/customers/customers.ts'
import { kindOf } from '../../../schema/ledger/accounts.ts'
import { isMissing } from '../../../schema/vendors/stripe/missing.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { reasonOf } from '../../failures.ts'

type Deps = Pick<WorkerDependencies, 'db' | 'clerk' | 'stripe'>

/**
 * Gives an owner's customer at Stripe the address and name that Clerk has now, so that invoices and receipts
 * go there (https://docs.stripe.com/receipts). What Clerk has is fetched, because events come in any order,
 * and a customer that has it already is left alone. The address of an organization's customer is that of the
 * admin who bought for it. Returns what Stripe refused, for people; else null.
 */
export async function copyContactToStripe(deps: Deps, owner_id: string): Promise<string | null> {
  const own = await findStripeCustomer(deps.db, owner_id)
  const others = kindOf(owner_id) === 'user' ? await listCustomersPaidBy(deps.db, owner_id) : []
  if (!own && others.length === 0) return null
  const identity = await deps.clerk.identify(owner_id)
  if (!identity) return null
  const { name, email } = identity
  let refusal = own ? await update(deps.stripe, own, { name, email }) : null
  for (const id of others) {
    const answer = await update(deps.stripe, id, { email, of: owner_id })
    refusal ??= answer
  }
  return refusal
}

interface Contact {
  readonly name?: string | null
  /** Null where Clerk has none: an address at Stripe is kept then. */
  readonly email: string | null
  /** The buyer whose address it has to have; left out for a customer that is the owner's own. */
  readonly of?: string
}

async function update(stripe: Stripe, id: string, { name, email, of }: Contact): Promise<string | null> {
  try {
    const customer = await stripe.customers.retrieve(id)
    if (customer.deleted || (of && customer.metadata.clerkUserId !== of)) return null
    // With an address Checkout took the name for invoices too (`customer_update`), which may be a company's.
    const isNameOurs = !customer.address
    // The portal lets a customer change address and name (https://docs.stripe.com/api/customer_portal/configurations/create,
    // `customer_update`), so Clerk's go there only when they are others than were written last.
    const isEmailNew = email && email !== (customer.metadata.clerkEmail ?? customer.email)
    const isNameNew = name && isNameOurs && name !== (customer.metadata.clerkName ?? customer.name)
    if (!isEmailNew && !isNameNew) return null
    await stripe.customers.update(id, {
      ...(isEmailNew && { email }),
      ...(isNameNew && { name }),
      metadata: { ...(isEmailNew && { clerkEmail: email }), ...(isNameNew && { clerkName: name }) },
    })
    return null
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
    // One of another account, or of a mode that the key does not have.
    return isMissing(error) ? null : failureOf('contact_refused', { reason: reasonOf(error) })
  }
}
