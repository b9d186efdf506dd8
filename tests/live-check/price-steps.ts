import type Stripe from 'stripe'
import type { Step } from './findings.ts'
import {
  findPortal,
  findPrice,
  giveUpSeats,
  must,
  newCustomer,
  outcomeOf,
  type StripeAccount,
  subscribe,
} from './stripe-account.ts'

/** Prices that a portal does not list, tax, and a key that may not do everything. */
export function priceSteps(options: StripeAccount & { readonly restricted: Stripe | null }): Step[] {
  const { stripe, app_url, running, restricted } = options
  return [
    [
      'the portal page for seats at a price that it does not list',
      async () => {
        const { product } = await findPrice(stripe, 'teams')
        const price = await stripe.prices.create({
          product: String(product),
          currency: 'eur',
          unit_amount: 2500,
          recurring: { interval: 'month' },
          tax_behavior: 'inclusive',
        })
        // A price cannot be deleted.
        running.defer(async () => {
          await stripe.prices.update(price.id, { active: false })
        })
        const customer = await newCustomer(options)
        const method = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
        const subscription = await stripe.subscriptions.create({
          customer: customer.id,
          default_payment_method: method.id,
          items: [{ price: price.id, quantity: 3 }],
        })
        return outcomeOf(async () => {
          const session = await stripe.billingPortal.sessions.create({
            configuration: await findPortal(stripe),
            customer: customer.id,
            flow_data: {
              type: 'subscription_update_confirm',
              subscription_update_confirm: {
                subscription: subscription.id,
                items: [{ id: must(subscription.items.data[0]).id, quantity: 5 }],
              },
            },
            return_url: app_url,
          })
          return { has_address: session.url.length > 0 }
        })
      },
    ],
    [
      'the next invoice while a change waits, by subscription and by schedule, and the card of its phases',
      async () => {
        const made = await subscribe(options, { plan_type: 'teams', quantity: 5 })
        const schedule = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
        const { id, default_settings } = schedule
        const { default_payment_method } = must(schedule.phases[0])
        await giveUpSeats(options, schedule, 2)
        const total = async (of: { subscription: string } | { schedule: string }) =>
          outcomeOf(async () => (await stripe.invoices.createPreview(of)).total)
        return {
          card_of_the_phase: default_payment_method !== null,
          card_of_the_schedule: default_settings.default_payment_method !== null,
          by_subscription: await total({ subscription: made.id }),
          by_schedule: await total({ schedule: id }),
        }
      },
    ],
    [
      'a search of charges by their amount',
      async () => {
        const search = (clause: string) =>
          outcomeOf(async () => {
            await stripe.charges.search({ query: `payment_method_details.card.last4:"4242" AND ${clause}` })
            return 'accepted'
          })
        return { colon: await search('amount:2000'), equals: await search('amount=2000') }
      },
    ],
    [
      'an invoice with tax',
      async () => {
        const address = { country: 'DE', postal_code: '10115', city: 'Berlin', line1: 'Invalidenstr. 1' }
        const customer = await newCustomer(options, { address })
        const method = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
        const price = await findPrice(stripe, 'pro')
        return outcomeOf(async () => {
          const { latest_invoice, automatic_tax } = await stripe.subscriptions.create({
            customer: customer.id,
            default_payment_method: method.id,
            items: [{ price: price.id }],
            automatic_tax: { enabled: true },
            expand: ['latest_invoice'],
          })
          const invoice = typeof latest_invoice === 'object' ? latest_invoice : null
          return {
            is_taxed: automatic_tax.enabled,
            status: invoice?.automatic_tax.status ?? null,
            total: invoice?.total ?? null,
            behavior: invoice?.total_taxes?.[0]?.tax_behavior ?? null,
            has_tax: (invoice?.total_taxes?.[0]?.amount ?? 0) > 0,
          }
        })
      },
    ],
    [
      'a restricted key that may read customers only',
      async () => {
        if (!restricted) return 'not looked at: LIVE_CHECK_RESTRICTED_KEY is not set'
        return {
          customers: await outcomeOf(async () => {
            await restricted.customers.list({ limit: 1 })
            return 'allowed'
          }),
          subscriptions: await outcomeOf(async () => {
            await restricted.subscriptions.list({ limit: 1 })
            return 'allowed'
          }),
          a_change_of_what_does_not_exist: await outcomeOf(async () => {
            await restricted.customers.update('cus_live_check', { name: 'live-check' })
            return 'allowed'
          }),
        }
      },
    ],
  ]
}
