import Stripe from 'stripe'

/** Whether Stripe says that it has no such object (any more): https://docs.stripe.com/error-codes */
export function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'resource_missing'
}
