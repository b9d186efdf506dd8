import { type Html, html } from '../../../kit/html.ts'
import { formatDay, formatMoney } from '../../entities/format.ts'
import { lacksTaxBehavior } from '../../entities/portal.ts'
import { prepareUpdate, type UpdateInput } from '../../entities/prepare-update.ts'
import { intervalName, unitAmount } from '../../entities/price.ts'
import { periodOf } from '../../entities/subscription.ts'
import type { StoredInvoice, StoredPrice, StoredSubscription } from '../../state.ts'
import type { Page } from '../layout.ts'
import { describeMethod } from './overview-page.ts'
import { describePlan, type PortalView, portalPath, stepPage } from './portal-view.ts'

/** The choice of another plan or number of seats; the next page has the price. */
export function updatePage(
  view: PortalView,
  {
    subscription,
    chosen,
    error,
  }: { subscription: StoredSubscription; chosen: { price: string; quantity: string }; error: string | null },
): Page {
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

export type ConfirmedChange = { item: string; price: string; quantity: number; proration_date: number }

type Confirmation = {
  subscription: StoredSubscription
  change: ConfirmedChange
  input: UpdateInput
  /** The configuration lets the change wait for the end of the period; then nothing is due. */
  is_for_later: boolean
  declined: string | null
}

/** What a change costs now and from then on; nothing happens before "Confirm". */
export function confirmPage(
  view: PortalView,
  { subscription, change, input, is_for_later, declined }: Confirmation,
): Page {
  const { service, method } = view
  const plan = prepareUpdate(service, subscription, input)
  const invoice = is_for_later ? null : plan.invoice
  const after = describePlan(service, plan.after)
  const before = describePlan(service, subscription)
  const due = formatMoney({ amount: invoice?.amount_due ?? 0, currency: subscription.currency })
  const is_charged = (invoice?.amount_due ?? 0) > 0
  const waits =
    !is_for_later &&
    !invoice &&
    input.proration_behavior === 'create_prorations' &&
    plan.prorations.length > 0
  const changes_at = periodOf(is_for_later ? subscription : plan.after).end
  return stepPage(view, {
    title: 'Confirm your updates',
    body: html`<div class="step">${declined ? html`<p class="alert" role="alert">${declined} <a href="${portalPath(view, '/payment-method')}">Change payment method</a></p>` : null}
<section class="block" aria-labelledby="new"><h2 id="new">New plan</h2>
<div class="plan"><div><h3>${after.name}</h3><p class="price">${after.amount} <span>${after.per}</span></p>
${after.count ? html`<small>${after.count}</small>` : null}
<small>Until now: ${before.count ?? before.name}, ${before.amount} ${before.per}</small></div></div></section>
<dl class="bill" aria-label="Payment">${(invoice?.lines.data ?? []).map((line) => billLine(line))}
${balance(invoice)}
<div class="due"><dt>Amount due today</dt><dd>${due}</dd></div>
<div><dt>From ${formatDay(changes_at)}${waits ? ', with the prorated difference' : null}</dt><dd>${after.amount} ${after.per}</dd></div></dl>
${is_charged ? html`<div class="row"><div>${describeMethod(method)}</div></div>` : null}
<form method="post" action="${portalPath(view, `/subscriptions/${subscription.id}/confirm`)}">
<input type="hidden" name="price" value="${change.price}"><input type="hidden" name="quantity" value="${change.quantity}">
<input type="hidden" name="proration_date" value="${change.proration_date}">
<button type="submit">Confirm</button></form>
<p class="fine">${is_charged ? html`By confirming, you agree to pay ${due} now.` : is_for_later ? html`Your plan stays as it is until then. Nothing is charged today.` : html`Nothing is charged today.`}</p></div>`,
  })
}

function billLine({ description, amount, currency, period }: StoredInvoice['lines']['data'][number]): Html {
  return html`<div><dt>${description}<small>${formatDay(period.start)} – ${formatDay(period.end)}</small></dt><dd>${formatMoney({ amount, currency })}</dd></div>`
}

function balance(invoice: StoredInvoice | null): Html | null {
  if (!invoice || invoice.starting_balance === 0) return null
  const { starting_balance, currency } = invoice
  return html`<div><dt>Credit balance</dt><dd>${formatMoney({ amount: starting_balance, currency })}</dd></div>`
}
