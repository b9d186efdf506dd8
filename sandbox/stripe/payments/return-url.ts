import type { StoredSession } from '../entities.ts'

/** Where the buyer goes after paying: Stripe puts the session's id where the template asks for it. */
export function returnUrl({ id, success_url }: StoredSession): string | null {
  return success_url?.replaceAll('{CHECKOUT_SESSION_ID}', id) ?? null
}
