import { createHash } from 'node:crypto'
import { type Decline, invalidRequest } from '../errors.ts'
import type { StoredPaymentMethod } from '../state.ts'

/** The behavior of a card, now and later. Numbers and texts are from Stripe's testing page. */
export type TestCard = {
  number: string
  brand: 'amex' | 'discover' | 'mastercard' | 'visa'
  funding: 'credit' | 'debit'
  country: string
  decline: Decline | null
  /** Pays now, fails whenever it is charged without the buyer: a renewal. */
  fails_off_session: boolean
  /** The bank asks the buyer to confirm each payment: at once in Checkout, later for a renewal. */
  asks_to_confirm: boolean
  /** Pays now, and is disputed at once for this reason. */
  dispute: 'fraudulent' | 'product_not_received' | null
  /** Its refunds succeed at first, and fail later: https://docs.stripe.com/testing#refunds */
  fails_refunds: boolean
}

const plain = {
  brand: 'visa',
  funding: 'credit',
  country: 'US',
  decline: null,
  fails_off_session: false,
  asks_to_confirm: false,
  dispute: null,
  fails_refunds: false,
} as const

export const declined = (decline_code: string, message = 'Your card was declined.'): Decline => ({
  code: 'card_declined',
  decline_code,
  message,
})

const cards: TestCard[] = [
  { ...plain, number: '4242424242424242' },
  { ...plain, number: '4000056655665556', funding: 'debit' },
  { ...plain, number: '5555555555554444', brand: 'mastercard' },
  { ...plain, number: '378282246310005', brand: 'amex' },
  { ...plain, number: '6011111111111117', brand: 'discover' },
  { ...plain, number: '4000002760000016', country: 'DE' },
  { ...plain, number: '4000008260000000', country: 'GB' },
  { ...plain, number: '4000000000000002', decline: declined('generic_decline') },
  {
    ...plain,
    number: '4000000000009995',
    decline: declined('insufficient_funds', 'Your card has insufficient funds.'),
  },
  { ...plain, number: '4000000000009987', decline: declined('lost_card') },
  { ...plain, number: '4000000000009979', decline: declined('stolen_card') },
  {
    ...plain,
    number: '4000000000000069',
    decline: { code: 'expired_card', decline_code: null, message: 'Your card has expired.' },
  },
  {
    ...plain,
    number: '4000000000000127',
    decline: {
      code: 'incorrect_cvc',
      decline_code: null,
      message: "Your card's security code is incorrect.",
    },
  },
  {
    ...plain,
    number: '4000000000000119',
    decline: {
      code: 'processing_error',
      decline_code: null,
      message: 'An error occurred while processing your card. Try again in a little bit.',
    },
  },
  { ...plain, number: '4000000000000341', fails_off_session: true },
  { ...plain, number: '4000002760003184', asks_to_confirm: true },
  { ...plain, number: '4000000000007726', fails_refunds: true },
  { ...plain, number: '4000000000000259', dispute: 'fraudulent' },
  { ...plain, number: '4000000000002685', dispute: 'product_not_received' },
]

const by_number = new Map(cards.map((card) => [card.number, card]))

/** Only Stripe's test cards work here, as only they do in Stripe's own test mode. */
export function findTestCard(number: string): TestCard | null {
  return by_number.get(number.replaceAll(/[\s-]/g, '')) ?? null
}

/** The same for a call, which refuses another one in the bank's words. */
export function knownCard(number: string): TestCard {
  const card = findTestCard(number)
  if (card) return card
  throw invalidRequest('Your card number is invalid.', { param: 'card', code: 'incorrect_number' })
}

const by_fingerprint = new Map(cards.map((card) => [fingerprint(card.number), card]))

export function testCardOf(method: StoredPaymentMethod): TestCard | null {
  return by_fingerprint.get(method.card?.fingerprint ?? '') ?? null
}

/** The ids that Stripe's API takes in place of the cards' numbers. */
const tokens: Record<string, string> = {
  pm_card_visa: '4242424242424242',
  pm_card_visa_debit: '4000056655665556',
  pm_card_mastercard: '5555555555554444',
  pm_card_amex: '378282246310005',
  pm_card_chargeCustomerFail: '4000000000000341',
  pm_card_createDispute: '4000000000000259',
  pm_card_refundFail: '4000000000007726',
  pm_card_authenticationRequired: '4000002760003184',
  pm_card_chargeDeclined: '4000000000000002',
  pm_card_chargeDeclinedInsufficientFunds: '4000000000009995',
}

export function cardByToken(token: string): TestCard | null {
  return by_number.get(tokens[token] ?? '') ?? null
}

/** The bank's answer to a charge now; null is success. Off-session charges may differ. */
export function declineOf(
  method: StoredPaymentMethod,
  { is_off_session }: { is_off_session: boolean },
): Decline | null {
  const card = testCardOf(method)
  if (card?.decline) return card.decline
  if (card?.asks_to_confirm && is_off_session) return confirmation_needed
  return card?.fails_off_session && is_off_session ? declined('generic_decline') : null
}

/** What paying by the API answers: https://docs.stripe.com/error-codes */
export const confirmation_needed: Decline = {
  code: 'invoice_payment_intent_requires_action',
  decline_code: null,
  message: 'This payment requires additional user action before it can be completed successfully.',
}

/** The same card gives the same fingerprint, which is what fingerprints are for. */
export function fingerprint(number: string): string {
  return createHash('sha256').update(number).digest('base64url').replaceAll(/[-_]/g, 'x').slice(0, 16)
}
