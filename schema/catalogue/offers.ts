import { creditRate, maximumPurchaseCredits, minimumPurchaseCredits } from './credits.ts'
import { type Currency, currencies } from './currency.ts'
import {
  type BillingFrequency,
  billingFrequencies,
  maximumSeats,
  minimumSeats,
  type PlanType,
} from './plans.ts'
import { soldPlans } from './sold-plans.ts'

/** What an order can name: so many units bring these credits and cost this price. */
export interface Offer {
  /** Both null for credits. */
  readonly plan_type: PlanType | null
  readonly billing_frequency: BillingFrequency | null
  readonly currency: Currency
  /** 1 seat, or the credits of the rate. */
  readonly units: number
  /** Of a plan, for each billing month. */
  readonly credits: number
  /** Of a plan, for each period. */
  readonly price_minor: number
  readonly trial_days: number
  readonly minimum_quantity: number
  readonly maximum_quantity: number
}

/** All that is sold now. */
export const catalogueOffers: readonly Offer[] = currencies.flatMap((currency) => [
  {
    plan_type: null,
    billing_frequency: null,
    currency,
    units: creditRate.credits,
    credits: creditRate.credits,
    price_minor: creditRate.amount_minor,
    trial_days: 0,
    minimum_quantity: minimumPurchaseCredits,
    maximum_quantity: maximumPurchaseCredits,
  },
  ...soldPlans.flatMap(({ plan_type, credits_per_seat, per_seat, price_minor, trial_days }) =>
    billingFrequencies.map((billing_frequency) => ({
      plan_type,
      billing_frequency,
      currency,
      units: 1,
      credits: credits_per_seat,
      price_minor: price_minor[billing_frequency],
      trial_days,
      minimum_quantity: minimumSeats,
      maximum_quantity: per_seat ? maximumSeats : 1,
    })),
  ),
])
