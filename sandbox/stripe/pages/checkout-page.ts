import { type Html, html } from '../../kit/html.ts'
import { formatMoney } from '../entities/format.ts'
import { debitTypeFor } from '../entities/payment-method.ts'
import { intervalName } from '../entities/price.ts'
import type {
  CheckoutDetails,
  StoredLineItem,
  StoredPaymentMethod,
  StoredProduct,
  StoredSession,
} from '../state.ts'
import {
  buyerFields,
  cardFields,
  type FieldErrors,
  field,
  saveField,
  type Typed,
  termsField,
  testCardHints,
} from './card-form.ts'
import { backArrow, type Page, sandboxBadge, script } from './layout.ts'

export type CheckoutView = {
  businessName: string
  session: StoredSession
  details: CheckoutDetails
  productOf: (item: StoredLineItem) => StoredProduct | undefined
  /** What the line costs once it is paid for; in a trial, after it. */
  fullAmountOf: (item: StoredLineItem) => number
  /** Cards that the buyer has let Checkout offer again. */
  saved: StoredPaymentMethod[]
  typed: Typed
  errors: FieldErrors
  /** What the bank said; about the payment as a whole, not about one field. */
  declined: string | null
}

/** The hosted payment page: the order on the left, the payment on the right. */
export function checkoutPage(view: CheckoutView): Page {
  const terms = termsOf(view)
  return {
    title: terms.title,
    script,
    body: html`<div class="columns">${summary(view, terms)}${payment(view, terms)}</div>`,
  }
}

function summary(view: CheckoutView, terms: SessionTerms): Html {
  const { session, details, businessName } = view
  const business = html`<span class="mark" aria-hidden="true">${businessName.slice(0, 1).toUpperCase()}</span>${businessName}`
  return html`<header class="summary"><div>
<div class="business">
${
  session.cancel_url
    ? html`<a href="${session.cancel_url}" aria-label="Back">${backArrow}</a>${business}`
    : business
}
${sandboxBadge}
</div>
<section class="owed" aria-label="Amount"><h1>${terms.title}</h1>
<p>${terms.amount}${terms.per ? html` <span>${terms.per}</span>` : null}</p>
${terms.afterwards ? html`<small>${terms.afterwards}</small>` : null}</section>
<ul class="lines" aria-label="Order">${details.line_items.map((item) => line(item, view))}</ul>
<dl class="totals">${terms.totals.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
</div></header>`
}

function line(item: StoredLineItem, view: CheckoutView): Html {
  const { productOf, fullAmountOf } = view
  const { description, price } = item
  const quantity = item.quantity ?? 1
  const amount = fullAmountOf(item)
  const money = (sum: number) => shownMoney(view, sum)
  const product = productOf(item)
  return html`<li><div><b>${description}</b>
${product?.description ? html`<small>${product.description}</small>` : null}
${quantity > 1 ? html`<small>Quantity ${quantity}</small>` : null}
${price.recurring ? html`<small>Billed every ${intervalName(price)}</small>` : null}</div>
<div class="amount">${money(amount)}
${quantity > 1 ? html`<small>${money(amount / quantity)} each</small>` : null}</div></li>`
}

function payment(view: CheckoutView, terms: SessionTerms): Html {
  const { session, typed, errors, declined, saved } = view
  return html`<main class="payment"><div>
<form method="post" action="/c/pay/${session.id}" novalidate>
${declined ? html`<p class="alert" role="alert">${declined}</p>` : null}
<h2>Contact information</h2>
${field({ name: 'email', label: 'Email', value: typed.email, error: errors.email, attributes: html`type="email" autocomplete="email" placeholder="you@example.com"` })}
${buyerFields(session, { typed, errors })}
<h2 id="method">Payment method</h2>${methods(session, { typed, errors, saved })}
${termsField(session, errors)}
<button type="submit">${terms.button}</button>
${terms.consent ? html`<p class="fine consent">${terms.consent}</p>` : null}
${session.cancel_url ? html`<a class="cancel" href="${session.cancel_url}">Cancel and return</a>` : null}
</form>
${testCardHints}
<p class="fine">This page stands in for Stripe Checkout. No real card is charged and nothing leaves this machine.</p>
</div></main>`
}

