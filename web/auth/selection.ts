import { type Currency, currencies, defaultCurrency } from '../../schema/catalogue/currency.ts'
import { type BillingFrequency, type PlanType, planTypes } from '../../schema/catalogue/plans.ts'

/** What a visitor chose before signing up, passed from page to page in the query. */
export interface Selection {
  /** `null` when the query names no plan, or none that exists. */
  plan: PlanType | null
  billing: BillingFrequency
  currency: Currency
  seats: number
}

export function readSelection(search: URLSearchParams): Selection {
  const currency = search.get('currency')
  const plan = search.get('plan')
  return {
    plan: planTypes.find((known) => known === plan) ?? null,
    billing: search.get('billing') === 'yearly' ? 'yearly' : 'monthly',
    currency: currencies.find((known) => known === currency) ?? defaultCurrency,
    seats: readSeats(search.get('seats')),
  }
}

/** Parsed as an integer, so `3.7` is 3. Without at least one, it is one seat. */
function readSeats(text: string | null): number {
  const seats = Number.parseInt(text ?? '', 10)
  return Number.isSafeInteger(seats) && seats >= 1 ? seats : 1
}
