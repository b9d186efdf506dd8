import { type Currency, defaultCurrency } from '../../schema/catalogue/currency.ts'
import { minimumSeats, type Plan, type PlanType, seatsText } from '../../schema/catalogue/plans.ts'
import { freePlan, planOf } from '../../schema/catalogue/sold-plans.ts'
import { readSelection, type Selection } from './selection.ts'

export interface Offer {
  /** What will happen: "Pro, 14 days free, then €20.00 a month". */
  readonly sentence: string
  readonly includedCredits: number
  readonly isTrial: boolean
}

interface OfferTerms {
  /** Someone who signs in may have had the trial, which is granted once. */
  readonly isNewAccount: boolean
  readonly formatMoney: (amountMinor: number, currency: Currency) => string
}

/** What the user will buy with a plan; nothing for a plan that is free. */
export function offerOf(selection: Selection, terms: OfferTerms): Offer | null {
  const plan = selection.plan === null ? freePlan : planOf(selection.plan)
  const { price_minor, trial_days } = plan
  if (price_minor === null) return null
  const { seats, billing, currency } = selection
  const price = terms.formatMoney(price_minor[billing] * seats, currency ?? defaultCurrency)
  const period = billing === 'yearly' ? 'a year' : 'a month'
  const isTrial = trial_days > 0
  const condition = terms.isNewAccount ? '' : ' if it is your first'
  const parts = [
    plan.name,
    ...(seats === 1 ? [] : [`${seats} seats`]),
    ...(isTrial
      ? [`${trial_days} days free${condition}`, `then ${price} ${period}`]
      : [`${price} ${period}`]),
  ]
  return { sentence: parts.join(', '), includedCredits: plan.credits_per_seat * seats, isTrial }
}

/** Why a selection cannot be bought, shown before the visitor creates an account. */
export type SelectionProblem =
  | { readonly kind: 'unknown_plan' }
  | { readonly kind: 'one_seat_only'; readonly plan: Plan; readonly seats: number }
  | { readonly kind: 'seats_out_of_range'; readonly nearest: number; readonly most: number }

export function selectionProblem(
  search: URLSearchParams,
  { maximum_seats: most }: { readonly maximum_seats: number },
): SelectionProblem | null {
  const named = search.get('plan')
  const { plan: plan_type } = readSelection(search)
  if (plan_type === null) return named ? { kind: 'unknown_plan' } : null
  const plan = planOf(plan_type)
  if (plan === freePlan) return null
  const seats = Number.parseInt(search.get('seats') ?? '', 10)
  if (Number.isNaN(seats)) return null
  if (seats < minimumSeats) return { kind: 'seats_out_of_range', nearest: minimumSeats, most }
  if (!plan.per_seat) return seats === 1 ? null : { kind: 'one_seat_only', plan, seats }
  return seats > most ? { kind: 'seats_out_of_range', nearest: most, most } : null
}

export function problemText(problem: SelectionProblem): string {
  switch (problem.kind) {
    case 'unknown_plan':
      return 'There is no such plan'
    case 'one_seat_only':
      return `${problem.plan.name} is for one person`
    case 'seats_out_of_range':
      return seatsText(problem.most)
  }
}

/** The same address with another selection; everything else in its query stays. */
export function withSelection(
  search: URLSearchParams,
  changes: { plan?: PlanType | null; seats?: number | null },
): string {
  const changed = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) changed.delete(name)
    else changed.set(name, String(value))
  }
  return `?${changed}`
}

/** A link to the nearest valid order; null where only the pricing page helps. */
export function repairOf(problem: SelectionProblem | null, search: URLSearchParams) {
  switch (problem?.kind) {
    case 'one_seat_only':
      return { text: `Continue with ${problem.plan.name}`, href: withSelection(search, { seats: null }) }
    case 'seats_out_of_range': {
      const { nearest } = problem
      const text = `Continue with ${nearest} ${nearest === 1 ? 'seat' : 'seats'}`
      return { text, href: withSelection(search, { seats: nearest }) }
    }
    default:
      return null
  }
}
