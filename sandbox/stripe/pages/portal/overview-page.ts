import { type Html, html } from '../../../kit/html.ts'
import { formatDay, formatMoney } from '../../entities/format.ts'
import { cancelLimit, updateLimit } from '../../entities/portal.ts'
import { previewUpdate } from '../../entities/preview-invoice.ts'
import { itemList, periodOf } from '../../entities/subscription.ts'
import { itemsInPhase, nextPhase } from '../../entities/subscription-schedule.ts'
import type { StoredInvoice, StoredPaymentMethod, StoredSubscription } from '../../state.ts'
import { cardFields, type FieldErrors, type Typed, testCardHints } from '../card-form.ts'
import { invoiceState } from '../invoice-page.ts'
import type { Page } from '../layout.ts'
import {
  describePlan,
  describeState,
  type PortalView,
  portalPage,
  portalPath,
  stepPage,
} from './portal-view.ts'

/** Where a customer sees how things stand: plan, next payment, card, invoices. */
export function overviewPage(view: PortalView, notice: string | undefined): Page {
  const { subscriptions, configuration, invoices, customer } = view
  const { invoice_history, payment_method_update } = configuration.features
  return portalPage(view, {
    title: 'Billing',
    notice,
    body: html`<section class="block" aria-labelledby="plan"><h2 id="plan">Current plan</h2>
${
  subscriptions.length > 0
    ? subscriptions.map((one) => plan(view, one))
    : html`<div class="row empty"><div>You have no plan at the moment.</div></div>`
}</section>
<section class="block" aria-labelledby="card"><h2 id="card">Payment method</h2>
<div class="row"><div>${describeMethod(view.method)}</div>
${payment_method_update.enabled ? html`<a href="${portalPath(view, '/payment-method')}" aria-label="${view.method ? 'Change' : 'Add'} payment method">${view.method ? 'Change' : 'Add'}</a>` : null}</div></section>
<section class="block" aria-labelledby="who"><h2 id="who">Billing information</h2>
<div class="row"><div>${customer.name ?? customer.email ?? 'No name given'}${customer.name && customer.email ? html`<small>${customer.email}</small>` : null}</div></div></section>
${
  invoice_history.enabled
    ? html`<section class="block" aria-labelledby="invoices"><h2 id="invoices">Invoice history</h2>
${invoices.length > 0 ? html`<table class="invoices"><tbody>${invoices.slice(0, 24).map(invoiceRow)}</tbody></table>` : html`<div class="row empty"><div>There is no invoice yet.</div></div>`}</section>`
    : null
}`,
  })
}

function plan(view: PortalView, subscription: StoredSubscription): Html {
  const { name, amount, per, count } = describePlan(view.service, subscription)
  const state = describeState(subscription)
  return html`${unpaid(view, subscription)}<article class="plan" aria-label="${name}"><div>
<h3>${name} <span class="tag ${state.tone}">${state.text}</span></h3>
<p class="price">${amount} <span>${per}</span></p>
${count ? html`<small>${count}</small>` : null}
<small>${nextPayment(view, subscription)}</small>
${scheduledChange(view, subscription)}</div>
<div class="actions">${actions(view, subscription)}</div></article>`
}

function scheduledChange({ service }: PortalView, subscription: StoredSubscription): Html | null {
  const phase = nextPhase(service, subscription)
  if (!phase) return null
  const items = itemList(subscription.id, itemsInPhase(service, subscription, phase))
  const { name, count, amount, per } = describePlan(service, { ...subscription, items })
  return html`<small>Changes on ${formatDay(phase.start_date)} to ${name}${count ? `, ${count}` : ''}: ${amount} ${per}. Until then it can be neither changed nor canceled here.</small>`
}

function nextPayment({ service }: PortalView, subscription: StoredSubscription): string {
  if (subscription.status === 'incomplete') return 'Your first payment has not gone through.'
  const { end } = periodOf(subscription)
  if (subscription.cancel_at !== null && subscription.cancel_at <= end) {
    return `Your plan ends on ${formatDay(subscription.cancel_at)}. You will not be charged again.`
  }
  const next = previewUpdate(service, subscription, {
    ends_trial: false,
    items: [],
    proration_behavior: 'none',
    proration_date: null,
  })
  const sum = formatMoney({ amount: next.amount_due, currency: next.currency })
  return `Your next payment of ${sum} is on ${formatDay(end)}.`
}

function unpaid({ invoices }: PortalView, { id, latest_invoice, status }: StoredSubscription): Html | null {
  const owed = invoices.find((one) => one.id === latest_invoice && one.status === 'open')
  if (!owed || (status !== 'past_due' && status !== 'incomplete')) return null
  const sum = formatMoney({ amount: owed.amount_remaining, currency: owed.currency })
  return html`<p class="alert" role="alert" data-subscription="${id}">Your last payment of ${sum} failed. Change your payment method, or <a href="${owed.hosted_invoice_url ?? ''}">pay the invoice</a>.</p>`
}

function actions(view: PortalView, subscription: StoredSubscription): Html {
  const { id, cancel_at, status } = subscription
  const may_cancel = cancel_at === null && cancelLimit(view.service, subscription) === null
  const { subscription_cancel, subscription_update } = view.configuration.features
  const path = (rest: string) => portalPath(view, `/subscriptions/${id}${rest}`)
  const may_update =
    subscription_update.enabled &&
    subscription_update.default_allowed_updates.length > 0 &&
    updateLimit(view.service, subscription, view.configuration) === null &&
    status !== 'incomplete'
  return html`${may_update ? html`<a class="button first" href="${path('/update')}">Update plan</a>` : null}
${
  cancel_at === null
    ? null
    : html`<form method="post" action="${path('/keep')}"><button class="plain" type="submit">Don’t cancel plan</button></form>`
}
${subscription_cancel.enabled && may_cancel ? html`<a class="button" href="${path('/cancel')}">Cancel plan</a>` : null}`
}

export function describeMethod(method: StoredPaymentMethod | null): Html {
  if (!method?.card) return html`No payment method`
  const { brand, last4, exp_month, exp_year } = method.card
  const name = brand === 'amex' ? 'American Express' : brand.slice(0, 1).toUpperCase() + brand.slice(1)
  return html`${name} •••• ${last4}<small>Expires ${String(exp_month).padStart(2, '0')}/${exp_year}</small>`
}

function invoiceRow(invoice: StoredInvoice): Html {
  const [line] = invoice.lines.data
  const state = invoiceState(invoice)
  return html`<tr><td><a href="${invoice.hosted_invoice_url ?? ''}">${formatDay(invoice.created)}</a></td>
<td class="sum">${formatMoney({ amount: invoice.total, currency: invoice.currency })}</td>
<td><span class="tag ${state.tone}">${state.text}</span></td>
<td class="what">${line?.description?.replace(/ \(at .*$/, '') ?? ''}</td></tr>`
}

/** The last question before a plan ends with its period. */
export function cancelPage(view: PortalView, subscription: StoredSubscription): Page {
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

export function cardPage(view: PortalView, { typed, errors, declined }: CardPageState): Page {
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
