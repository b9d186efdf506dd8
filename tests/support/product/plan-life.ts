import type Stripe from 'stripe'
import { findLatestSubscription } from '../../../schema/billing/subscriptions/subscriptions.ts'
import { findBalance } from '../../../schema/ledger/read/balances.ts'
import type { PaidPurchase } from '../factories/paid-purchases.ts'
import { spendNow } from '../factories/transfers.ts'
import type { TestProduct } from './start-test-product.ts'

/** Steps of a customer, their bank and us after a purchase. Events arrive at `worker.catchUp`. */
export function planLife({ database, stripe, worker, clock, advanceDays }: TestProduct) {
  const update = ({ subscription_id }: PaidPurchase, changes: Stripe.SubscriptionUpdateParams) =>
    stripe.client.subscriptions.update(subscription_id ?? '', changes)
  return {
    update,
    balance: ({ owner_id }: PaidPurchase) => findBalance(database.owner, owner_id),
    row: ({ owner_id }: PaidPurchase) => findLatestSubscription(database.owner, owner_id),
    /** Says whether there were enough. */
    async use({ owner_id, user_id }: PaidPurchase, credits: number) {
      const fields = { actor: user_id, occurred_at: clock.now() }
      return (await spendNow(database.server, owner_id, credits, fields)).outcome === 'posted'
    },
    async cancel({ subscription_id }: PaidPurchase) {
      await stripe.client.subscriptions.cancel(subscription_id ?? '')
    },
    /** Invoiced at once; `at` is a moment of Stripe's, in seconds. */
    async changeSeats(bought: PaidPurchase, quantity: number, at?: number) {
      const subscription = await stripe.client.subscriptions.retrieve(bought.subscription_id ?? '')
      await update(bought, {
        items: [{ id: subscription.items.data[0]?.id ?? '', quantity }],
        proration_behavior: 'always_invoice',
        ...(at !== undefined && { proration_date: at }),
      })
    },
    /** The customer's charges, newest first; of one invoice that is the first. */
    charges: async ({ customer_id }: PaidPurchase) =>
      (await stripe.client.charges.list({ customer: customer_id, limit: 100 })).data,
    async refund(charge: Stripe.Charge | undefined, amount?: number) {
      await stripe.client.refunds.create({ charge: charge?.id ?? '', ...(amount && { amount }) })
    },
    /** Returns the dispute's id. */
    async dispute(charge: Stripe.Charge | undefined) {
      const id = charge?.id ?? ''
      await stripe.knob(`charges/${id}/dispute`)
      return (await stripe.client.disputes.list({ charge: id, limit: 1 })).data[0]?.id ?? ''
    },
    closeDispute: (id: string, outcome: 'won' | 'lost') => stripe.knob(`disputes/${id}/close`, { outcome }),
    /** Lets time pass to so many seconds after the end of the period, at which the renewal is a draft. */
    async toPeriodEnd({ subscription_id }: Pick<PaidPurchase, 'subscription_id'>, after_s: number) {
      const { items } = await stripe.client.subscriptions.retrieve(subscription_id ?? '')
      const end_s = (items.data[0]?.current_period_end ?? 0) + after_s
      await advanceDays((end_s - clock.now().getTime() / 1000) / 86_400)
    },
    /** Lets days pass and everything arrive. */
    async live(days: number) {
      await advanceDays(days)
      await worker.catchUp()
    },
    /** Back to today, without customers at Stripe: old plans would be renewed in later tests. */
    async startOver() {
      await stripe.knob('reset')
      clock.reset()
    },
  }
}
