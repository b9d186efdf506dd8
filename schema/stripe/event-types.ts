export const checkoutEventTypes = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
] as const
export type CheckoutEventType = (typeof checkoutEventTypes)[number]

/**
 * Every type of event that we handle: what the webhook subscribes to, what `worker/events/stripe-event.ts`
 * has a handler for, and what the metrics count by name.
 */
export const stripeEventTypes = [
  ...checkoutEventTypes,
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'subscription_schedule.created',
  'subscription_schedule.updated',
  'subscription_schedule.released',
  'subscription_schedule.completed',
  'subscription_schedule.canceled',
  'subscription_schedule.aborted',
  'invoice.created',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.payment_action_required',
  'invoiceitem.deleted',
  'charge.refunded',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
] as const
export type StripeEventType = (typeof stripeEventTypes)[number]

const movesNoMoney: ReadonlySet<string> = new Set([
  'invoice.created',
  'invoice.payment_action_required',
  'invoiceitem.deleted',
])

/**
 * The types read from Stripe's event list, which takes up to twenty
 * (https://docs.stripe.com/api/events/list). Events of scheduled changes, of items that are not billed any
 * more, of drafts and of payments to be confirmed move no money; what a lost one was about is found by the
 * next event or sync of the subscription, and a draft is finalized without us.
 */
export const listedEventTypes = stripeEventTypes.filter(
  (type) => !type.startsWith('subscription_schedule.') && !movesNoMoney.has(type),
)

export function isStripeEventType(type: string): type is StripeEventType {
  return (stripeEventTypes as readonly string[]).includes(type)
}
