export const currencies = ['EUR', 'USD', 'GBP'] as const
export type Currency = (typeof currencies)[number]

export const defaultCurrency: Currency = 'EUR'

/** Formats minor units (cents) for people: `formatMoney(700, 'EUR')` is "€7.00". */
export function formatMoney(amountMinor: number, currency: Currency): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(amountMinor / 100)
}
