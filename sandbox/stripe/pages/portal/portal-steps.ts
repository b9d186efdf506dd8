import { html } from '../../../kit/html.ts'
import { formatDay } from '../../entities/format.ts'
import { periodOf } from '../../entities/subscription-item.ts'
import type { StoredSubscription } from '../../state.ts'
import { cardFields, type FieldErrors, type Typed, testCardHints } from '../card-form.ts'
import { describePlan } from './describe-plan.ts'
import { stepPage } from './portal-layout.ts'
import { type PortalView, portalPath } from './portal-view.ts'

/** The last question before a plan ends with its period. */
export function cancelPage(view: PortalView, subscription: StoredSubscription): string {
  const { name, amount, per } = describePlan(view.service, subscription)
  const day = formatDay(periodOf(subscription).end)
  return stepPage(view, {
    title: 'Cancel your plan',
    body: html`<div class="step"><p class="lead">Your plan will be canceled, but is still available until the end of your billing period on ${day}.</p>
<dl class="bill"><div><dt>${name}</dt><dd>${amount} ${per}</dd></div>
<div><dt>Available until</dt><dd>${day}</dd></div></dl>
<form method="post" action="${portalPath(view, `/subscriptions/${subscription.id}/cancel`)}">
<button class="danger" type="submit">Cancel plan</button></form></div>`,
  })
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
