import type { Step } from './findings.ts'
import {
  chargeOf,
  eventsOf,
  invoicesOf,
  must,
  outcomeOf,
  type StripeAccount,
  subscribe,
  summarize,
  waitFor,
} from './stripe-account.ts'

/** A refund, a disputed payment, and a card that cannot be charged. */
export function moneyBackSteps(options: StripeAccount): Step[] {
  const { stripe } = options
  return [
    [
      'a refund of a part',
      async () => {
        const subscription = await subscribe(options, { plan_type: 'pro', quantity: 1 })
        const charge = must(await chargeOf(options, subscription))
        const refund = await stripe.refunds.create({ charge: charge.id, amount: 500 })
        const after = await stripe.charges.retrieve(charge.id)
        return {
          refund: { amount: refund.amount, status: refund.status, currency: refund.currency },
          charge: { amount: after.amount, amount_refunded: after.amount_refunded, refunded: after.refunded },
          more_than_is_left: await outcomeOf(async () => {
            await stripe.refunds.create({ charge: charge.id, amount: 5000 })
            return 'accepted'
          }),
          events: await eventsOf(options, subscription, ['charge.refunded', 'refund.created']),
        }
      },
    ],
    [
      'a payment that is disputed',
      async () => {
        const card = 'pm_card_createDispute'
        const subscription = await subscribe(options, { plan_type: 'pro', quantity: 1, card })
        const disputed = await waitFor(options, async () => {
          const charge = await chargeOf(options, subscription)
          return charge?.disputed ? charge : null
        })
        const charge = must(disputed ?? undefined)
        const { data } = await stripe.disputes.list({ charge: charge.id })
        const dispute = must(data[0])
        return {
          amount: dispute.amount,
          reason: dispute.reason,
          status: dispute.status,
          is_charge_refundable: dispute.is_charge_refundable,
          taken: dispute.balance_transactions.map(({ amount, currency, type }) => ({
            // An account in another currency is paid in that.
            amount: currency === dispute.currency ? amount : 'converted',
            type,
          })),
          events: await eventsOf(options, subscription, ['charge.dispute.created']),
        }
      },
    ],
    [
      'a first payment that is declined',
      () =>
        outcomeOf(async () => {
          const card = 'pm_card_chargeCustomerFail'
          const subscription = await subscribe(options, { plan_type: 'pro', quantity: 1, card })
          return { ...summarize(subscription), invoices: await invoicesOf(options, subscription, 1) }
        }),
    ],
  ]
}
