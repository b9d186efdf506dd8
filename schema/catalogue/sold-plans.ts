import { type BillingFrequency, type Plan, type PlanType, plans } from './plans.ts'

export interface SoldPlan extends Plan {
  readonly price_minor: Readonly<Record<BillingFrequency, number>>
}

export const soldPlans: readonly SoldPlan[] = plans.filter(isSold)
/** Each for one person. */
export const personalPlans = soldPlans.filter(({ per_seat }) => !per_seat)
/** Each for an organization. */
export const teamPlans = soldPlans.filter(({ per_seat }) => per_seat)

/** Of every payer without another plan. */
export const freePlan = first(plans.filter((plan) => !isSold(plan)))
/** What pages recommend to a person and to an organization. */
export const personalPlan = first(personalPlans)
export const teamPlan = first(teamPlans)

export function planOf(plan_type: PlanType): Plan {
  return first(plans.filter((plan) => plan.plan_type === plan_type))
}

export function soldPlanOf(plan_type: PlanType): SoldPlan {
  return first(soldPlans.filter((plan) => plan.plan_type === plan_type))
}

function isSold(plan: Plan): plan is SoldPlan {
  return plan.price_minor !== null
}

function first<Item>([item]: readonly Item[]): Item {
  if (item === undefined) throw new Error('The catalogue has no such plan')
  return item
}

/**
 * The catalogue's name of a price, which Stripe stores as its `lookup_key`, e.g. `pro_monthly`. One price is
 * sold in every supported currency, so the currency is not part of it.
 */
export function priceLookupKey(price: { plan_type: PlanType; billing_frequency: BillingFrequency }): string {
  return `${price.plan_type}_${price.billing_frequency}`
}
