import Stripe from 'stripe'
import type { Currency } from '../../schema/catalogue/currency.ts'
import type { PlanType } from '../../schema/catalogue/plans.ts'
import { priceLookupKey } from '../../schema/catalogue/sold-plans.ts'
import { isPortal } from '../../schema/vendors/stripe/catalogue.ts'
import { objectOfStripeEvent } from '../../schema/vendors/stripe/event-types.ts'
import { idOf } from '../../schema/vendors/stripe/events.ts'
import type { Finding } from './findings.ts'

export interface StripeAccount {
  readonly stripe: Stripe
  readonly app_url: string
  /** How long to wait for what Stripe does in its own time. */
  readonly patience_ms: number
  /** Whatever is left at the end is taken away again. */
  readonly running: AsyncDisposableStack
}

export const currency: Currency = 'EUR'

export async function newCustomer(
  { stripe, running }: Pick<StripeAccount, 'stripe' | 'running'>,
  more: Pick<Stripe.CustomerCreateParams, 'address' | 'test_clock'> = {},
): Promise<Stripe.Customer> {
  const customer = await stripe.customers.create({
    name: 'live-check',
    email: 'live-check@example.com',
    metadata: { live_check: 'true' },
    ...more,
  })
  // Its subscriptions end with it.
  running.defer(async () => {
    await stripe.customers.del(customer.id)
  })
  return customer
}

export async function subscribe(
  options: StripeAccount,
  terms: {
    plan_type: PlanType
    quantity: number
    trial_period_days?: number
    card?: string
    test_clock?: string
  },
): Promise<Stripe.Subscription> {
  const { stripe } = options
  const customer = await newCustomer(options, terms.test_clock ? { test_clock: terms.test_clock } : {})
  const method = await stripe.paymentMethods.attach(terms.card ?? 'pm_card_visa', { customer: customer.id })
  const price = await findPrice(stripe, terms.plan_type)
  return stripe.subscriptions.create({
    customer: customer.id,
    currency: currency.toLowerCase(),
    default_payment_method: method.id,
    items: [{ price: price.id, quantity: terms.quantity }],
    ...(terms.trial_period_days && { trial_period_days: terms.trial_period_days }),
  })
}

export async function findPrice(stripe: Stripe, plan_type: PlanType): Promise<Stripe.Price> {
  const { data } = await stripe.prices.list({
    lookup_keys: [priceLookupKey({ plan_type, billing_frequency: 'monthly' })],
    expand: ['data.currency_options'],
  })
  if (!data[0]) throw new Error(`There is no price for ${plan_type}: npm run stripe:setup makes it`)
  return data[0]
}

/** The portal of those who subscribe at the present price. */
export async function findPortal(stripe: Stripe): Promise<string> {
  const { id: price_id } = await findPrice(stripe, 'teams')
  for await (const found of stripe.billingPortal.configurations.list({ active: true })) {
    if (isPortal(found, { kind: 'organization', price_id })) return found.id
  }
  throw new Error('There is no portal for organizations: npm run stripe:setup makes it')
}

/** Has a schedule give up seats at the end of the period, and returns it as it is then. */
export async function giveUpSeats(
  { stripe }: StripeAccount,
  { id, phases: [phase] }: Stripe.SubscriptionSchedule,
  left: number,
): Promise<Stripe.SubscriptionSchedule> {
  const { start_date, end_date, items } = must(phase)
  const { price, quantity = 1 } = must(items[0])
  const now = { items: [{ price: idOf(price), quantity }], start_date, end_date }
  const then = { items: [{ price: idOf(price), quantity: left }] }
  return stripe.subscriptionSchedules.update(id, {
    end_behavior: 'release',
    phases: [now, then].map((one) => ({ ...one, proration_behavior: 'none' as const })),
  })
}

