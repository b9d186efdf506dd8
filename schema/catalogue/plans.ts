export const billingFrequencies = ['monthly', 'yearly'] as const
export type BillingFrequency = (typeof billingFrequencies)[number]

export const minimumSeats = 1
export const maximumSeats = 100
/** Shown to customers who ask for more or fewer. */
export const seatsText = (most: number) => `Seats must be a whole number from ${minimumSeats} to ${most}`

/** The id of a plan. Only this file names plans: code asks `sold-plans.ts` what a plan is like. */
export type PlanType = string

export interface Plan {
  readonly plan_type: PlanType
  readonly name: string
  readonly description: string
  /** Credits that come with the plan, for each seat and billing month. */
  readonly credits_per_seat: number
  /** Sold by the seat to an organization, whose members share its credits; otherwise to one person. */
  readonly per_seat: boolean
  /** Free days before the first payment, once per user; 0 without a trial. */
  readonly trial_days: number
  /**
   * Minor units for one seat and one period, the same number in every supported currency; `null` when free.
   */
  readonly price_minor: Readonly<Record<BillingFrequency, number>> | null
}

/** One is free. A changed plan is a new offer (`npm run db:migrate`); orders keep the one that they name. */
export const plans: readonly Plan[] = [
  {
    plan_type: 'starter',
    name: 'Starter',
    description: 'Everything you need to try it. Pay for credits as you go.',
    credits_per_seat: 0,
    per_seat: false,
    trial_days: 0,
    price_minor: null,
  },
  {
    plan_type: 'pro',
    name: 'Pro',
    description: 'For developers who use it every day.',
    credits_per_seat: 500,
    per_seat: false,
    trial_days: 14,
    price_minor: { monthly: 2000, yearly: 19_200 },
  },
  {
    plan_type: 'teams',
    name: 'Teams',
    description: 'For teams that share one bill and one pool of credits.',
    credits_per_seat: 500,
    per_seat: true,
    trial_days: 0,
    price_minor: { monthly: 3000, yearly: 28_800 },
  },
]
