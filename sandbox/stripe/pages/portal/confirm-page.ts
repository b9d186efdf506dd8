import { type Html, html } from '../../../kit/html.ts'
import { formatDay, formatMoney } from '../../entities/format.ts'
import { prepareUpdate, type UpdateInput } from '../../entities/prepare-update.ts'
import { periodOf } from '../../entities/subscription-item.ts'
import type { StoredInvoice, StoredSubscription } from '../../state.ts'
import { cardIcon } from '../layout.ts'
import { describePlan } from './describe-plan.ts'
import { describeMethod } from './overview-page.ts'
import { stepPage } from './portal-layout.ts'
import { type PortalView, portalPath } from './portal-view.ts'

export type ConfirmedChange = { item: string; price: string; quantity: number; proration_date: number }

/** What a change costs now and from then on; nothing happens before "Confirm". */
export function confirmPage(
  view: PortalView,
  {
    subscription,
    change,
    input,
    is_for_later,
    declined,
  }: {
    subscription: StoredSubscription
    change: ConfirmedChange
    input: UpdateInput
    /** The configuration lets the change wait for the end of the period; then nothing is due. */
    is_for_later: boolean
    declined: string | null
  },
): string {
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
${is_charged ? html`<div class="row">${cardIcon}<div>${describeMethod(method)}</div></div>` : null}
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