/** What there is to be seen of a subscription; periods as their number of days. */
export function summarize(subscription: Stripe.Subscription): { readonly [name: string]: Finding } {
  const { cancel_at, cancel_at_period_end, status, trial_end, trial_start } = subscription
  const [item] = subscription.items.data
  return {
    status,
    items: subscription.items.data.map(({ price, quantity }) => ({
      lookup_key: price.lookup_key,
      quantity: quantity ?? null,
    })),
    trial_days: trial_start && trial_end ? Math.round((trial_end - trial_start) / 86_400) : null,
    ends:
      cancel_at === null ? null : cancel_at === item?.current_period_end ? 'with the period' : 'otherwise',
    cancel_at_period_end,
    has_schedule: subscription.schedule !== null,
  }
}

/** Its invoices, oldest first, once there are at least `count` and none is a draft. */
export async function invoicesOf(
  options: StripeAccount,
  subscription: Stripe.Subscription,
  count: number,
): Promise<Finding> {
  const { stripe } = options
  const list = async () => (await stripe.invoices.list({ subscription: subscription.id })).data
  const settled = await waitFor(options, async () => {
    const invoices = await list()
    return invoices.length >= count && invoices.every(({ status }) => status !== 'draft') ? invoices : null
  })
  const oldestFirst = (settled ?? (await list())).toReversed()
  return oldestFirst.map(({ billing_reason, lines, status, total }) => ({
    billing_reason,
    status,
    total: roughly(total),
    lines: lines.data.map(({ amount, parent, pricing, quantity, period }) => ({
      amount: roughly(amount),
      quantity,
      is_proration: parent?.subscription_item_details?.proration ?? null,
      has_price: pricing?.price_details?.price !== undefined,
      days: Math.round((period.end - period.start) / 86_400) <= 14 ? 'up to 14' : 'more',
    })),
  }))
}

/** A prorated amount depends on the second, so amounts are compared in tens. */
function roughly(amount_minor: number): number {
  return Math.round(amount_minor / 10) * 10
}

export async function chargeOf(
  { stripe }: StripeAccount,
  subscription: Stripe.Subscription,
): Promise<Stripe.Charge | undefined> {
  const { data } = await stripe.charges.list({ customer: idOf(subscription.customer) })
  return data[0]
}

/** The types of our events since the subscription began. */
export async function eventsOf(
  options: StripeAccount,
  subscription: Stripe.Subscription,
  wanted: readonly string[],
): Promise<Finding> {
  const customer = idOf(subscription.customer)
  const list = async () => {
    const types = new Set<string>()
    const charges = new Set<string>()
    const since = { created: { gte: subscription.created }, limit: 100 }
    for await (const { id } of options.stripe.charges.list({ customer })) charges.add(id)
    for await (const event of options.stripe.events.list(since)) {
      const object = event.data.object as { customer?: unknown; charge?: unknown }
      const isOurs = object.customer === customer || charges.has(String(object.charge))
      if (isOurs && objectOfStripeEvent(event.type)) types.add(event.type)
    }
    return types
  }
  const seen = await waitFor(options, async () => {
    const types = await list()
    return wanted.every((type) => types.has(type)) ? types : null
  })
  return [...(seen ?? (await list()))].sort()
}

/** A refusal is a finding, too. */
export async function outcomeOf(call: () => Promise<Finding>): Promise<Finding> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error
    const { code = null, decline_code = null, statusCode = null, type } = error
    return { refused: { type, code, decline_code, status: statusCode } }
  }
}

/** Null when the patience is over. */
export async function waitFor<T>(
  { patience_ms }: StripeAccount,
  find: () => Promise<T | null>,
): Promise<T | null> {
  const until = performance.now() + patience_ms
  for (let pause_ms = 100; ; pause_ms = Math.min(pause_ms * 2, 5000)) {
    const found = await find()
    if (found !== null || performance.now() > until) return found
    await new Promise((resolve) => setTimeout(resolve, pause_ms))
  }
}

export function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('An earlier step broke')
  return value
}
