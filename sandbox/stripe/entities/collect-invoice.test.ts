import type Stripe from 'stripe'
import { expect, it } from 'vitest'
import { startClockwork, subscribe, typesSince } from '../testing/billing.ts'

const hour = 3600
const day = 24 * hour
/** In seconds. After the shortest one the first retry is due before 31 days are over. */
const monthOf = ({ data: [item] }: Stripe.Subscription['items']) =>
  (item?.current_period_end ?? 0) - (item?.current_period_start ?? 0)

it('a card that fails at renewal is tried after 3, 5 and 7 days, then the subscription is canceled', async () => {
  const sandbox = await startClockwork()
  const { harness, stripe, advance } = sandbox
  const { id, items } = await subscribe(sandbox, '4000000000000341')
  const renewal = items.data[0]?.current_period_end ?? 0

  const types = await typesSince(harness, () => advance(monthOf(items) + hour + 60))
  expect(types.slice(-4)).toEqual([
    'charge.failed',
    'payment_intent.payment_failed',
    'invoice.payment_failed',
    'customer.subscription.updated',
  ])
  const late = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
  expect(late).toMatchObject({
    status: 'past_due',
    latest_invoice: { status: 'open', attempt_count: 1, next_payment_attempt: renewal + hour + 3 * day },
  })

  await advance(4 * day)
  const invoice = String((late.latest_invoice as Stripe.Invoice).id)
  expect(await stripe.invoices.retrieve(invoice)).toMatchObject({
    attempt_count: 2,
    next_payment_attempt: renewal + hour + 8 * day,
  })
  await advance(12 * day)
  expect(await stripe.invoices.retrieve(invoice)).toMatchObject({
    attempt_count: 4,
    next_payment_attempt: null,
    status: 'open',
  })
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({
    status: 'canceled',
    ended_at: renewal + hour + 15 * day,
    cancellation_details: { reason: 'payment_failed' },
  })
  expect((await harness.eventTypes()).at(-1)).toBe('customer.subscription.deleted')
})

it('a voided invoice is not tried again', async () => {
  const sandbox = await startClockwork()
  const { harness, stripe, advance } = sandbox
  const { id } = await subscribe(sandbox, '4000000000000341')
  await advance(31 * day + hour + 60)
  const { latest_invoice } = await stripe.subscriptions.retrieve(id)
  expect(await stripe.invoices.voidInvoice(String(latest_invoice))).toMatchObject({ status: 'void' })
  expect(await typesSince(harness, () => advance(20 * day))).toEqual([])
  await expect(stripe.invoices.pay(String(latest_invoice))).rejects.toThrow('void')
})

it('an older invoice that stays unpaid does not speak for a subscription that is paid since', async () => {
  const sandbox = await startClockwork()
  const { harness, stripe, advance } = sandbox
  const { id } = await subscribe(sandbox)
  await harness.knob(`subscriptions/${id}/renew`, { payment: 'fails' })
  const { latest_invoice } = await stripe.subscriptions.retrieve(id)
  await harness.knob(`subscriptions/${id}/renew`)
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' })

  await harness.knob(`subscriptions/${id}/card`, { card: '4000000000000341' })
  await advance(3 * day + 60)

  expect(await stripe.invoices.retrieve(String(latest_invoice))).toMatchObject({
    status: 'open',
    attempt_count: 2,
  })
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' })
})
