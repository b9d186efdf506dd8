import type { Clerk } from './clerk.ts'

/** Whether the user is on the support staff. Throws ClerkUnavailableError. */
export type SupportStaff = (
  deps: { readonly clerk: Pick<Clerk, 'isSupportStaff'>; readonly now: () => Date },
  userId: string,
) => Promise<boolean>

/** How long Clerk's answer is cached: a removed role ends the access within this time. */
const answerIsGoodMs = 15_000
/** Every signed-in user can cause an entry. */
const rememberedMax = 1000

/** Asks Clerk and caches answers per server for a few seconds, since a page makes several calls. */
export function createSupportStaff(): SupportStaff {
  const answers = new Map<string, { readonly isStaff: Promise<boolean>; readonly asked_at_ms: number }>()
  return ({ clerk, now }, userId) => {
    const now_ms = now().getTime()
    const known = answers.get(userId)
    const age_ms = known ? now_ms - known.asked_at_ms : Number.POSITIVE_INFINITY
    // A clock that is put back must not keep an answer alive.
    if (known && age_ms >= 0 && age_ms < answerIsGoodMs) return known.isStaff
    const isStaff = clerk.isSupportStaff(userId)
    answers.delete(userId)
    answers.set(userId, { isStaff, asked_at_ms: now_ms })
    isStaff.catch(() => {
      if (answers.get(userId)?.isStaff === isStaff) answers.delete(userId)
    })
    const [oldest] = answers.keys()
    if (answers.size > rememberedMax && oldest !== undefined) answers.delete(oldest)
    return isStaff
  }
}
