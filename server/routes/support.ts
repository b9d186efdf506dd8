import { getTrace, listWork, searchSupport, visitCase } from '../../schema/api/support.ts'
import { recordAudit } from '../../schema/support/audit.ts'
import { recordVisit } from '../../schema/support/visits.ts'
import { RouteFailedError } from '../errors.ts'
import type { Failure } from '../failures.ts'
import { supportStaff } from '../rights.ts'
import { route } from '../route.ts'
import { presentVisitors } from '../support/owners.ts'
import { search } from '../support/search.ts'
import { readTrace } from '../support/trace.ts'
import { readWork } from '../support/work.ts'

/** What our tables do not hold is asked of Stripe and Clerk. */
const failure: Failure = {
  text: 'Stripe or Clerk is unavailable. Please try again in a moment.',
  stripe: (cause) => new RouteFailedError(503, 'stripe_unavailable', { retry_after_s: 5, cause }),
  clerk: (cause) => new RouteFailedError(503, 'clerk_unavailable', { retry_after_s: 5, cause }),
}

export const supportRoutes = [
  route(searchSupport, { rights: supportStaff, failure }).handle(({ query }, deps) => search(deps, query.q)),

  route(getTrace, { rights: supportStaff, failure }).handle(async ({ query, user_id }, deps) => {
    const { opened, ...trace } = await readTrace(deps, query, { user_id })
    if (opened) {
      await recordAudit(deps.db, {
        actor: user_id,
        act_id: null,
        what: 'open_case',
        outcome: 'requested',
        target: { kind: opened.owner_kind, id: opened.owner_id },
        owner: opened,
        reason: null,
        detail: 'Opened the case and saw the customer’s identity',
      })
    }
    return trace
  }),

  route(listWork, { rights: supportStaff }).handle(({ query }, deps) => readWork(deps, query)),

  route(visitCase, { rights: supportStaff }).handle(async ({ body, user_id }, deps) => {
    const { others } = await recordVisit(deps.db, { owner_id: body.owner, user_id, now: deps.now() })
    return { visitors: await presentVisitors(deps, others) }
  }),
]
