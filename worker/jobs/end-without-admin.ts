import { findStripeCustomer } from '../../schema/billing/customers/customers.ts'
import type { Subscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import { lacksAdmin } from '../../schema/people/members/members.ts'
import { isDeleted } from '../../schema/people/owners/deleted-owners.ts'
import { findUser } from '../../schema/people/users/users.ts'
import { releaseSchedule } from '../../schema/vendors/stripe/subscription-schedule.ts'
import type { WorkerDependencies } from '../dependencies.ts'

/**
 * Nobody in an organization without an admin can cancel its plan: it is not renewed, which every member reads
 * on their account page, until an admin resumes it. Clerk lets no last admin leave or step down
 * (`organization_minimum_permissions_needed`, https://clerk.com/docs/errors/organizations), but their account
 * can be deleted. Invoices go to an admin who is there, not to the address of a person who is gone.
 */
export async function endWithoutAdmin(
  deps: Pick<WorkerDependencies, 'db' | 'clerk' | 'stripe'>,
  { owner_id, user_id, ended_at, cancel_at, stripe_subscription_id: id }: Subscription,
): Promise<void> {
  if (kindOf(owner_id) !== 'organization' || ended_at) return
  if (!(await lacksAdmin(deps.db, owner_id)) && !(await isDeleted(deps.db, user_id))) return
  const members = await deps.clerk.listMembers(owner_id)
  if (!members) return
  const admin = members.find(({ role }) => role === 'admin')
  await leaveAddressOfDeleted(deps, owner_id, admin)
  if (admin || cancel_at) return
  await releaseSchedule(deps.stripe, id)
  await deps.stripe.subscriptions.update(id, { cancel_at_period_end: true })
}

/** One that the customer has set in the billing portal stays. */
async function leaveAddressOfDeleted(
  { db, stripe }: Pick<WorkerDependencies, 'db' | 'stripe'>,
  owner_id: string,
  admin: { readonly user_id: string; readonly email: string | null } | undefined,
): Promise<void> {
  const id = await findStripeCustomer(db, owner_id)
  const customer = id && (await stripe.customers.retrieve(id))
  const buyer = customer && !customer.deleted && customer.metadata.clerkUserId
  if (!buyer || !(await isDeleted(db, buyer))) return
  const left = (await findUser(db, buyer))?.email.toLowerCase()
  const isTheirs = !customer.email || customer.email.toLowerCase() === left
  await stripe.customers.update(id, {
    metadata: { clerkUserId: admin?.user_id ?? '' },
    ...(isTheirs && { email: admin?.email ?? '' }),
  })
}
