import { actOf } from '../api/support-acts.ts'
import { kindOf } from '../ledger/accounts.ts'
import type { ClerkDirectory } from '../vendors/clerk/directory.ts'
import type { SupportActRow } from './acts.ts'

/** Whether a person works at the terminal, where no session proves who they are. */
export function isAtTerminal(actor: string): boolean {
  return actor.startsWith('cli:')
}

/**
 * Whether an act changes what is the person's own: their account, or an organization that they are a member
 * of. Throws ClerkUnavailableError.
 */
export async function isOwn(
  clerk: Pick<ClerkDirectory, 'findMembership'>,
  user_id: string,
  owner_id: string | null,
): Promise<boolean> {
  if (!owner_id || isAtTerminal(user_id)) return false
  if (kindOf(owner_id) === 'user') return owner_id === user_id
  return (await clerk.findMembership({ organization_id: owner_id, user_id })) !== null
}

/** Whether a person can have no part in an act on what is their own. */
export function mayNotBeOwn({ kind, is_dry_run }: Pick<SupportActRow, 'kind' | 'is_dry_run'>): boolean {
  return actOf(kind)?.not_on_own === true && !is_dry_run
}
