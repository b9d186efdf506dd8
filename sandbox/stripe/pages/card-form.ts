import { type Html, html } from '../../kit/html.ts'
import type { Buyer } from '../entities/buyer-details.ts'
import type { Expiry } from '../entities/payment-method.ts'
import { taxedCountries } from '../entities/tax.ts'
import { findTestCard, type TestCard } from '../entities/test-cards.ts'
import type { StoredSession } from '../state.ts'
import type { Form } from '../wire/form.ts'

type CardForm = {
  typed: Pick<Typed, 'expiry' | 'name' | 'number'>
  cvc: string
  now_s: number
  errors: FieldErrors
}

/** Reads the card fields of a form; problems go into `errors`. */
export function readCard({ typed, cvc, now_s, errors }: CardForm): { card: TestCard; expiry: Expiry } | null {
  const card = findTestCard(typed.number)
  if (typed.number === '') errors.number = 'Enter your card number.'
  else if (!card) errors.number = 'Your card number is invalid. Only the test cards listed below work here.'

  const expiry = readExpiry(typed.expiry)
  if (typed.expiry === '') errors.expiry = 'Enter the expiry date of your card.'
  else if (!expiry) errors.expiry = 'Your card’s expiry date is incomplete.'
  else if (isPast(expiry, now_s)) errors.expiry = 'Your card’s expiry date is in the past.'

  const cvc_length = card?.brand === 'amex' ? 4 : 3
  if (cvc === '') errors.cvc = 'Enter the security code of your card.'
  else if (!/^\d+$/.test(cvc) || cvc.length !== cvc_length)
    errors.cvc = 'Your card’s security code is incomplete.'

  if (typed.name === '') errors.name = 'Enter the name on your card.'
  return card && expiry ? { card, expiry } : null
}

/** A submitted form with a card: what was typed, what is wrong with it, and the card where nothing is. */
export function readCardForm(form: Form, now_s: number) {
  const typed = {
    number: textField(form, 'number'),
    expiry: textField(form, 'expiry'),
    name: textField(form, 'name'),
  }
  const errors: FieldErrors = {}
  const read = readCard({ typed, cvc: textField(form, 'cvc'), now_s, errors })
  return { typed, errors, read: Object.keys(errors).length > 0 ? null : read }
}

function readExpiry(text: string): Expiry | null {
  const [, month, year] = /^(\d{1,2})\s*[/-]?\s*(?:20)?(\d{2})$/.exec(text) ?? []
  if (!month || !year || Number(month) < 1 || Number(month) > 12) return null
  return { month: Number(month), year: 2000 + Number(year) }
}

/** A card is good until the end of its month. */
function isPast({ month, year }: Expiry, now_s: number): boolean {
  return Date.UTC(year, month) <= now_s * 1000
}

/** The fields of a card, wherever a page asks for one. The security code is never shown again. */
export function cardFields({
  typed,
  errors,
}: {
  typed: Pick<Typed, 'expiry' | 'name' | 'number'>
  errors: FieldErrors
}): Html {
  return html`${field({ name: 'number', label: 'Card number', value: typed.number, error: errors.number, attributes: html`inputmode="numeric" autocomplete="cc-number" placeholder="1234 1234 1234 1234"` })}
<div class="pair"><div>
${field({ name: 'expiry', label: 'Expiry (MM / YY)', value: typed.expiry, error: errors.expiry, attributes: html`inputmode="numeric" autocomplete="cc-exp" placeholder="MM / YY"` })}
</div><div>
${field({ name: 'cvc', label: 'CVC', value: '', error: errors.cvc, attributes: html`inputmode="numeric" autocomplete="cc-csc" placeholder="CVC" maxlength="4"` })}
</div></div>
${field({ name: 'name', label: 'Name on card', value: typed.name, error: errors.name, attributes: html`autocomplete="cc-name" placeholder="As on your card"` })}`
}

