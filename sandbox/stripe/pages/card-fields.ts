import type { FieldErrors, Typed } from './checkout-form.ts'
import { type Html, html } from './html.ts'

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
