import type { StoredCustomer, StoredInvoiceLine } from '../state.ts'

/**
 * Standard rates in per cent. The account counts as registered in these countries, and has its seat in the
 * first.
 */
const rates: Readonly<Record<string, number>> = { DE: 19, AT: 20, FR: 20, GB: 20, IE: 23, NL: 21 }
export const taxedCountries = Object.keys(rates)

type Taxed = Pick<StoredCustomer, 'address' | 'known_tax_ids'>

/**
 * A company abroad that gives its tax id owes the tax itself, so none is in the amount:
 * https://docs.stripe.com/tax/zero-tax#reverse-charges
 */
function rateOf({ address, known_tax_ids = [] }: Taxed): number {
  const country = address?.country ?? ''
  if (country !== taxedCountries[0] && known_tax_ids.length > 0) return 0
  return rates[country] ?? 0
}

/**
 * The part of an amount that is tax. "When set to inclusive, the amount your buyer pays never changes, even
 * if the tax rate varies": https://docs.stripe.com/tax/products-prices-tax-codes-tax-behavior#tax-behavior
 */
export function includedTax(amount: number, customer: Taxed): number {
  const rate = rateOf(customer)
  return Math.round((amount * rate) / (100 + rate))
}

export type LineTax = NonNullable<StoredInvoiceLine['taxes']>[number]

export function taxLine(amount: number, customer: Taxed): LineTax {
  const tax = includedTax(amount, customer)
  return {
    amount: tax,
    tax_behavior: 'inclusive',
    tax_rate_details: null,
    taxability_reason:
      (customer.known_tax_ids ?? []).length > 0 && tax === 0 ? 'reverse_charge' : 'standard_rated',
    taxable_amount: amount - tax,
    type: 'tax_rate_details',
  }
}

/** The kind of a tax id, by the country of the buyer: https://docs.stripe.com/billing/customer/tax-ids */
export function taxIdType(country: string | null | undefined): 'eu_vat' | 'gb_vat' | 'us_ein' {
  if (country === 'GB') return 'gb_vat'
  return country === 'US' ? 'us_ein' : 'eu_vat'
}
