import type { Card } from '../../../schema/api/account.ts'

const brandNames: Readonly<Record<string, string>> = {
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  eftpos_au: 'Eftpos',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  unknown: 'Card',
  visa: 'Visa',
}

/** "Visa •••• 4242". */
export function cardName({ brand, last4 }: Card): string {
  return `${brandNames[brand] ?? brand} •••• ${last4}`
}

/** "12/34", as it is printed on the card. */
export function cardExpiry({ exp_month, exp_year }: Card): string {
  return `${String(exp_month).padStart(2, '0')}/${String(exp_year).slice(-2)}`
}
