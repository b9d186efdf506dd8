import { type Html, html } from '../../kit/html.ts'
import type { Buyer } from '../entities/buyer-details.ts'
import { taxedCountries } from '../entities/tax.ts'
import type { StoredSession } from '../state.ts'
import { type FieldErrors, field, type Typed } from './card-form.ts'

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