export function field({
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

/** One field of a submitted form: trimmed, cut to the longest length of a field. */
export function textField(form: Form, name: string): string {
  const value = form[name]
  return typeof value === 'string' ? value.trim().slice(0, 500) : ''
}

const hints = [
  ['4242424242424242', 'Pays'],
  ['4000000000000002', 'Is declined'],
  ['4000000000009995', 'Has insufficient funds'],
  ['4000000000000341', 'Pays now, fails at renewal'],
  ['4000002760003184', 'Pays now, asks to confirm a renewal'],
  ['4000000000000259', 'Pays, then is disputed'],
] as const

/** Shown as a hint. Any future date and any security code go with these numbers. */
export const testCardHints = html`<details><summary>Test cards</summary><ul>
${hints.map(
  ([number, effect]) =>
    html`<li><button type="button" data-card>${number.replaceAll(/(.{4})(?=.)/g, '$1 ')}</button><span>${effect}</span></li>`,
)}
<li><span>Any future date, any three-digit code.</span></li>
</ul></details>`

/** What the buyer typed, as it is shown again when something is wrong with it. The security code never is. */
export type Typed = {
  email: string
  method: string
  number: string
  expiry: string
  name: string
  country?: string
  postal_code?: string
  business_name?: string
  tax_id?: string
}

export type FieldErrors = Partial<
  Record<
    'country' | 'cvc' | 'email' | 'expiry' | 'method' | 'name' | 'number' | 'postal_code' | 'terms',
    string
  >
>

/** What the payment page asks for beside the payment: address, company, consent. */
export function buyerFields(
  { automatic_tax, tax_id_collection }: StoredSession,
  { typed, errors }: { typed: Typed; errors: FieldErrors },
): Html | null {
  if (!automatic_tax.enabled) return null
  const chosen = typed.country || taxedCountries[0]
  const countries = [...taxedCountries, 'US']
  return html`<h2>Billing address</h2>
<label for="country">Country or region</label>
<select id="country" name="country">${countries.map((code) => html`<option${code === chosen ? html` selected` : null}>${code}</option>`)}</select>
${field({ name: 'postal_code', label: 'Postal code', value: typed.postal_code ?? '', error: errors.postal_code, attributes: html`autocomplete="postal-code"` })}
${
  tax_id_collection?.enabled
    ? html`${field({ name: 'business_name', label: 'Business name (for companies)', value: typed.business_name ?? '', error: undefined, attributes: html`autocomplete="organization"` })}
${field({ name: 'tax_id', label: 'Tax ID (for companies)', value: typed.tax_id ?? '', error: undefined, attributes: html`autocomplete="off"` })}`
    : null
}`
}

export function saveField({ customer, saved_payment_method_options }: StoredSession): Html | null {
  if (customer === null || saved_payment_method_options?.payment_method_save !== 'enabled') return null
  return html`<label class="check"><input type="checkbox" name="save" value="yes"> Save my payment information for future purchases</label>`
}

export function termsField(
  { consent_collection, custom_text }: StoredSession,
  errors: FieldErrors,
): Html | null {
  if (consent_collection?.terms_of_service !== 'required') return null
  const message = custom_text.terms_of_service_acceptance?.message ?? 'I agree to the Terms of Service'
  const [, before = message, name, url, after = ''] = /^(.*)\[(.+)\]\((.+)\)(.*)$/.exec(message) ?? []
  return html`<label class="check"><input type="checkbox" name="terms" value="yes"${errors.terms ? html` aria-invalid="true"` : null}> ${before}${url ? html`<a href="${url}" target="_blank" rel="noreferrer">${name ?? ''}</a>` : null}${after}</label>
${errors.terms ? html`<p class="error">${errors.terms}</p>` : null}`
}

export function readBuyer(
  { automatic_tax, consent_collection }: StoredSession,
  { typed, has_agreed, errors }: { typed: Typed; has_agreed: boolean; errors: FieldErrors },
): Pick<Buyer, 'business' | 'country' | 'postal_code'> {
  const { country = '', postal_code = '', business_name = '', tax_id = '' } = typed
  if (consent_collection?.terms_of_service === 'required' && !has_agreed) {
    errors.terms = 'Agree to the terms to go on.'
  }
  if (!automatic_tax.enabled) return {}
  if (postal_code === '') errors.postal_code = 'Enter your postal code.'
  const business = business_name && tax_id ? { name: business_name, tax_id } : null
  return { country: country || null, postal_code: postal_code || null, business }
}
