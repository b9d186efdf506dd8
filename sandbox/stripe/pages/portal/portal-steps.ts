import { type Html, html } from '../../../kit/html.ts'
import { formatDay } from '../../entities/format.ts'
import { periodOf } from '../../entities/subscription-item.ts'
import type { StoredSubscription } from '../../state.ts'
import { cardFields, type FieldErrors, type Typed, testCardHints } from '../card-form.ts'
import { checkIcon } from '../layout.ts'
import { describePlan } from './describe-plan.ts'
import { notices, portalPage, stepPage } from './portal-layout.ts'
import { type PortalView, portalPath } from './portal-view.ts'

const reasons: Record<string, string> = {
  customer_service: 'Customer service was less than expected',
  low_quality: 'Quality was less than expected',
  missing_features: 'I need more features',
  other: 'Other reason',
  switched_service: 'I found an alternative',
  too_complex: 'Ease of use was less than expected',
  too_expensive: 'It’s too expensive',
  unused: 'I no longer need it',
}

/** The last question before a plan ends, at the end of its period or now, as the configuration has it. */
export function cancelPage(view: PortalView, subscription: StoredSubscription): string {
  const { mode, cancellation_reason, proration_behavior } = view.configuration.features.subscription_cancel
  const { name, amount, per } = describePlan(view.service, subscription)
  const day = formatDay(periodOf(subscription).end)
  const is_immediate = mode === 'immediately'
  const credit =
    is_immediate && proration_behavior !== 'none' ? ' The time that is left is credited to your account.' : ''
  return stepPage(view, {
    title: 'Cancel your plan',
    body: html`<div class="step"><p class="lead">${
      is_immediate
        ? `Your plan ends as soon as you confirm.${credit}`
        : `Your plan will be canceled, but is still available until the end of your billing period on ${day}.`
    }</p>
<dl class="bill"><div><dt>${name}</dt><dd>${amount} ${per}</dd></div>
<div><dt>${is_immediate ? 'Ends' : 'Available until'}</dt><dd>${is_immediate ? 'Now' : day}</dd></div></dl>
<form method="post" action="${portalPath(view, `/subscriptions/${subscription.id}/cancel`)}">
${cancellation_reason.enabled ? reasonChoices(cancellation_reason.options) : null}
<button class="danger" type="submit">Cancel plan</button></form></div>`,
  })
}

function reasonChoices(options: readonly string[]): Html {
  return html`<h2>Why do you cancel?</h2><div class="choices" role="radiogroup" aria-label="Reason">
${options.map((option) => html`<label><input type="radio" name="feedback" value="${option}"><span>${reasons[option] ?? option}</span></label>`)}</div>
<label for="comment">Anything else? (optional)</label><input id="comment" name="comment" maxlength="500">`
}

export type CardPageState = {
  typed: Pick<Typed, 'expiry' | 'name' | 'number'>
  errors: FieldErrors
  declined: string | null
}

export function cardPage(view: PortalView, { typed, errors, declined }: CardPageState): string {
  return stepPage(view, {
    title: view.method ? 'Change your payment method' : 'Add a payment method',
    body: html`<div class="step">${declined ? html`<p class="alert" role="alert">${declined}</p>` : null}
<p class="lead">Your next payments are made with this card.</p>
<form method="post" action="${portalPath(view, '/payment-method')}" novalidate>
${cardFields({ typed, errors })}
<button type="submit">Save card</button></form>
${testCardHints}</div>`,
  })
}

/** The end of a flow that asked for a confirmation by the portal itself. */
export function donePage(view: PortalView, notice: string | undefined): string {
  const { session, service } = view
  const message = session.flow?.after_completion.hosted_confirmation?.custom_message
  const title = notices[notice ?? ''] ?? 'Done.'
  return portalPage(view, {
    title,
    body: html`<div class="step"><div class="sign good" style="margin:0 0 1.25rem">${checkIcon}</div><h1>${title}</h1>
${message ? html`<p class="lead">${message}</p>` : null}
${session.return_url ? html`<a class="action" href="${session.return_url}">Return to ${service.settings.businessName}</a>` : null}</div>`,
  })
}
