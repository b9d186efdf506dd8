import type Stripe from 'stripe'
import { idOf } from '../../schema/vendors/stripe/events.ts'
import type { Step } from './findings.ts'
import {
  eventsOf,
  findPortal,
  giveUpSeats,
  invoicesOf,
  must,
  outcomeOf,
  type StripeAccount,
  subscribe,
  summarize,
} from './stripe-account.ts'

/** Seats are added, given up at the end of the period, and the subscription is cancelled while that waits. */
export function seatSteps(options: StripeAccount): Step[] {
  const { stripe, app_url } = options
  const made: { subscription?: Stripe.Subscription; schedule?: string } = {}
  const itemOf = (subscription: Stripe.Subscription) => must(subscription.items.data[0])
  const openPortal = async (flow: (subscription: Stripe.Subscription) => FlowData) => {
    const subscription = must(made.subscription)
    return outcomeOf(async () => {
      const session = await stripe.billingPortal.sessions.create({
        configuration: await findPortal(stripe),
        customer: idOf(subscription.customer),
        flow_data: flow(subscription),
        return_url: app_url,
      })
      return { has_address: session.url.length > 0 }
    })
  }
  const confirm =
    (quantity: number) =>
    (subscription: Stripe.Subscription): FlowData => ({
      type: 'subscription_update_confirm',
      subscription_update_confirm: {
        subscription: subscription.id,
        items: [{ id: itemOf(subscription).id, quantity }],
      },
    })
  const cancel = (subscription: Stripe.Subscription): FlowData => ({
    type: 'subscription_cancel',
    subscription_cancel: { subscription: subscription.id },
  })
  return [
    [
      'Teams with three seats begins',
      async () => {
        made.subscription = await subscribe(options, { plan_type: 'teams', quantity: 3 })
        return { ...summarize(made.subscription), invoices: await invoicesOf(options, made.subscription, 1) }
      },
    ],
    ['the portal page for five seats', () => openPortal(confirm(5))],
    [
      'two seats are added',
      async () => {
        const before = must(made.subscription)
        made.subscription = await stripe.subscriptions.update(before.id, {
          items: [{ id: itemOf(before).id, quantity: 5 }],
          proration_behavior: 'always_invoice',
        })
        return { ...summarize(made.subscription), invoices: await invoicesOf(options, made.subscription, 2) }
      },
    ],
    [
      'three seats are given up at the end of the period',
      async () => {
        const { id } = must(made.subscription)
        const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id })
        made.schedule = schedule.id
        const { phases, status, end_behavior } = await giveUpSeats(options, schedule, 2)
        const subscription = await stripe.subscriptions.retrieve(id)
        return {
          ...summarize(subscription),
          schedule: {
            status,
            end_behavior,
            quantities: phases.map((each) => each.items[0]?.quantity ?? null),
          },
        }
      },
    ],
    ['the portal page for six seats while a change is scheduled', () => openPortal(confirm(6))],
    ['the portal page to cancel while a change is scheduled', () => openPortal(cancel)],
    [
      'a cancellation while a change is scheduled',
      () =>
        outcomeOf(async () =>
          summarize(
            await stripe.subscriptions.update(must(made.subscription).id, { cancel_at_period_end: true }),
          ),
        ),
    ],
    [
      'the schedule is released, the seats stay',
      async () => {
        const { status } = await stripe.subscriptionSchedules.release(must(made.schedule))
        const subscription = await stripe.subscriptions.retrieve(must(made.subscription).id)
        return { ...summarize(subscription), schedule: status }
      },
    ],
    [
      'and the subscription can be cancelled',
      async () =>
        summarize(
          await stripe.subscriptions.update(must(made.subscription).id, { cancel_at_period_end: true }),
        ),
    ],
    ['events of seats', () => eventsOf(options, must(made.subscription), ['invoice.paid'])],
  ]
}

type FlowData = NonNullable<Stripe.BillingPortal.SessionCreateParams['flow_data']>
