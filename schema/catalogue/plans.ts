import { z } from 'zod'

export const planTypes = ['starter', 'pro', 'teams'] as const
export const planTypeSchema = z.enum(planTypes)
export type PlanType = z.infer<typeof planTypeSchema>

export const billingFrequencies = ['monthly', 'yearly'] as const
export const billingFrequencySchema = z.enum(billingFrequencies)
export type BillingFrequency = z.infer<typeof billingFrequencySchema>

export const minimumSeats = 1
export const maximumSeats = 100

export interface Plan {
  readonly plan_type: PlanType
  readonly name: string
  readonly description: string
  /** Credits that each seat receives every billing month. */
  readonly credits_per_seat: number
  readonly per_seat: boolean
  /** Minor units for one seat and one period, the same number in every supported currency; `null` when free. */
  readonly price_minor: Readonly<Record<BillingFrequency, number>> | null
  readonly features: readonly string[]
}

export const plans: Readonly<Record<PlanType, Plan>> = {
  starter: {
    plan_type: 'starter',
    name: 'Starter',
    description: 'Everything you need to try it. Pay for credits as you go.',
    credits_per_seat: 0,
    per_seat: false,
    price_minor: null,
    features: ['Unlimited tab completion', 'Credits at the standard rate', 'Works in every supported editor'],
  },
  pro: {
    plan_type: 'pro',
    name: 'Pro',
    description: 'For developers who use it every day.',
    credits_per_seat: 500,
    per_seat: false,
    price_minor: { monthly: 2000, yearly: 19_200 },
    features: [
      'Unlimited agent requests',
      'Unlimited tab completion',
      '500 requests per month included',
      'Extra credits at API price',
    ],
  },
  teams: {
    plan_type: 'teams',
    name: 'Teams',
    description: 'For teams that share one bill and one pool of credits.',
    credits_per_seat: 500,
    per_seat: true,
    price_minor: { monthly: 3000, yearly: 28_800 },
    features: [
      'Everything in Pro',
      'Privacy mode',
      'Centralized billing',
      'Admin dashboard with analytics',
      'Priority support',
    ],
  },
}

/** The plans that are sold; the other one is free. */
export const soldPlanTypes = ['pro', 'teams'] as const satisfies readonly PlanType[]
export const soldPlanTypeSchema = z.enum(soldPlanTypes)
export type SoldPlanType = z.infer<typeof soldPlanTypeSchema>

/**
 * The catalogue's name of a price, which Stripe stores as its `lookup_key`, e.g. `pro_monthly`. One price is sold in every
 * supported currency, so the currency is not part of it.
 */
export function priceLookupKey(price: {
  plan_type: SoldPlanType
  billing_frequency: BillingFrequency
}): string {
  return `${price.plan_type}_${price.billing_frequency}`
}
