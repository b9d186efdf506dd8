import type { Expiry } from '../objects/payment-method.ts'
import { findTestCard, type TestCard } from '../payments/test-cards.ts'
import type { FieldErrors, Typed } from './checkout-form.ts'

/** Reads the fields of a card, wherever a page asks for one; what is wrong with them goes into `errors`. */
export function readCard({
  typed,
  cvc,
  now_s,
  errors,
}: {
  typed: Pick<Typed, 'expiry' | 'name' | 'number'>
  cvc: string
  now_s: number
  errors: FieldErrors
}): { card: TestCard; expiry: Expiry } | null {
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
  return card && expiry ? { card, expiry } : null
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