function methods(
  session: StoredSession,
  { typed, errors, saved }: Pick<CheckoutView, 'errors' | 'saved' | 'typed'>,
): Html {
  const debit = debitTypeFor(session.currency ?? '')
  const offers_debit = debit !== null && session.payment_method_types.includes(debit)
  const is_debit = offers_debit && typed.method === 'debit'
  return html`<fieldset role="radiogroup" aria-labelledby="method">
${errors.method ? html`<p class="error">${errors.method}</p>` : null}
<div class="methods">
${saved.map(({ id, card }, index) => choice({ value: id, label: `${brandNames[card?.brand ?? ''] ?? 'Card'} •••• ${card?.last4}`, checked: typed.method === id || (typed.method === '' && index === 0) }))}
<div>${choice({ value: 'card', label: saved.length > 0 ? 'Another card' : 'Card', checked: !is_debit && (saved.length === 0 || typed.method === 'card') })}<div class="fields">
${cardFields({ typed, errors })}
${saveField(session)}
</div></div>
${
  offers_debit
    ? html`<div>${choice({ value: 'debit', label: 'Bank debit (confirms later)', checked: is_debit })}
<div class="fields"><p>Your bank is contacted after you leave this page. Until it confirms, the order is unpaid.</p></div></div>`
    : null
}
</div></fieldset>`
}

const brandNames: Readonly<Record<string, string>> = {
  amex: 'American Express',
  discover: 'Discover',
  mastercard: 'Mastercard',
  visa: 'Visa',
}

function choice({ value, label, checked }: { value: string; label: string; checked: boolean }): Html {
  return html`<label class="choice"><input type="radio" name="method" value="${value}"${checked ? html` checked` : null}><span>${label}</span></label>`
}

export type SessionTerms = {
  title: string
  /** The large figure with its period. */
  amount: string
  per: string | null
  afterwards: string | null
  totals: [string, string][]
  button: string
  consent: string | null
}

function termsOf(view: CheckoutView): SessionTerms {
  return view.session.mode === 'subscription' ? subscriptionTerms(view) : paymentTerms(view)
}

function shownMoney({ session }: CheckoutView, amount: number): string {
  return formatMoney({ amount, currency: session.currency ?? 'eur' })
}

function paymentTerms(view: CheckoutView): SessionTerms {
  const { session, businessName } = view
  const total = shownMoney(view, session.amount_total ?? 0)
  return {
    title: `Pay ${businessName}`,
    amount: total,
    per: null,
    afterwards: null,
    totals: [
      ['Subtotal', shownMoney(view, session.amount_subtotal ?? 0)],
      ...includedTaxes(session),
      ['Total due', total],
    ],
    button: `Pay ${total}`,
    consent: null,
  }
}

function includedTaxes({ automatic_tax }: StoredSession): [string, string][] {
  return automatic_tax.enabled ? [['Tax', 'included, by your address']] : []
}

function subscriptionTerms(view: CheckoutView): SessionTerms {
  const { session, details, businessName, fullAmountOf } = view
  const [first] = details.line_items
  const every = first ? intervalName(first.price) : 'month'
  const full = details.line_items.reduce((sum, item) => sum + fullAmountOf(item), 0)
  const recurring = shownMoney(view, full)
  const days = details.subscription_data?.trial_period_days ?? null
  const trial = days === null ? null : days === 1 ? '1 day free' : `${days} days free`
  const today = shownMoney(view, trial ? 0 : (session.amount_total ?? 0))
  const after = trial ? ' after your trial' : ''
  return {
    title: `Subscribe to ${details.line_items.map(({ description }) => description).join(', ')}`,
    amount: trial ?? recurring,
    per: trial ? null : `per ${every}`,
    afterwards: trial && `then ${recurring} per ${every}`,
    totals: [
      ['Subtotal', recurring],
      ...(trial ? ([['Free trial', trial]] as [string, string][]) : []),
      ...includedTaxes(session),
      ['Total due today', today],
    ],
    button: trial ? 'Start trial' : 'Subscribe',
    consent: `By confirming, you allow ${businessName} to charge you ${recurring} every ${every}${after}, until you cancel. You can cancel at any time.`,
  }
}
