import { html } from '../html.ts'
import { checkIcon } from '../icons.ts'
import { notices, portalPage } from './portal-layout.ts'
import type { PortalView } from './portal-view.ts'

/** The end of a flow that asked for a confirmation by the portal itself. */
export function donePage(view: PortalView, notice: string | undefined): string {
  const { session, world } = view
  const message = session.flow?.after_completion.hosted_confirmation?.custom_message
  const title = notices[notice ?? ''] ?? 'Done.'
  return portalPage(view, {
    title,
    body: html`<div class="step"><div class="sign good" style="margin:0 0 1.25rem">${checkIcon}</div><h1>${title}</h1>
${message ? html`<p class="lead">${message}</p>` : null}
${session.return_url ? html`<a class="action" href="${session.return_url}">Return to ${world.options.business_name}</a>` : null}</div>`,
  })
}
