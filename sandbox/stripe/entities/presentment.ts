import type Stripe from 'stripe'
import type { StoredSession } from '../state.ts'

/** What a euro buys: not today's rates, but the same ones every day. */
const per_euro: Record<string, number> = { chf: 0.95, eur: 1, gbp: 0.85, jpy: 160, pln: 4.25, usd: 1.1 }

const currencies: Record<string, string> = {
  AT: 'eur',
  CH: 'chf',
  DE: 'eur',
  FR: 'eur',
  GB: 'gbp',
  JP: 'jpy',
  PL: 'pln',
  US: 'usd',
}

export type Presentment = { currency: string; convert(amount: number): number }

/**
 * The currency that Adaptive Pricing shows a buyer instead of the session's, if it does. Where a buyer is,
 * Stripe guesses from their address; in tests an e-mail address says it: `ada+location_US@example.com`
 * (https://docs.stripe.com/payments/currencies/localize-prices/adaptive-pricing#testing).
 */
export function presentmentFor(
  {
    adaptive_pricing,
    currency: own,
    customer_details,
  }: Pick<StoredSession, 'adaptive_pricing' | 'currency' | 'customer_details'>,
  email: string | null | undefined = customer_details?.email,
): Presentment | null {
  const [, country = ''] = /\+location_([A-Z]{2})@/.exec(email ?? '') ?? []
  const currency = currencies[country]
  if (!adaptive_pricing?.enabled || !currency || !own || currency === own) return null
  const rate = (per_euro[currency] ?? 1) / (per_euro[own] ?? 1)
  const units = (code: string) => (code === 'jpy' ? 1 : 100)
  return { currency, convert: (amount) => Math.round((amount / units(own)) * rate * units(currency)) }
}

/**
 * The amount and currency that the buyer saw, beside the seller's on the session:
 * https://docs.stripe.com/changelog/basil/2025-03-31/add_presentment_details
 */
export function presentmentDetails(
  session: StoredSession,
  email: string | null,
): { presentment_details?: Stripe.Checkout.Session.PresentmentDetails } {
  const presentment = presentmentFor(session, email)
  if (!presentment) return {}
  return {
    presentment_details: {
      presentment_amount: presentment.convert(session.amount_total ?? 0),
      presentment_currency: presentment.currency,
    },
  }
}
