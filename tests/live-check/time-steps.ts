import type Stripe from 'stripe'
import { idOf } from '../../schema/vendors/stripe/events.ts'
import type { Finding, Step } from './findings.ts'
import {
  chargeOf,
  eventsOf,
  giveUpSeats,
  invoicesOf,
  must,
  outcomeOf,
  type StripeAccount,
  subscribe,
  summarize,
  waitFor,
} from './stripe-account.ts'

const hour_s = 3600
const day_s = 86_400

/** What happens as time passes, on test clocks (https://docs.stripe.com/billing/testing/test-clocks). */
export function timeSteps(options: StripeAccount): Step[] {
  const { stripe, running } = options
  const startClock = async () => {
    const made = await stripe.testHelpers.testClocks.create({
      frozen_time: Math.floor(await timeOf(options)),
    })
    running.defer(async () => {
      await stripe.testHelpers.testClocks.del(made.id)
    })
    return made.id
  }
  const advanceTo = async (clock: string, frozen_time: number) => {
    await stripe.testHelpers.testClocks.advance(clock, { frozen_time })
    await waitFor(options, async () => {
      const { status } = await stripe.testHelpers.testClocks.retrieve(clock)
      return status === 'ready' ? true : null
    })
  }
  const periodEnd = ({ items }: Stripe.Subscription) => must(items.data[0]).current_period_end
  const latest = async ({ id }: Stripe.Subscription) => {
    const { latest_invoice } = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
    if (!latest_invoice || typeof latest_invoice === 'string') throw new Error('There is no invoice')
    return latest_invoice
  }

  return [
    [
      'a plan of a month over three periods: each renewal is a draft, is finalized, and is paid',
      async () => {
        const clock = await startClock()
        const subscription = await subscribe(options, { plan_type: 'pro', quantity: 1, test_clock: clock })
        const renewals: Finding[] = []
        let end = periodEnd(subscription)
        for (let period = 1; period <= 3; period++) {
          await advanceTo(clock, end + hour_s / 2)
          const draft = await latest(subscription)
          await advanceTo(clock, end + 2 * hour_s)
          const after = await latest(subscription)
          renewals.push({
            after_half_an_hour: draft.status,
            is_finalized_after_min: minutesBetween(draft.created, after.status_transitions.finalized_at),
            after_two_hours: after.status,
            total: after.total,
          })
          end = periodEnd(await stripe.subscriptions.retrieve(subscription.id))
        }
        return { renewals, events: await eventsOf(options, subscription, ['invoice.paid']) }
      },
    ],
    [
      'the draft of a renewal is finalized sooner',
      async () => {
        const clock = await startClock()
        const subscription = await subscribe(options, { plan_type: 'pro', quantity: 1, test_clock: clock })
        const end = periodEnd(subscription)
        await advanceTo(clock, end + 60)
        const draft = await latest(subscription)
        const schedule = (seconds: number) =>
          outcomeOf(async () => {
            const automatically_finalizes_at = end + 60 + seconds
            await stripe.invoices.update(draft.id ?? '', { automatically_finalizes_at })
            return 'accepted'
          })
        const accepted = { at_once: await schedule(0), in_a_minute: await schedule(60) }
        await advanceTo(clock, end + 600)
        const after = await latest(subscription)
        return { ...accepted, after_ten_minutes: after.status }
      },
    ],
    [
      'seats given up at the end of a period, followed over two periods',
      async () => {
        const clock = await startClock()
        const made = await subscribe(options, { plan_type: 'teams', quantity: 5, test_clock: clock })
        const schedule = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
        await giveUpSeats(options, schedule, 2)
        const seen: Finding[] = []
        let end = periodEnd(made)
        for (let period = 1; period <= 2; period++) {
          await advanceTo(clock, end + 2 * hour_s)
          const subscription = await stripe.subscriptions.retrieve(made.id)
          const { status, phases } = await stripe.subscriptionSchedules.retrieve(schedule.id)
          seen.push({ ...summarize(subscription), schedule: { status, phases: phases.length } })
          end = periodEnd(subscription)
        }
        return { seen, invoices: await invoicesOf(options, made, 3) }
      },
    ],
    [
      'a renewal that the customer has to confirm',
      async () => {
        const clock = await startClock()
        const subscription = await subscribe(options, {
          plan_type: 'pro',
          quantity: 1,
          trial_period_days: 1,
          card: 'pm_card_authenticationRequired',
          test_clock: clock,
        })
        await advanceTo(clock, periodEnd(subscription) + 2 * hour_s)
        const invoice = await latest(subscription)
        const { data } = await stripe.invoicePayments.list({
          invoice: invoice.id ?? '',
          expand: ['data.payment.payment_intent'],
        })
        const intent = data[0]?.payment.payment_intent
        await advanceTo(clock, periodEnd(subscription) + 5 * day_s)
        return {
          ...summarize(await stripe.subscriptions.retrieve(subscription.id)),
          invoice: { status: invoice.status, has_page: Boolean(invoice.hosted_invoice_url) },
          payment_intent: typeof intent === 'object' ? intent.status : null,
          attempts_after_five_days: (await latest(subscription)).attempt_count,
          events: await eventsOf(options, subscription, ['invoice.payment_action_required']),
        }
      },
    ],
    [
      'a new default card after a declined renewal, and which card the next try charges',
      async () => {
        const clock = await startClock()
        const terms = { plan_type: 'pro', quantity: 1, trial_period_days: 1, test_clock: clock } as const
        const { id, ...made } = await subscribe(options, { ...terms, card: 'pm_card_chargeCustomerFail' })
        const customer = idOf(made.customer)
        const failed_at = periodEnd({ id, ...made }) + 2 * hour_s
        await advanceTo(clock, failed_at)
        const events = await stripe.events.list({ type: 'invoice.payment_failed', limit: 20 })
        const told = events.data.map(({ data }) => data.object as Stripe.Invoice)
        const invoice = await latest({ id, ...made })
        const heard = told.find((one) => one.id === invoice.id)
        const card = await stripe.paymentMethods.attach('pm_card_visa', { customer })
        await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card.id } })
        const chargedAfter = async (days: number) => {
          await advanceTo(clock, failed_at + days * day_s)
          const { data } = await stripe.charges.list({ customer, limit: 1 })
          return { last4: data[0]?.payment_method_details?.card?.last4 ?? null, paid: data[0]?.paid ?? null }
        }
        const pinned = await chargedAfter(4)
        await stripe.subscriptions.update(id, { default_payment_method: '' })
        return {
          next_attempt_in_the_event: heard ? heard.next_payment_attempt !== null : 'no event',
          next_attempt_afterwards: invoice.next_payment_attempt !== null,
          pinned,
          released: await chargedAfter(10),
        }
      },
    ],
    [
      'a renewal without a location, and one that is finalized by a call',
      async () => {
        const renewed = async (does: 'waits' | 'finalizes') => {
          const clock = await startClock()
          const made = await subscribe(options, { plan_type: 'pro', quantity: 1, test_clock: clock })
          const customer = idOf(made.customer)
          const address = { country: 'DE', postal_code: '10115', city: 'Berlin', line1: 'Invalidenstr. 1' }
          await stripe.customers.update(customer, { address })
          await stripe.subscriptions.update(made.id, { automatic_tax: { enabled: true } })
          await stripe.customers.update(customer, {
            address: { country: '', postal_code: '', city: '', line1: '' },
          })
          await advanceTo(clock, periodEnd(made) + hour_s / 2)
          const draft = await latest(made)
          if (does === 'finalizes')
            return outcomeOf(async () => (await stripe.invoices.finalizeInvoice(draft.id ?? '')).status)
          await advanceTo(clock, periodEnd(made) + 3 * hour_s)
          const { automatic_tax } = await stripe.subscriptions.retrieve(made.id)
          const { status, automatic_tax: tax, total_taxes } = await latest(made)
          return {
            subscription: { enabled: automatic_tax.enabled, disabled_reason: automatic_tax.disabled_reason },
            invoice: { status, enabled: tax.enabled, disabled_reason: tax.disabled_reason },
            has_tax: (total_taxes?.length ?? 0) > 0,
          }
        }
        return outcomeOf(async () => ({
          by_itself: await renewed('waits'),
          by_a_call: await renewed('finalizes'),
        }))
      },
    ],
    [
      'a refund that fails',
      async () => {
        // https://docs.stripe.com/testing#refunds
        const card = 'pm_card_refundFail'
        const subscription = await subscribe(options, { plan_type: 'pro', quantity: 1, card })
        const charge = must(await chargeOf(options, subscription))
        const { id } = await stripe.refunds.create({ charge: charge.id, amount: 500 })
        const failed = await waitFor(options, async () => {
          const refund = await stripe.refunds.retrieve(id)
          return refund.status === 'failed' ? refund : null
        })
        const { amount_refunded, refunded } = await stripe.charges.retrieve(charge.id)
        return {
          refund: failed?.status ?? 'not failed yet',
          charge: { amount_refunded, refunded },
          events: await eventsOf(options, subscription, ['refund.failed']),
        }
      },
    ],
  ]
}

/** Where the account's time is: a new object says it. */
async function timeOf({ stripe, running }: StripeAccount): Promise<number> {
  const { id, created } = await stripe.customers.create({ name: 'live-check' })
  running.defer(async () => {
    await stripe.customers.del(id)
  })
  return created
}

function minutesBetween(from: number, to: number | null): number | null {
  return to === null ? null : Math.round((to - from) / 60)
}
