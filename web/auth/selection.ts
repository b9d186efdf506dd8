import { type Currency, currencies, defaultCurrency } from '../../schema/catalogue/currency.ts'
import { type BillingFrequency, type PlanType, plans } from '../../schema/catalogue/plans.ts'
import { browserStores } from '../components/credits/browserStores.ts'

/** What a visitor chose before signing up, passed from page to page in the query. */
export interface Selection {
  /** `null` when the query names no plan, or none that exists. */
  plan: PlanType | null
  billing: BillingFrequency
  /** `null` when the query names none that prices are in: then it is the payer's, or the default. */
  currency: Currency | null
  seats: number
}

export function readSelection(search: URLSearchParams): Selection {
  const currency = search.get('currency')
  const plan = search.get('plan')
  return {
    plan: plans.find(({ plan_type }) => plan_type === plan)?.plan_type ?? null,
    billing: search.get('billing') === 'yearly' ? 'yearly' : 'monthly',
    currency: currencies.find((known) => known === currency) ?? null,
    seats: readSeats(search.get('seats')),
  }
}

/** Parsed as an integer, so `3.7` is 3. Without at least one, it is one seat. */
function readSeats(text: string | null): number {
  const seats = Number.parseInt(text ?? '', 10)
  return Number.isSafeInteger(seats) && seats >= 1 ? seats : 1
}

const storedName = 'charged-currency'

/** Keeps what the server charges a person in for the marketing pages, which know no session. */
export function rememberCurrency({ code, is_bound }: { code: Currency; is_bound: boolean }): void {
  browserStores().local.setItem(storedName, is_bound ? `${code} bound` : code)
}

export function rememberedCurrency(): string {
  return browserStores().local.getItem(storedName) ?? ''
}

/** The currency of prices: the one that the person's plan decides, else the one asked for, else the last. */
export function offeredCurrency(
  asked: Currency | null,
  remembered: string,
): { currency: Currency; is_bound: boolean } {
  const [code, bound] = remembered.split(' ')
  const last = currencies.find((known) => known === code)
  const is_bound = last !== undefined && bound === 'bound'
  return { currency: (is_bound ? last : (asked ?? last)) ?? defaultCurrency, is_bound }
}
