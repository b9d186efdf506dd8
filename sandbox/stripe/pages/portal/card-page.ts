import { cardFields } from '../card-fields.ts'
import type { FieldErrors, Typed } from '../checkout-form.ts'
import { html } from '../html.ts'
import { testCardHints } from '../test-card-hints.ts'
import { stepPage } from './portal-layout.ts'
import { type PortalView, portalPath } from './portal-view.ts'

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
