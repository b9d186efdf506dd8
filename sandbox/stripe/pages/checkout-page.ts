import type { CheckoutDetails, StoredLineItem, StoredProduct, StoredSession } from '../entities.ts'
import { debitTypeFor } from '../objects/payment-method.ts'
import type { FieldErrors, Typed } from './checkout-form.ts'
import { type Html, html } from './html.ts'
import { arrowIcon, bankIcon, cardIcon } from './icons.ts'
import { page, sandboxBadge } from './layout.ts'
import { formatMoney } from './money.ts'
import { script } from './script.ts'
import { testCardHints } from './test-card-hints.ts'

export type CheckoutView = {
  business_name: string
  session: StoredSession
  details: CheckoutDetails
  productOf: (item: StoredLineItem) => StoredProduct | undefined
  typed: Typed
  errors: FieldErrors
  /** What the bank said; about the payment as a whole, not about one field. */
  declined: string | null
}

/** The hosted payment page: what is bought on the left, how it is paid on the right. */
export function checkoutPage(view: CheckoutView): string {
  const { session, business_name } = view
  const total = formatMoney({ amount: session.amount_total ?? 0, currency: session.currency ?? 'eur' })
  return page({
    title: `Pay ${business_name}`,
    script,
    body: html`<div class="columns">${summary(view, total)}${payment(view, total)}</div>`,
  })
}

function summary({ session, details, business_name, productOf }: CheckoutView, total: string): Html {
  const business = html`<span class="mark" aria-hidden="true">${business_name.slice(0, 1).toUpperCase()}</span>${business_name}`
  return html`<header class="summary"><div>
<div class="business">
${
  session.cancel_url
    ? html`<a href="${session.cancel_url}" aria-label="Back">${arrowIcon}</a>${business}`
    : business
}
${sandboxBadge}
</div>
<section class="owed" aria-label="Amount"><h1>Pay ${business_name}</h1><p>${total}</p></section>
<ul class="lines" aria-label="Order">${details.line_items.map((item) => line(item, productOf(item)))}</ul>
<dl class="totals">
<div><dt>Subtotal</dt><dd>${formatMoney({ amount: session.amount_subtotal ?? 0, currency: session.currency ?? 'eur' })}</dd></div>
<div><dt>Total due</dt><dd>${total}</dd></div>
</dl>
</div></header>`
}

function line(item: StoredLineItem, product: StoredProduct | undefined): Html {
  const quantity = item.quantity ?? 1
  const each = formatMoney({ amount: item.amount_total / quantity, currency: item.currency })
  return html`<li><div><b>${item.description}</b>
${product?.description ? html`<small>${product.description}</small>` : null}
${quantity > 1 ? html`<small>Quantity ${quantity}</small>` : null}</div>
<div class="amount">${formatMoney({ amount: item.amount_total, currency: item.currency })}
${quantity > 1 ? html`<small>${each} each</small>` : null}</div></li>`
}

function payment({ session, typed, errors, declined }: CheckoutView, total: string): Html {
  const is_free = session.amount_total === 0
  return html`<main class="payment"><div>
<form method="post" action="/c/pay/${session.id}" novalidate>
${declined ? html`<p class="alert" role="alert">${declined}</p>` : null}
<h2>Contact information</h2>
${field({ name: 'email', label: 'Email', value: typed.email, error: errors.email, attributes: html`type="email" autocomplete="email" placeholder="you@example.com"` })}
${is_free ? null : html`<h2 id="method">Payment method</h2>${methods(session, { typed, errors })}`}
<button type="submit">${is_free ? 'Complete order' : `Pay ${total}`}</button>
${session.cancel_url ? html`<a class="cancel" href="${session.cancel_url}">Cancel and return</a>` : null}
</form>
${is_free ? null : testCardHints}
<p class="fine">This page stands in for Stripe Checkout. No real card is charged and nothing leaves this machine.</p>
</div></main>`
}

function methods(session: StoredSession, { typed, errors }: { typed: Typed; errors: FieldErrors }): Html {
  const debit = debitTypeFor(session.currency ?? '')
  const offers_debit = debit !== null && session.payment_method_types.includes(debit)
  const offers_card = session.payment_method_types.includes('card')
  const is_debit = offers_debit && (typed.method === 'debit' || !offers_card)
  return html`<fieldset role="radiogroup" aria-labelledby="method">
${errors.method ? html`<p class="error">${errors.method}</p>` : null}
<div class="methods">
${
  offers_card
    ? html`<div>${choice({ value: 'card', label: 'Card', icon: cardIcon, checked: !is_debit })}<div class="fields">
${field({ name: 'number', label: 'Card number', value: typed.number, error: errors.number, attributes: html`inputmode="numeric" autocomplete="cc-number" placeholder="1234 1234 1234 1234"` })}
<div class="pair"><div>
${field({ name: 'expiry', label: 'Expiry (MM / YY)', value: typed.expiry, error: errors.expiry, attributes: html`inputmode="numeric" autocomplete="cc-exp" placeholder="MM / YY"` })}
</div><div>
${field({ name: 'cvc', label: 'CVC', value: '', error: errors.cvc, attributes: html`inputmode="numeric" autocomplete="cc-csc" placeholder="CVC" maxlength="4"` })}
</div></div>
${field({ name: 'name', label: 'Name on card', value: typed.name, error: errors.name, attributes: html`autocomplete="cc-name" placeholder="As on your card"` })}
</div></div>`
    : null
}
${
  offers_debit
    ? html`<div>${choice({ value: 'debit', label: 'Bank debit (confirms later)', icon: bankIcon, checked: is_debit })}
<div class="fields"><p>Your bank is asked for the money after you leave this page. Until it answers, the order counts as unpaid.</p></div></div>`
    : null
}
</div></fieldset>`
}

function choice({
  value,
  label,
  icon,
  checked,
}: {
  value: string
  label: string
  icon: Html
  checked: boolean
}): Html {
  return html`<label class="choice"><input type="radio" name="method" value="${value}"${checked ? html` checked` : null}><span>${label}</span>${icon}</label>`
}

function field({
  name,
  label,
  value,
  error,
  attributes,
}: {
  name: string
  label: string
  value: string
  error: string | undefined
  attributes: Html
}): Html {
  return html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${value}" ${attributes}${error ? html` aria-invalid="true" aria-describedby="${name}-error"` : null}>
${error ? html`<p class="error" id="${name}-error">${error}</p>` : null}`
}
