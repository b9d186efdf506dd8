import type { RouterContext } from '@koa/router'
import type { StoredSubscription } from '../../entities.ts'
import type { PortalView } from './portal-view.ts'

/** A page about one subscription of the session's customer. */
export type PlanHandler = (
  context: RouterContext,
  view: PortalView,
  subscription: StoredSubscription,
) => void | Promise<void>

export type WithPlan = (handler: PlanHandler) => (context: RouterContext) => Promise<void>

/** After a change the browser fetches the next page, so that going back or reloading changes nothing again. */
export function seeOther(context: RouterContext, location: string): void {
  context.status = 303
  context.set('location', location)
}
