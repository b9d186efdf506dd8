import type { ResponseOf } from '../../schema/api/endpoint.ts'
import { getTrace, listWork, searchSupport } from '../../schema/api/support.ts'
import { isOwnerId } from '../../schema/ledger/accounts.ts'
import { countSearches, recordLook } from '../../schema/support/audit.ts'
import { openCase } from '../../schema/support/visits.ts'
import type { Dependencies } from '../dependencies.ts'
import { RouteFailedError, supportItemNotFound, tooManyRequests } from '../errors.ts'
import type { Failure } from '../failures.ts'
import { supportStaff } from '../rights.ts'
import { route } from '../route.ts'
import { search } from '../support/search.ts'
import { readTrace } from '../support/trace.ts'
import { readWork } from '../support/work.ts'

/** What our tables do not hold is asked of Stripe and Clerk. */
const failure: Failure = {
  text: 'Stripe or Clerk is unavailable. Please try again in a moment.',
  stripe: (cause) => new RouteFailedError(503, 'stripe_unavailable', { retry_after_s: 5, cause }),
  clerk: (cause) => new RouteFailedError(503, 'clerk_unavailable', { retry_after_s: 5, cause }),
}

/** More than a person needs; a program that copies all customers gets no further. */
const searchesPerDay = 500
const searchWait_s = 3600

function ownerOf({ matches }: ResponseOf<typeof searchSupport>): string | null {
  const owner = matches[0]?.owner
  return owner ? owner.id : null
}

export const supportRoutes = [
  route(searchSupport, { rights: supportStaff, failure }).handle(async ({ query, user_id: actor }, deps) => {
    const look = { actor, what: 'search' } as const
    if ((await countSearches(deps.db, { actor, most: searchesPerDay })) === searchesPerDay)
      throw tooManyRequests(searchWait_s)
    const found = await search(deps, query.q)
    // Not the text, which may be an address: whom it led to.
    const detail = `${found.recognized_as.join(', ') || 'unknown form'}: ${found.matches.length} found`
    const owners = new Set(found.matches.map(({ owner }) => owner?.id))
    await recordLook(deps.db, { ...look, detail, owner_id: owners.size === 1 ? ownerOf(found) : null })
    return found
  }),

  route(getTrace, { rights: supportStaff, failure }).handle(({ query, ...visitor }, deps) =>
    readTrace(deps, query, visitor),
  ),

  route(listWork, { rights: supportStaff }).handle(({ query }, deps) => readWork(deps, query)),
]

/** Opens the case of an owner by id: a visit, and where it is new an entry in the audit log. */
export async function openCaseOf(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  owner_id: string,
  user_id: string,
): Promise<string> {
  if (!isOwnerId(owner_id)) throw supportItemNotFound()
  await openCase(db, { owner_id, user_id, now: now() })
  return owner_id
}
