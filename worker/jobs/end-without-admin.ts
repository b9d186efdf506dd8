import type Stripe from 'stripe'
import { findStripeCustomer } from '../../schema/billing/customers/customers.ts'
import type { Subscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import { hasLeft, lacksAdmin } from '../../schema/people/members/members.ts'
import { findUser } from '../../schema/people/users/users.ts'
import type { Membership } from '../../schema/vendors/clerk/memberships.ts'
import { releaseSchedule } from '../../schema/vendors/stripe/subscription-schedule.ts'
import type { WorkerDependencies } from '../dependencies.ts'

/** Of our cancellation: one that is undone takes it along, and one of the customer's own has none of ours. */
const comment = 'Its organization has no admin'

/**
 * No member of an organization without an admin can cancel its plan: it is not renewed, which every member reads
 * on their account page, until it has an admin again. Clerk's API lets no last admin leave or step down
 * (`organization_minimum_permissions_needed`, https://clerk.com/docs/errors/organizations), but their account
 * can be deleted, and Clerk's guide has organizations whose last admin was removed or downgraded ("Invalid
 * states", https://github.com/clerk/clerk-docs/commit/ce23ba93f3282d41c886ef2d9c21909a86a8c42b). Invoices go to an admin who is there, not
 * to the address of a person who is gone.
 */
export async function endWithoutAdmin(
  deps: Pick<WorkerDependencies, 'db' | 'clerk' | 'stripe'>,
  { owner_id, user_id, ended_at, cancel_at, stripe_subscription_id: id }: Subscription,
): Promise<void> {
  if (kindOf(owner_id) !== 'organization' || ended_at) return
  const key = { organization_id: owner_id, user_id }
  if (!cancel_at && !(await lacksAdmin(deps.db, owner_id)) && !(await hasLeft(deps.db, key))) return
  const members = await deps.clerk.listMembers(owner_id)
  if (!members) return
  const admin = members.find(({ role }) => role === 'admin')
  await leaveAddressOfGone(deps, owner_id, members)
  if (admin && cancel_at) return resume(deps.stripe, id)
  if (admin || cancel_at) return
  await releaseSchedule(deps.stripe, id)
  await deps.stripe.subscriptions.update(id, {
    cancel_at_period_end: true,
    cancellation_details: { comment },
  })
}

/** Undoes the cancellation above, and no other. */
async function resume(stripe: Stripe, id: string): Promise<void> {
  const { cancel_at_period_end, cancellation_details } = await stripe.subscriptions.retrieve(id)
  if (!cancel_at_period_end || cancellation_details?.comment !== comment) return
  await stripe.subscriptions.update(id, {
    cancel_at_period_end: false,
    cancellation_details: { comment: '' },
  })
}

/** One that the customer has set in the billing portal stays. */
async function leaveAddressOfGone(
  { db, stripe }: Pick<WorkerDependencies, 'db' | 'stripe'>,
  owner_id: string,
  members: readonly Membership[],
): Promise<void> {
  const id = await findStripeCustomer(db, owner_id)
  const customer = id && (await stripe.customers.retrieve(id))
  const buyer = customer && !customer.deleted && customer.metadata.clerkUserId
  if (!buyer || members.some(({ user_id }) => user_id === buyer)) return
  const admin = members.find(({ role }) => role === 'admin')
  const left = (await findUser(db, buyer))?.email.toLowerCase()
  const isTheirs = !customer.email || customer.email.toLowerCase() === left
  await stripe.customers.update(id, {
    metadata: { clerkUserId: admin?.user_id ?? '' },
    ...(isTheirs && { email: admin?.email ?? '' }),
  })
}
