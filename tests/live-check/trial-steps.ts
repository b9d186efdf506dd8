import type Stripe from 'stripe'
import type { Step } from './findings.ts'
import { eventsOf, invoicesOf, must, type StripeAccount, subscribe, summarize } from './stripe-account.ts'

/** A trial as the product sells it, ended before its time. */
export function trialSteps(options: StripeAccount): Step[] {
  const { stripe } = options
  const made: { subscription?: Stripe.Subscription } = {}
  return [
    [
      'a trial of Pro begins',
      async () => {
        const subscription = await subscribe(options, {
          plan_type: 'pro',
          quantity: 1,
          trial_period_days: 14,
        })
        made.subscription = subscription
        return { ...summarize(subscription), invoices: await invoicesOf(options, subscription, 1) }
      },
    ],
    [
      'the trial is ended early',
      async () => {
        const id = must(made.subscription).id
        const subscription = await stripe.subscriptions.update(id, {
          trial_end: 'now',
          proration_behavior: 'none',
        })
        return { ...summarize(subscription), invoices: await invoicesOf(options, subscription, 2) }
      },
    ],
    ['events of a trial', () => eventsOf(options, must(made.subscription), ['invoice.paid'])],
  ]
}
