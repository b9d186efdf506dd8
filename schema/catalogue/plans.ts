export const planTypes = ['starter', 'pro', 'teams'] as const
export type PlanType = (typeof planTypes)[number]

export const billingFrequencies = ['monthly', 'yearly'] as const
export type BillingFrequency = (typeof billingFrequencies)[number]

export const minimumSeats = 1
export const maximumSeats = 100

export interface Plan {
  readonly plan_type: PlanType
  readonly name: string
  readonly description: string
  readonly credits_per_seat: number
  readonly per_seat: boolean
  /**
   * Minor units for one seat and one period, the same number in every supported currency; `null` when free.
   */
  readonly price_minor: Readonly<Record<BillingFrequency, number>> | null
}

/** Credits that come with a sold plan, for each seat and billing month. */
const includedCredits = 500

interface SoldPlan extends Plan {
  readonly price_minor: Readonly<Record<BillingFrequency, number>>
}

export const plans: { readonly starter: Plan; readonly pro: SoldPlan; readonly teams: SoldPlan } = {
  starter: {
    plan_type: 'starter',
    name: 'Starter',
    description: 'Everything you need to try it. Pay for credits as you go.',
    credits_per_seat: 0,
    per_seat: false,
    price_minor: null,
  },
  pro: {
    plan_type: 'pro',
    name: 'Pro',
    description: 'For developers who use it every day.',
    credits_per_seat: includedCredits,
    per_seat: false,
    price_minor: { monthly: 2000, yearly: 19_200 },
  },
  teams: {
    plan_type: 'teams',
    name: 'Teams',
    description: 'For teams that share one bill and one pool of credits.',
    credits_per_seat: includedCredits,
    per_seat: true,
    price_minor: { monthly: 3000, yearly: 28_800 },
  },
}

/** The plans that are sold; the other one is free. */
export const soldPlanTypes = ['pro', 'teams'] as const satisfies readonly PlanType[]
export type SoldPlanType = (typeof soldPlanTypes)[number]

/**
 * The catalogue's name of a price, which Stripe stores as its `lookup_key`, e.g. `pro_monthly`. One price is
 * sold in every supported currency, so the currency is not part of it.
 */
export function priceLookupKey(price: {
  plan_type: SoldPlanType
  billing_frequency: BillingFrequency
}): string {
  return `${price.plan_type}_${price.billing_frequency}`
}
