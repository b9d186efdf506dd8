/**
 * Every type of event that we handle, by the object that such an event carries: what the webhook subscribes
 * to, and what the metrics count by name. What is fetched for which object is in
 * `worker/events/stripe-subject.ts`.
 */
const typesByObject = {
  'checkout.session': [
    'checkout.session.completed',
    'checkout.session.async_payment_succeeded',
    'checkout.session.async_payment_failed',
    'checkout.session.expired',
  ],
  subscription: [
    'customer.subscription.created',
    'customer.subscription.updated',
    'customer.subscription.deleted',
    'customer.subscription.paused',
    'customer.subscription.resumed',
  ],
  subscription_schedule: [
    'subscription_schedule.created',
    'subscription_schedule.updated',
    'subscription_schedule.released',
    'subscription_schedule.completed',
    'subscription_schedule.canceled',
    'subscription_schedule.aborted',
  ],
  invoice: [
    'invoice.created',
    'invoice.updated',
    'invoice.finalization_failed',
    'invoice.paid',
    'invoice.payment_failed',
    'invoice.payment_action_required',
    'invoice.voided',
    'invoice.marked_uncollectible',
  ],
  // What waits for an invoice comes with its subscription's event, and goes without one.
  invoiceitem: ['invoiceitem.deleted'],
  // Its default card.
  customer: ['customer.updated'],
  charge: ['charge.refunded'],
  refund: ['refund.created', 'refund.updated', 'refund.failed'],
  dispute: [
    'charge.dispute.created',
    'charge.dispute.updated',
    'charge.dispute.closed',
    'charge.dispute.funds_withdrawn',
    'charge.dispute.funds_reinstated',
  ],
} as const

export type StripeEventObject = keyof typeof typesByObject
export type StripeEventType = (typeof typesByObject)[StripeEventObject][number]

export const stripeEventTypes: readonly StripeEventType[] = Object.values(typesByObject).flat()

const objects: ReadonlyMap<string, StripeEventObject> = new Map(
  Object.entries(typesByObject).flatMap(([object, types]) =>
    types.map((type) => [type, object as StripeEventObject]),
  ),
)

/** The object that an event of this type carries; undefined for a type that we do not handle. */
export function objectOfStripeEvent(type: string): StripeEventObject | undefined {
  return objects.get(type)
}

const movesNoMoney: ReadonlySet<string> = new Set([
  'invoice.created',
  'invoice.updated',
  'invoice.finalization_failed',
  'invoice.payment_action_required',
  'invoice.voided',
  'invoice.marked_uncollectible',
  'invoiceitem.deleted',
  'customer.updated',
])

/**
 * The types read from Stripe's event list, which takes up to twenty
 * (https://docs.stripe.com/api/events/list). Events of scheduled changes, of items that are not billed any
 * more, of drafts and other invoices, of payments to be confirmed and of those that are not asked for move no money; what a lost one was about is found by the
 * next event or sync of the subscription, and a draft is finalized without us. A card whose choice was lost is
 * charged once our portal was opened.
 */
export const listedEventTypes = stripeEventTypes.filter(
  (type) => !type.startsWith('subscription_schedule.') && !movesNoMoney.has(type),
)
