import type Stripe from 'stripe'
import { idOf } from './events.ts'

/**
 * Checkout makes its card the subscription's own, and Stripe charges that one whatever card is the customer's
 * default. From now on the default is charged. A phase of a schedule has a card, too, which a subscription
 * gets when it begins; phases are given anew as a whole, so what a phase has beside items and discounts is lost.
 * The subscription is last: as long as it has a card, the whole is done again. `schedule` has to be expanded.
 * https://docs.stripe.com/api/subscriptions/object#subscription_object-default_payment_method
 * https://docs.stripe.com/api/subscription_schedules/update#update_subscription_schedule-phases
 */
export async function releaseCard(
  stripe: Stripe,
  { id, default_payment_method, schedule }: Stripe.Subscription,
): Promise<void> {
  if (typeof schedule === 'object' && schedule?.phases.some((phase) => phase.default_payment_method)) {
    await stripe.subscriptionSchedules.update(schedule.id, {
      phases: schedule.phases.map(({ start_date, end_date, items, discounts }) => ({
        start_date,
        end_date,
        proration_behavior: 'none' as const,
        items: items.map(({ price, quantity = 1 }) => ({ price: idOf(price), quantity })),
        ...(discounts.length > 0 && {
          discounts: discounts.flatMap(({ discount }) => (discount ? [{ discount: idOf(discount) }] : [])),
        }),
      })),
    })
  }
  if (default_payment_method) await stripe.subscriptions.update(id, { default_payment_method: '' })
}
