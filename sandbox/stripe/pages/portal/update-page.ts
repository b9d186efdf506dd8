import { type Html, html } from '../../../kit/html.ts'
import { formatMoney } from '../../entities/format.ts'
import { lacksTaxBehavior } from '../../entities/portal-limits.ts'
import { intervalName, unitAmount } from '../../entities/price.ts'
import type { StoredPrice, StoredSubscription } from '../../state.ts'
import { stepPage } from './portal-layout.ts'
import { type PortalView, portalPath } from './portal-view.ts'

/** The choice of another plan or number of seats; the next page has the price. */
export function updatePage(
  view: PortalView,
  {
    subscription,
    chosen,
    error,
  }: { subscription: StoredSubscription; chosen: { price: string; quantity: string }; error: string | null },
): string {
  const { default_allowed_updates } = view.configuration.features.subscription_update
  const prices = offeredPrices(view, subscription)
  const has_choice = default_allowed_updates.includes('price') && prices.length > 1
  return stepPage(view, {
    title: 'Update your plan',
    body: html`<form class="step" method="get" action="${portalPath(view, `/subscriptions/${subscription.id}/confirm`)}">
${has_choice ? html`<div class="choices" role="radiogroup" aria-label="Plan">${prices.map((price) => choice(view, { price, subscription, chosen: chosen.price }))}</div>` : html`<input type="hidden" name="price" value="${chosen.price}">`}
${
  default_allowed_updates.includes('quantity')
    ? html`<div class="quantity"><label for="quantity">Quantity</label>
<input id="quantity" name="quantity" type="number" inputmode="numeric" min="1" max="999999" required value="${chosen.quantity}"${error ? html` aria-invalid="true" aria-describedby="quantity-error"` : null}></div>`
    : html`<input type="hidden" name="quantity" value="${chosen.quantity}">`
}
${error ? html`<p class="error" id="quantity-error" role="alert">${error}</p>` : null}
<button type="submit">Continue</button></form>`,
  })
}

function choice(
  { service }: PortalView,
  { price, subscription, chosen }: { price: StoredPrice; subscription: StoredSubscription; chosen: string },
): Html {
  const { currency } = subscription
  const amount = formatMoney({ amount: unitAmount(service, price, currency), currency })
  const product = service.store.products.get(price.product)
  const is_current = subscription.items.data.some((item) => item.price.id === price.id)
  return html`<label><input type="radio" name="price" value="${price.id}"${price.id === chosen ? html` checked` : null}>
<span>${product?.name ?? price.product}<small>${amount} per ${intervalName(price)}</small></span>
${is_current ? html`<b class="tag">Current</b>` : null}</label>`
}

/** What the configuration offers, in the subscription's currency. */
export function offeredPrices(
  { service, configuration }: PortalView,
  { currency }: StoredSubscription,
): StoredPrice[] {
  const listed = (configuration.features.subscription_update.products ?? []).flatMap(({ prices }) => prices)
  return listed.flatMap((id) => {
    const price = service.store.prices.get(id)
    return price?.currency_options[currency] && !lacksTaxBehavior(service, price, currency) ? [price] : []
  })
}
