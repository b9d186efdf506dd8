import type { getOrganizationCredits } from '../../schema/api/organizations.ts'
import type { Handler } from '../mount.ts'
import { findCreditPool } from '../organizations/credit-pool.ts'
import { requireMembership } from '../organizations/membership.ts'

export const handleGetOrganizationCredits: Handler<typeof getOrganizationCredits> = async (
  { query, user_id },
  deps,
) => {
  await requireMembership(deps, { organization_id: query.org_id, user_id })
  const pool = await findCreditPool(deps.db, query.org_id, deps.now())
  return { ...pool, since: pool.since.toISOString() }
}
