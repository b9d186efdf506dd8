import type { Membership } from '../../schema/clerk/memberships.ts'
import { findSubscription } from '../../schema/subscriptions/subscriptions.ts'
import type { Dependencies } from '../dependencies.ts'
import { organizationNotInitialized, ServerError } from '../errors.ts'
import { requireAdmin } from './membership.ts'

export interface OrganizationClaim {
  readonly org_id?: string | undefined
  /** Stripe's id; a payment page knows no more than that. */
  readonly subscription_id?: string | undefined
}

/**
 * The organization that a request names, by its own id or by that of its subscription, when the caller is an admin of it. A
 * subscription that is not there yet, or is none of the caller's, is all the same to them.
 */
export async function requireAdminOfNamed(
  deps: Pick<Dependencies, 'db' | 'clerk'>,
  claim: OrganizationClaim & { readonly user_id: string },
  { doing }: { doing: string },
): Promise<Membership> {
  const { user_id } = claim
  if (claim.org_id !== undefined) {
    return requireAdmin(deps, { organization_id: claim.org_id, user_id }, { doing })
  }
  const subscription = await findSubscription(deps.db, claim.subscription_id ?? '')
  if (subscription?.owner_kind !== 'organization') throw organizationNotInitialized()
  try {
    return await requireAdmin(deps, { organization_id: subscription.owner_id, user_id }, { doing })
  } catch (error) {
    throw error instanceof ServerError && error.status === 404 ? organizationNotInitialized() : error
  }
}
