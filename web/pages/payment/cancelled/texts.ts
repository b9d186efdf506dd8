import type { OpenCheckout } from '../../../../schema/api/checkout.ts'
import { plans } from '../../../../schema/catalogue/plans.ts'
import { formatCredits, formatMoney } from '../../../components/format.ts'

export const happened = [
  'You cancelled the payment before it was completed',
  'No charge was made to your payment method',
  'Your account stays on its current plan',
]

/** Lists that a reader opens who wants to know more. */
export const folded = [
  {
    title: 'Common reasons',
    items: [
      'You pressed the back button or closed the window',
      'You wanted to review the plan details first',
      'The connection was interrupted',
      'You wanted to use another payment method',
    ],
  },
  {
    title: 'Troubleshooting tips',
    items: [
      'Make sure your account has sufficient funds',
      'Check that the card details are correct',
      'Try another payment method',
      'Temporarily disable ad blockers and browser extensions',
      'Clear your browser’s cache and cookies',
    ],
  },
]

/** What was left unpaid, and what it costs. */
export function describeOrder(order: OpenCheckout): { title: string; price: string } {
  const { planType, seats, credits, billingFrequency, amount_minor, currency, trial_days } = order
  const price = formatMoney(amount_minor, currency)
  if (!planType) return { title: `${formatCredits(credits)} credits`, price }
  const { name, per_seat } = plans[planType]
  const period = `${price} per ${billingFrequency === 'yearly' ? 'year' : 'month'}`
  return {
    title: per_seat ? `${name}, ${seats} ${seats === 1 ? 'seat' : 'seats'}` : name,
    price: trial_days > 0 ? `${trial_days} days free, then ${period}` : period,
  }
}
