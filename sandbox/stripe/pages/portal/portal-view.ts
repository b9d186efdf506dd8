import type { RouterContext } from '@koa/router'
import { defaultMethod } from '../../entities/customer.ts'
import { hasEnded } from '../../entities/subscription.ts'
import type { Service } from '../../service.ts'
import type {
  StoredCustomer,
  StoredInvoice,
  StoredPaymentMethod,
  StoredPortalConfiguration,
  StoredPortalSession,
  StoredSubscription,
} from '../../state.ts'

export type PortalView = {
  service: Service
  session: StoredPortalSession
  configuration: StoredPortalConfiguration
  customer: StoredCustomer
  /** Live subscriptions, newest first. */
  subscriptions: StoredSubscription[]
  invoices: StoredInvoice[]
  method: StoredPaymentMethod | null
}

export function portalView(service: Service, session_id: string): PortalView | null {
  const { store } = service
  const session = store.portal_sessions.get(session_id)
  const configuration = store.portal_configurations.get(session?.configuration)
  const customer = store.customers.get(session?.customer)
  if (!session || !configuration || !customer || customer.deleted) return null
  const subscriptions = [...store.subscriptions.newestFirst()].filter(
    (one) => one.customer === customer.id && !hasEnded(one),
  )
  return {
    service,
    session,
    configuration,
    customer,
    subscriptions,
    invoices: [...store.invoices.newestFirst()].filter(
      (one) => one.customer === customer.id && one.status !== 'draft',
    ),
    method: defaultMethod(service, { subscription: subscriptions[0] ?? null, customer }),
  }
}

export function portalPath({ session }: Pick<PortalView, 'session'>, rest = ''): string {
  return `/p/session/${session.id}${rest}`
}

/** In a flow there is one thing to do and one way back; elsewhere the way back is the overview. */
export function backPath(view: PortalView): string {
  const { session } = view
  return session.flow && session.return_url ? session.return_url : portalPath(view, '/overview')
}

/** Where a finished change leads: where the flow says, else to the overview, which shows it. */
export function donePath(view: PortalView, notice: string): string {
  const completion = view.session.flow?.after_completion
  if (completion?.type === 'redirect' && completion.redirect) return completion.redirect.return_url
  return portalPath(view, `/overview?notice=${notice}`)
}

/** A page about one subscription of the session's customer. */
export type PlanHandler = (
  context: RouterContext,
  view: PortalView,
  subscription: StoredSubscription,
) => void | Promise<void>

export type WithPlan = (handler: PlanHandler) => (context: RouterContext) => Promise<void>

/** After a change the browser fetches the next page, so that going back or reloading repeats nothing. */
export function seeOther(context: RouterContext, location: string): void {
  context.status = 303
  context.set('location', location)
}
