import { z } from 'zod'
import { clearable, currency, flag, integer, metadata, range, text } from './params.ts'

export const trialDays = integer.refine(
  (days) => days >= 1 && days <= 730,
  'Invalid integer: it must be from 1 to 730',
)

export const quantity = integer.refine(
  (count) => count >= 1 && count <= 999_999,
  'Invalid quantity: it must be at least 1',
)
export const prorationBehavior = z.enum(['always_invoice', 'create_prorations', 'none'])

const cancellationDetails = z.strictObject({ comment: clearable.optional() })

/** Unset by an empty value. */
const discountRequests = z.union([
  z.literal('').transform(() => []),
  z.array(z.strictObject({ coupon: text.optional(), discount: text.optional() })).max(20),
])

export const itemChange = z.strictObject({
  id: text.optional(),
  deleted: flag.optional(),
  metadata: metadata.optional(),
  price: text.optional(),
  // An item may be set to 0: the SDK's `SubscriptionUpdateParams.Item.quantity` has no minimum.
  quantity: integer.refine((count) => count >= 0 && count <= 999_999, 'Invalid quantity').optional(),
})

export const createSubscriptionParams = {
  automatic_tax: z.strictObject({ enabled: flag }).optional(),
  collection_method: z
    .literal('charge_automatically', 'The sandbox sends no invoices to be paid by hand')
    .optional(),
  currency: currency.optional(),
  customer: text,
  default_payment_method: text.optional(),
  description: text.optional(),
  discounts: discountRequests.optional(),
  items: z
    .array(z.strictObject({ price: text, quantity: quantity.optional(), metadata: metadata.optional() }))
    .min(1)
    .max(20),
  metadata: metadata.optional(),
  off_session: flag.optional(),
  payment_behavior: z
    .literal('allow_incomplete', 'The sandbox pays a new subscription at once, or leaves it incomplete')
    .optional(),
  trial_end: integer.optional(),
  trial_period_days: trialDays.optional(),
}

/** What changes the bill: shared by the update, its preview and the update of one item. */
const billed = {
  proration_behavior: prorationBehavior.optional(),
  proration_date: integer.optional(),
}

/**
 * An object since API version 2026-09-30:
 * https://docs.stripe.com/changelog/endive/2026-09-30/polymorphic-billing-cycle-anchor
 */
const billingCycleAnchor = z.strictObject({ type: z.enum(['now', 'unchanged']) }, 'Invalid object')

const paymentBehavior = z.enum(
  ['allow_incomplete', 'error_if_incomplete'],
  'The sandbox knows no pending updates',
)

export const updateSubscriptionParams = {
  ...billed,
  automatic_tax: z.strictObject({ enabled: flag }).optional(),
  billing_cycle_anchor: billingCycleAnchor.optional(),
  cancel_at: z.union([z.literal('').transform(() => null), integer]).optional(),
  cancel_at_period_end: flag.optional(),
  cancellation_details: cancellationDetails.optional(),
  default_payment_method: clearable.optional(),
  description: clearable.optional(),
  discounts: discountRequests.optional(),
  items: z.array(itemChange).max(20).optional(),
  metadata: metadata.optional(),
  off_session: flag.optional(),
  pause_collection: z
    .union([
      z.literal('').transform(() => null),
      z.strictObject({
        behavior: z.enum(['keep_as_draft', 'mark_uncollectible', 'void']),
      }),
    ])
    .optional(),
  payment_behavior: paymentBehavior.optional(),
  trial_end: z.union([z.literal('now'), integer]).optional(),
}

const noCredit = z.literal('false', 'The sandbox cancels at once without an invoice or a credit')

export const cancelSubscriptionParams = {
  cancellation_details: cancellationDetails.optional(),
  invoice_now: noCredit.optional(),
  prorate: noCredit.optional(),
}

export const subscriptionFilters = {
  created: range.optional(),
  customer: text.optional(),
  price: text.optional(),
  status: z
    .enum([
      'active',
      'all',
      'canceled',
      'ended',
      'incomplete',
      'incomplete_expired',
      'past_due',
      'trialing',
      'unpaid',
    ])
    .optional(),
}

export const previewParams = {
  schedule: text.optional(),
  subscription: text.optional(),
  subscription_details: z
    .strictObject({
      ...billed,
      items: z.array(itemChange).max(20).optional(),
    })
    .optional(),
}
