import { type CheckoutIntent, lockIntent } from '../../../schema/billing/checkout/intents.ts'
import { setOwner } from '../../../schema/billing/checkout/outcomes.ts'
import { retryTransaction } from '../../../schema/database/retry.ts'
import { findUser } from '../../../schema/people/users/users.ts'
import type { WorkerDependencies } from '../../dependencies.ts'

/**
 * Creates the organization of a Teams plan that was bought without one, once: the intent stays locked
 * meanwhile, and an organization that a crashed attempt created is found at Clerk first.
 */
export async function ensureOrganization(
  deps: Pick<WorkerDependencies, 'db' | 'organizations'>,
  { id }: CheckoutIntent,
): Promise<void> {
  await retryTransaction(deps.db, async (trx) => {
    const intent = await lockIntent(trx, id)
    if (!intent || intent.owner_id !== null) return
    const buyer = await findUser(trx, intent.user_id)
    const organizationId = await deps.organizations.makeOrganization({
      name: intent.organization_name ?? nameFor(buyer?.first_name ?? null),
      created_by: intent.user_id,
      intent_id: intent.id,
      seats: intent.seats ?? 1,
    })
    await setOwner(trx, { id: intent.id, owner_id: organizationId })
  })
}

/** Its admins can rename it; until then its name should show whose it is. */
function nameFor(firstName: string | null): string {
  return firstName ? `${firstName}’s team` : 'My team'
}
