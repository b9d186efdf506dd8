import { randomUUIDv7 } from 'node:crypto'
import type { Currency } from '../../schema/catalogue/currency.ts'
import { type BillingFrequency, plans, type SoldPlanType } from '../../schema/catalogue/plans.ts'
import type { CheckoutIntent, NewSubscriptionCheckout } from '../../schema/checkout/intents.ts'
import type { Owner } from '../../schema/ledger/accounts.ts'

export interface SubscriptionRequest {
  readonly user_id: string
  readonly owner_kind: Owner['owner_kind']
  /** Null for an organization that is created when the plan is paid. */
  readonly owner_id: string | null
  /** Of that organization, when the buyer has chosen one. */
  readonly organization_name?: string | null
  /** The buyer's own plan, when it ends in favor of this one. */
  readonly ends_subscription_id?: string | null
  readonly plan_type: SoldPlanType
  readonly billing_frequency: BillingFrequency
  readonly currency: Currency
  readonly seats: number
}

/** The terms of the checkout, from the present catalogue. */
export function subscriptionTerms(
  request: SubscriptionRequest,
  terms: Pick<NewSubscriptionCheckout, 'trial_days' | 'created_at' | 'next_try_at'> & {
    readonly price_minor: number
  },
): NewSubscriptionCheckout {
  const { credits_per_seat } = plans[request.plan_type]
  return {
    id: randomUUIDv7(),
    kind: 'subscription',
    ...request,
    credits_per_seat,
    credits: credits_per_seat * request.seats,
    amount_minor: terms.price_minor * request.seats,
    trial_days: terms.trial_days,
    created_at: terms.created_at,
    next_try_at: terms.next_try_at,
  }
}

/**
 * Whether an open checkout has the same terms and buyer, so that its page can be reused. A request without a
 * name for the organization takes the one that was chosen before.
 */
export function haveSameTerms(open: CheckoutIntent, wanted: NewSubscriptionCheckout): boolean {
  if (wanted.organization_name && open.organization_name !== wanted.organization_name) return false
  const fields = [
    'user_id',
    'owner_kind',
    'owner_id',
    'plan_type',
    'billing_frequency',
    'currency',
    'seats',
    'credits_per_seat',
    'amount_minor',
    'trial_days',
  ] as const
  if (open.ends_subscription_id !== (wanted.ends_subscription_id ?? null)) return false
  return fields.every((field) => open[field] === wanted[field])
}
