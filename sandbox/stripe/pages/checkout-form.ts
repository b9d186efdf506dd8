import type { StoredSession } from '../entities.ts'
import { debitTypeFor, type Payer } from '../objects/payment-method.ts'
import { needsMethod } from '../payments/needs-method.ts'
import type { PaymentMeans } from '../payments/pay-session.ts'
import { readCard } from './card-form.ts'

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
  const read = readCard({ typed, cvc, now_s, errors })
  return read && { type: 'card', ...read }
}
