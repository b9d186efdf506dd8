import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import type { Subscription } from '../../../schema/billing/subscriptions/subscriptions.ts'
import { findLatestSubscription } from '../../../schema/billing/subscriptions/subscriptions.ts'
import { type Balance, findBalance } from '../../../schema/ledger/read/balances.ts'
import type { PaidPurchase } from '../factories/paid-purchases.ts'
import { spendOne } from '../factories/transfers.ts'
import type { TestProduct } from './start-test-product.ts'

/** Steps of a customer, their bank and us after a purchase. Events arrive at `worker.catchUp`. */
export interface PlanLife {
  balance(bought: PaidPurchase): Promise<Balance>
  row(bought: PaidPurchase): Promise<Subscription | undefined>
  /** Says whether there were enough. */
  use(bought: PaidPurchase, credits: number): Promise<boolean>
  cancel(bought: PaidPurchase): Promise<void>
  /** Invoiced at once; `at` is a moment of Stripe's, in seconds. */
  changeSeats(bought: PaidPurchase, quantity: number, at?: number): Promise<void>
  update(bought: PaidPurchase, changes: Stripe.SubscriptionUpdateParams): Promise<Stripe.Subscription>
  /** The customer's charges, newest first; of one invoice that is the first. */
  charges(bought: PaidPurchase): Promise<Stripe.Charge[]>
  refund(charge: Stripe.Charge | undefined, amount?: number): Promise<void>
  /** Returns the dispute's id. */
  dispute(charge: Stripe.Charge | undefined): Promise<string>
  closeDispute(id: string, outcome: 'won' | 'lost'): Promise<unknown>
  /** Lets time pass to so many seconds after the end of the period, at which the renewal is a draft. */
  toPeriodEnd(bought: Pick<PaidPurchase, 'subscription_id'>, after_s: number): Promise<void>
  /** Lets days pass and everything arrive. */
  live(days: number): Promise<void>
  /** Back to today, without customers at Stripe: old plans would be renewed in later tests. */
  startOver(): Promise<void>
}

export function planLife({ database, stripe, worker, clock, advanceDays }: TestProduct): PlanLife {
  const life: PlanLife = {
    balance: ({ owner_id }) => findBalance(database.owner, owner_id),
    row: ({ owner_id }) => findLatestSubscription(database.owner, owner_id),
    async use({ owner_id, user_id }, credits) {
      const fields = {
        idempotency_key: randomUUID(),
        occurred_at: clock.now(),
        actor: user_id,
        reason: 'Test',
      }
      return (await spendOne(database.server, { owner_id, credits, ...fields })).outcome === 'posted'
    },
    async cancel({ subscription_id }) {
      await stripe.client.subscriptions.cancel(subscription_id ?? '')
    },
    async changeSeats(bought, quantity, at) {
      const subscription = await stripe.client.subscriptions.retrieve(bought.subscription_id ?? '')
      await life.update(bought, {
        items: [{ id: subscription.items.data[0]?.id ?? '', quantity }],
        proration_behavior: 'always_invoice',
        ...(at !== undefined && { proration_date: at }),
      })
    },
    update: ({ subscription_id }, changes) =>
      stripe.client.subscriptions.update(subscription_id ?? '', changes),
    charges: async ({ customer_id }) =>
      (await stripe.client.charges.list({ customer: customer_id, limit: 100 })).data,
    async refund(charge, amount) {
      await stripe.client.refunds.create({ charge: charge?.id ?? '', ...(amount && { amount }) })
    },
    async dispute(charge) {
      const id = charge?.id ?? ''
      await stripe.knob(`charges/${id}/dispute`)
      return (await stripe.client.disputes.list({ charge: id, limit: 1 })).data[0]?.id ?? ''
    },
    closeDispute: (id, outcome) => stripe.knob(`disputes/${id}/close`, { outcome }),
    async toPeriodEnd({ subscription_id }, after_s) {
      const { items } = await stripe.client.subscriptions.retrieve(subscription_id ?? '')
      const end_s = (items.data[0]?.current_period_end ?? 0) + after_s
      await advanceDays((end_s - clock.now().getTime() / 1000) / 86_400)
    },
    async live(days) {
      await advanceDays(days)
      await worker.catchUp()
    },
    async startOver() {
      await stripe.knob('reset')
      clock.reset()
    },
  }
  return life
}
