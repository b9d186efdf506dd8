import type Stripe from 'stripe'
import type { Card } from '../../schema/api/account.ts'

/**
 * The cards that the page of a credit purchase offers again: also those of a plan, which are `limited` unless
 * their owner ticked Checkout's box. The seller answers for the owner's consent (docs/decisions/071).
 * https://support.stripe.com/questions/prefilling-saved-cards-in-checkout
 */
export const offeredCards = [
  'always',
  'limited',
] as const satisfies readonly Stripe.PaymentMethod.AllowRedisplay[]

/** None of them, while a payment of the plan is overdue: the card of the plan was declined. */
export const offeredWhileOverdue: readonly Stripe.PaymentMethod.AllowRedisplay[] = ['unspecified']

/** Only these countries need a postal code as well. */
const withPostalCode: readonly (string | null)[] = ['US', 'CA', 'GB']

/**
 * The card with which Checkout begins a single payment: the customer's newest one of these, if it has its
 * owner's email, name and country (https://docs.stripe.com/payments/existing-customers). Stripe does not say
 * what becomes of one that has expired, so it is no answer.
 */
export async function findOfferedCard(
  stripe: Stripe,
  { customer, now }: { readonly customer: string; readonly now: Date },
): Promise<Card | null> {
  const methods = await stripe.customers.listPaymentMethods(customer, { type: 'card', limit: 50 })
  const newest = methods.data
    .filter(({ allow_redisplay }) => offeredCards.some((offered) => offered === allow_redisplay))
    .find(({ billing_details }) => isPrefilled(billing_details))
  if (!newest?.card) return null
  const { brand, last4, exp_month, exp_year } = newest.card
  const isGood = now.getTime() < Date.UTC(exp_year, exp_month)
  return isGood ? { brand, last4, exp_month, exp_year } : null
}

function isPrefilled({ email, name, address }: Stripe.PaymentMethod.BillingDetails): boolean {
  const country = address?.country ?? null
  const isKnown = Boolean(email && name && country)
  return isKnown && (!withPostalCode.includes(country) || Boolean(address?.postal_code))
}
