import type { RouterContext } from '@koa/router'
import { type Html, html } from '../../../kit/html.ts'
import { defaultMethod } from '../../entities/customer.ts'
import { formatDay, formatMoney } from '../../entities/format.ts'
import { intervalName, productName, unitAmount } from '../../entities/price.ts'
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
import { backArrow, type Page, sandboxBadge, script } from '../layout.ts'

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
function backPath(view: PortalView): string {
  const { session } = view
  return session.flow && session.return_url ? session.return_url : portalPath(view, '/overview')
}

/** Where a finished change leads: where the flow says, else to the overview, which shows it. */
export function donePath(view: PortalView, notice: string): string {
  const completion = view.session.flow?.after_completion
  if (completion?.type === 'redirect' && completion.redirect) return completion.redirect.return_url
  return portalPath(view, `/overview?notice=${notice}`)
}

/** Adds a page about one subscription of the session's customer. */
export type AddPlanPage = (
  name: `${'GET' | 'POST'} ${string}`,
  handler: (
    context: RouterContext,
    view: PortalView,
    subscription: StoredSubscription,
  ) => void | Promise<void>,
) => void

const notices: Record<string, string> = {
  canceling: 'Your plan will be canceled at the end of the period.',
  card: 'Your payment method has been updated.',
  kept: 'Your plan goes on as it is.',
  planned: 'Your plan will change at the end of the period.',
  updated: 'Your plan has been updated.',
}

/** The portal's layout: the seller and the return link on the left, the content on the right. */
export function portalPage(
  { service, session, configuration }: PortalView,
  { title, body, notice }: { title: string; body: Html; notice?: string | undefined },
): Page {
  const { businessName } = service.settings
  const { headline, privacy_policy_url, terms_of_service_url } = configuration.business_profile
  const text = notices[notice ?? '']
  return {
    title: `${title} · ${businessName}`,
    script,
    body: html`<div class="portal"><header class="summary"><div>
<div class="business"><span class="mark" aria-hidden="true">${businessName.slice(0, 1).toUpperCase()}</span>${businessName} ${sandboxBadge}</div>
<p class="headline">${headline ?? `${businessName} partners with this sandbox for simplified billing.`}</p>
${session.return_url ? html`<a class="return" href="${session.return_url}">${backArrow} Return to ${businessName}</a>` : null}
<p class="fine">This page stands in for Stripe’s billing portal.
${terms_of_service_url ? html`<a href="${terms_of_service_url}">Terms</a> ` : null}
${privacy_policy_url ? html`<a href="${privacy_policy_url}">Privacy</a>` : null}</p>
</div></header><main><div>
${text ? html`<p class="notice" role="status">${text}</p>` : null}
${body}</div></main></div>`,
  }
}

/** A page of one step, with the way back above its title. */
export function stepPage(view: PortalView, { title, body }: { title: string; body: Html }): Page {
  return portalPage(view, {
    title,
    body: html`<a class="back" href="${backPath(view)}">${backArrow} Go back</a><h1>${title}</h1>${body}`,
  })
}

type PlanDescription = {
  name: string
  /** "€210.00", for all of it, and "per month". */
  amount: string
  per: string
  /** "7 × €30.00", where there is more than one. */
  count: string | null
}

export function describePlan(service: Service, { items, currency }: StoredSubscription): PlanDescription {
  const money = (amount: number) => formatMoney({ amount, currency })
  const each = items.data.map(({ price }) => unitAmount(service, price, currency))
  const total = items.data.reduce((sum, { quantity }, index) => sum + quantity * (each[index] ?? 0), 0)
  const [first] = items.data
  const is_many = items.data.length === 1 && (first?.quantity ?? 1) > 1
  return {
    name: items.data.map(({ price }) => productName(service, price)).join(' + '),
    amount: money(total),
    per: first ? `per ${intervalName(first.price)}` : '',
    count: is_many ? `${first?.quantity} × ${money(each[0] ?? 0)}` : null,
  }
}

type StateDescription = { text: string; tone: 'bad' | 'good' | 'note' }

export function describeState({ status, cancel_at, trial_end }: StoredSubscription): StateDescription {
  if (status === 'past_due') return { text: 'Past due', tone: 'bad' }
  if (status === 'incomplete') return { text: 'Incomplete', tone: 'bad' }
  if (cancel_at !== null) return { text: `Cancels ${formatDay(cancel_at)}`, tone: 'note' }
  if (status === 'trialing') return { text: `Trial ends ${formatDay(trial_end ?? 0)}`, tone: 'note' }
  return { text: 'Active', tone: 'good' }
}
