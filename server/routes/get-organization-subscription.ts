import type { getOrganizationSubscription } from '../../schema/api/organizations.ts'
import type { Handler } from '../mount.ts'
import { requireMembership } from '../organizations/membership.ts'
import { findShownSubscription } from '../organizations/shown-subscription.ts'

/** A plan that has ended is shown as ended; the answer says "none" only when the organization never had one. */
export const handleGetOrganizationSubscription: Handler<typeof getOrganizationSubscription> = async (
  { query, user_id },
  deps,
) => {
  await requireMembership(deps, { organization_id: query.orgId, user_id })
  return findShownSubscription(deps.db, query.orgId)
}
