import { type Html, html } from '../../../kit/html.ts'
import { arrowIcon, checkIcon, page, sandboxBadge } from '../layout.ts'
import { script } from '../script.ts'
import { portalStyles } from './portal-styles.ts'
import { backPath, type PortalView } from './portal-view.ts'

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
): string {
  const { businessName } = service.settings
  const { headline, privacy_policy_url, terms_of_service_url } = configuration.business_profile
  const text = notices[notice ?? '']
  return page({
    title: `${title} · ${businessName}`,
    script,
    styles: portalStyles,
    body: html`<div class="portal"><header class="summary"><div>
<div class="business"><span class="mark" aria-hidden="true">${businessName.slice(0, 1).toUpperCase()}</span>${businessName} ${sandboxBadge}</div>
<p class="headline">${headline ?? `${businessName} partners with this sandbox for simplified billing.`}</p>
${session.return_url ? html`<a class="return" href="${session.return_url}">${arrowIcon}<span>Return to ${businessName}</span></a>` : null}
<p class="fine">This page stands in for Stripe’s billing portal.
${terms_of_service_url ? html`<a href="${terms_of_service_url}">Terms</a> ` : null}
${privacy_policy_url ? html`<a href="${privacy_policy_url}">Privacy</a>` : null}</p>
</div></header><main><div>
${text ? html`<p class="notice" role="status">${checkIcon}${text}</p>` : null}
${body}</div></main></div>`,
  })
}

/** A page of one step, with the way back above its title. */
export function stepPage(view: PortalView, { title, body }: { title: string; body: Html }): string {
  return portalPage(view, {
    title,
    body: html`<a class="back" href="${backPath(view)}">${arrowIcon}<span>Go back</span></a><h1>${title}</h1>${body}`,
  })
}
