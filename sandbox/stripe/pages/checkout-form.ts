import type { StoredSession } from '../entities.ts'
import { debitTypeFor, type Payer } from '../objects/payment-method.ts'
import { needsMethod } from '../payments/needs-method.ts'
import type { PaymentMeans } from '../payments/pay-session.ts'
import { findTestCard } from '../payments/test-cards.ts'

/** What the buyer typed, as it is shown again when something is wrong with it. The security code never is. */
export type Typed = { email: string; method: string; number: string; expiry: string; name: string }

export type FieldErrors = Partial<Record<'cvc' | 'email' | 'expiry' | 'method' | 'name' | 'number', string>>

export type FormResult =
  | { ok: true; typed: Typed; payer: Payer; means: PaymentMeans }
  | { ok: false; typed: Typed; errors: FieldErrors }

/** Reads the payment form. Every field that is missing or wrong gets its own sentence. */
export function readCheckoutForm(
  session: StoredSession,
  form: Record<string, unknown>,
  now_s: number,
): FormResult {
  const field = (name: string) => (typeof form[name] === 'string' ? form[name].trim().slice(0, 200) : '')
  const typed: Typed = {
    email: field('email'),
    method: field('method') || 'card',
    number: field('number'),
    expiry: field('expiry'),
    name: field('name'),
  }
  const errors: FieldErrors = {}
  if (typed.email === '') errors.email = 'Enter your email.'
  else if (!/^\S+@\S+\.\S+$/.test(typed.email)) errors.email = 'Your email is incomplete.'

  const means = readMeans(session, { typed, cvc: field('cvc'), now_s, errors })
  if (!means || Object.keys(errors).length > 0) return { ok: false, typed, errors }
  return { ok: true, typed, means, payer: { email: typed.email, name: typed.name || null } }
}

function readMeans(
  session: StoredSession,
  { typed, cvc, now_s, errors }: { typed: Typed; cvc: string; now_s: number; errors: FieldErrors },
): PaymentMeans | null {
  const { currency, payment_method_types } = session
  if (!needsMethod(session)) return { type: 'free' }
  if (typed.method === 'debit') {
    const debit = debitTypeFor(currency ?? '')
    if (debit && payment_method_types.includes(debit)) return { type: 'debit', debit }
  }
  if (typed.method !== 'card' || !payment_method_types.includes('card')) {
    errors.method = 'Choose how to pay.'
    return null
  }
  const card = findTestCard(typed.number)
  if (typed.number === '') errors.number = 'Enter your card number.'
  else if (!passesLuhn(typed.number)) errors.number = 'Your card number is invalid.'
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
  return card && expiry ? { type: 'card', card, expiry } : null
}

function readExpiry(text: string): { month: number; year: number } | null {
  const [, month, year] = /^(\d{1,2})\s*[/-]?\s*(?:20)?(\d{2})$/.exec(text) ?? []
  if (!month || !year || Number(month) < 1 || Number(month) > 12) return null
  return { month: Number(month), year: 2000 + Number(year) }
}

/** A card is good until the end of its month. */
function isPast({ month, year }: { month: number; year: number }, now_s: number): boolean {
  return Date.UTC(year, month) <= now_s * 1000
}

function passesLuhn(text: string): boolean {
  const digits = text.replaceAll(/[\s-]/g, '')
  if (!/^\d{12,19}$/.test(digits)) return false
  const sum = Array.from(digits, Number)
    .reverse()
    .reduce((total, digit, index) => {
      const doubled = index % 2 === 1 ? digit * 2 : digit
      return total + (doubled > 9 ? doubled - 9 : doubled)
    }, 0)
  return sum % 10 === 0
}
