import { failureOf } from '../../../schema/api/failures.ts'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import { deleteSignInsOf } from '../../../schema/extension/sign-ins.ts'
import { revokeTokens } from '../../../schema/extension/tokens.ts'
import { recordBan, type UserProfile, updateProfile } from '../../../schema/people/users/users.ts'
import type { Outcome } from '../outcome.ts'

/** Between Clerk's clock and ours. */
const clockSkewMs = 60_000

/**
 * Copies a changed e-mail or name to our row of the user, which is created on the user's first visit. A user
 * who was banned loses the tokens that they had by then, and sign-ins in progress; an old event that comes
 * again leaves those alone that were made after the ban was lifted.
 */
export async function applyProfile(
  trx: DatabaseTransaction,
  heard: { readonly profile: UserProfile; readonly is_banned: boolean; readonly reason: string | null },
  now: Date,
): Promise<Outcome> {
  const { profile, is_banned, reason } = heard
  if (is_banned) {
    const made_until = new Date(profile.profile_updated_at.getTime() + clockSkewMs)
    await deleteSignInsOf(trx, profile.clerk_id)
    await revokeTokens(trx, { user_id: profile.clerk_id, now, made_until })
  }
  if (!(await updateProfile(trx, profile)))
    return { state: 'ignored', reason: failureOf('lacks', { what: 'account' }) }
  await recordBan(trx, profile, is_banned)
  return { state: 'applied', reason }
}
