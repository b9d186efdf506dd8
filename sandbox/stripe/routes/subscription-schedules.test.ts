import { expect, it } from 'vitest'
import { firstItem, newPlans, newSubscriber, typesSince } from '../testing/billing.ts'
import { startHarness } from '../testing/sandbox.ts'

const day = 86_400

async function start() {
  const harness = await startHarness()
  const { stripe } = harness
  const plans = await newPlans(harness)
  const subscriber = await newSubscriber(harness, {
    items: [{ price: plans.teams_monthly.id, quantity: 5 }],
  })
  const { subscription, item } = subscriber
  const current = () => stripe.subscriptions.retrieve(subscription.id)
  /** Plans a change for the end of the period, as an integration does it. */
  const plan = async (price: string, quantity: number) => {
    const { id, phases } = await stripe.subscriptionSchedules.create({ from_subscription: subscription.id })
    const [phase] = phases
    return stripe.subscriptionSchedules.update(id, {
      end_behavior: 'release',
      phases: [
        {
          items: [{ price: plans.teams_monthly.id, quantity: 5 }],
          start_date: phase?.start_date ?? 0,
          end_date: phase?.end_date ?? 0,
        },
        { items: [{ price, quantity }], proration_behavior: 'none' },
      ],
    })
  }
  const advance = (seconds: number) => harness.knob('clock/advance', { seconds })
  return { harness, stripe, plans, subscription, item, customer: subscriber.customer, current, plan, advance }
}

it('a schedule is completed when its last phase has ended, not when that began', async () => {
  const { harness, stripe, plans, plan, current, advance, item } = await start()
  const { id } = await plan(plans.teams_monthly.id, 3)
  await advance(31 * day + 60)
  const [, last] = (await stripe.subscriptionSchedules.retrieve(id)).phases
  expect(await current()).toMatchObject({ schedule: id, items: { data: [{ quantity: 3 }] } })
  expect(await stripe.subscriptionSchedules.retrieve(id)).toMatchObject({
    status: 'active',
    completed_at: null,
    current_phase: { start_date: item.current_period_end, end_date: last?.end_date },
  })
  expect(firstItem(await current()).current_period_end).toBe(last?.end_date)

  expect(await typesSince(harness, () => advance(31 * day))).toContain('subscription_schedule.completed')

  expect(await current()).toMatchObject({ schedule: null, items: { data: [{ quantity: 3 }] } })
  expect(await stripe.subscriptionSchedules.retrieve(id)).toMatchObject({
    status: 'completed',
    completed_at: last?.end_date,
    current_phase: null,
  })
})

it('a planned change of the interval begins its periods anew', async () => {
  const { plans, plan, current, advance, item } = await start()
  await plan(plans.pro_yearly.id, 1)
  await advance(31 * day + 60)
  const after = await current()
  expect(after.billing_cycle_anchor).toBe(item.current_period_end)
  expect(firstItem(after).price.id).toBe(plans.pro_yearly.id)
  expect(firstItem(after).current_period_end).toBeGreaterThanOrEqual(item.current_period_end + 365 * day)
})

it('a change at once replaces the planned one; releasing the schedule takes it back', async () => {
  const { harness, stripe, plans, plan, current, item } = await start()
  await plan(plans.teams_monthly.id, 3)
  expect(
    await typesSince(harness, () =>
      stripe.subscriptions.update(item.subscription, { items: [{ id: item.id, quantity: 6 }] }),
    ),
  ).toContain('subscription_schedule.released')
  expect(await current()).toMatchObject({ schedule: null, items: { data: [{ quantity: 6 }] } })

  const { id } = await plan(plans.teams_monthly.id, 2)
  await expect(
    stripe.subscriptions.update(item.subscription, { cancel_at_period_end: true }),
  ).rejects.toThrow('managed by the subscription schedule')
  await stripe.subscriptionSchedules.release(id)
  expect(await current()).toMatchObject({ schedule: null })
  await expect(stripe.subscriptionSchedules.release(id)).rejects.toThrow('released')
})
