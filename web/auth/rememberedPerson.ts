import { browserStores } from '../components/credits/browserStores.ts'

export interface RememberedPerson {
  readonly userId: string
  /** As calls name it: `personal`, or the organization's id. */
  readonly payer: string
}

/**
 * Who is signed in by Clerk's cookie, before Clerk's script is there to say so. It may be out of date, so it shows
 * nothing but what this browser keeps for that person. The cookie can be read by pages, and has the organization
 * under `o`: https://clerk.com/docs/guides/sessions/session-tokens
 */
export function rememberedPerson(cookies = document.cookie): RememberedPerson | null {
  const people = [...cookies.matchAll(/(?:^|; )__session(?:_[\w-]+)?=[\w-]+\.([\w-]+)\./g)].map(
    ([, claims]) => personOf(claims ?? ''),
  )
  const [person = null] = people
  // Of another application at the same host, or of before a switch.
  const isOne = people.every((other) => other?.userId === person?.userId && other?.payer === person?.payer)
  return isOne ? person : null
}

function personOf(claims: string): RememberedPerson | null {
  const token = attempt(() => JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))))
  if (typeof token?.sub !== 'string' || token.sts === 'pending') return null
  return { userId: token.sub, payer: token.o?.id ?? 'personal' }
}

const name = 'kept-for-person'

/** Keeps one value for a person. It replaces what was kept before, also for another person. */
export function keepForPerson(userId: string, value: object): void {
  const kept = { ...value, user_id: userId, sessions: sessionsOf(document.cookie) }
  // Nothing depends on it where the store is full.
  attempt(() => browserStores().local.setItem(name, JSON.stringify(kept)))
}

/** What is kept for this person, while the sessions of this browser are the same; not yet checked. */
export function readForPerson(userId: string): unknown {
  const kept = keptNow()
  return kept?.user_id === userId && kept.sessions === sessionsOf(document.cookie) ? kept : null
}

/** When they changed last: the other cookie is older after a sign-in or sign-out on a page of Clerk's. */
function sessionsOf(cookies: string): string {
  return [...cookies.matchAll(/__client_uat(?:_[\w-]+)?=\d+/g)].sort().join()
}

/** Removes what is kept for another person, or with `null` for any. */
export function forgetOthers(userId: string | null): void {
  if (userId === null || keptNow()?.user_id !== userId) browserStores().local.removeItem(name)
}

function keptNow(): { user_id: unknown; sessions: unknown } | null {
  return attempt(() => JSON.parse(browserStores().local.getItem(name) ?? 'null'))
}

function attempt<Result>(work: () => Result): Result | null {
  try {
    return work()
  } catch {
    return null
  }
}
