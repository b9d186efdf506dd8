import type Stripe from 'stripe'

const hitsMax = 5
const day_s = 86_400

/** The last four digits of a card, an amount, and a day: `4242 20.00 2026-11-25`. */
export const cardPaymentForm = /^(\d{4}) €?(\d{1,6})(?:[.,](\d{2}))?(?:€| €| EUR)? (\d{4}-\d{2}-\d{2})$/i

/**
 * Ids of the invoices with this number. Stripe finds what is older than a minute
 * (https://docs.stripe.com/search#query-fields-for-invoices).
 */
export async function findInvoicesByNumber(stripe: Stripe, number: string): Promise<string[]> {
  const { data } = await stripe.invoices.search({ query: `number:"${number}"`, limit: hitsMax })
  return data.flatMap(({ id }) => id ?? [])
}

/**
 * Ids of the charges of a card's payment (https://docs.stripe.com/search#query-fields-for-charges). Also of
 * the days before and after: a customer reads the day off a statement of their bank.
 */
export async function findChargesOfCard(stripe: Stripe, text: string): Promise<string[]> {
  const [, last4, whole, cents = '00', day = ''] = cardPaymentForm.exec(text) ?? []
  const starts = Date.parse(day) / 1000
  if (!last4 || Number.isNaN(starts)) return []
  const query = [
    `payment_method_details.card.last4:"${last4}"`,
    `amount=${Number(whole) * 100 + Number(cents)}`,
    `created>=${starts - day_s}`,
    `created<${starts + 2 * day_s}`,
  ].join(' AND ')
  const { data } = await stripe.charges.search({ query, limit: hitsMax })
  return data.map(({ id }) => id)
}
