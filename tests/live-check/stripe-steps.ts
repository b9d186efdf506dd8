import { randomUUID } from 'node:crypto'
import Stripe from 'stripe'
import type { Currency } from '../../schema/catalogue/currency.ts'
import { priceLookupKey, type SoldPlanType } from '../../schema/catalogue/plans.ts'
import type { NewCreditPurchase, NewSubscriptionCheckout } from '../../schema/checkout/intents.ts'
import { portalMetadataKey } from '../../schema/stripe/catalogue.ts'
import { isStripeEventType } from '../../schema/stripe/event-types.ts'
import { creditPurchaseParams, subscriptionParams } from '../../server/checkout/session-params.ts'
import type { Finding, Step } from './findings.ts'

interface Options {
  readonly stripe: Stripe
  readonly app_url: string
  /** How long to wait for what Stripe does in its own time. */
  readonly patience_ms: number
  /** Whatever is left at the end is taken away again. */
  readonly running: AsyncDisposableStack
}

/** What the product asks of Stripe, in the order in which a customer would. Everything is made new and named `live-check`. */
export function stripeSteps(options: Options): Step[] {
  return [
    ...checkoutSteps(options),
    ...trialSteps(options),
    ...seatSteps(options),
    ...moneyBackSteps(options),
  ]
}

const trial_days = 14
const currency: Currency = 'EUR'

function checkoutSteps({ stripe, app_url, running }: Options): Step[] {
  const returns = {
    success_url: `${app_url}/payment/success?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${app_url}/payment/cancelled`,
  }
  const promised = {
    id: randomUUID(),
    user_id: 'user_live_check',
    currency,
    owner_id: 'user_live_check',
    owner_kind: 'user',
    created_at: new Date(),
    sweep_at: new Date(),
  } as const
  const open = async (params: Omit<Stripe.Checkout.SessionCreateParams, 'customer'>): Promise<Finding> => {
    const customer = await newCustomer({ stripe, running })
    const session = await stripe.checkout.sessions.create({ ...params, customer: customer.id })
    const { adaptive_pricing, amount_total, mode, payment_method_collection, payment_status, status } =
      session
    const expired = await stripe.checkout.sessions.expire(session.id)
    return {
      adaptive_pricing: adaptive_pricing?.enabled ?? null,
      amount_total,
      currency: session.currency,
      mode,
      payment_method_collection,
      payment_status,
      status,
      has_address: session.url !== null,
      after_expiring: { status: expired.status, has_address: expired.url !== null },
    }
  }
  const plan = async (terms: Pick<NewSubscriptionCheckout, 'plan_type' | 'seats' | 'trial_days'>) => {
    const price = await findPrice(stripe, terms.plan_type)
    const intent: NewSubscriptionCheckout = {
      ...promised,
      ...terms,
      kind: 'subscription',
      amount_minor: (price.currency_options?.eur?.unit_amount ?? 0) * terms.seats,
      billing_frequency: 'monthly',
      credits: 500,
      credits_per_seat: 500,
    }
    return open(subscriptionParams(intent, price.id, returns))
  }
  return [
    ['a payment page for a trial of Pro', () => plan({ plan_type: 'pro', seats: 1, trial_days })],
    ['a payment page for three seats of Teams', () => plan({ plan_type: 'teams', seats: 3, trial_days: 0 })],
    [
      'a payment page for 500 credits',
      () => {
        const intent: NewCreditPurchase = {
          ...promised,
          kind: 'credit_purchase',
          amount_minor: 700,
          credits: 500,
        }
        return open(creditPurchaseParams(intent, returns))
      },
    ],
  ]
}

function trialSteps(options: Options): Step[] {
  const { stripe } = options
  const made: { subscription?: Stripe.Subscription } = {}
  return [
    [
      'a trial of Pro begins',
      async () => {
        const subscription = await subscribe(options, {
          plan_type: 'pro',
          quantity: 1,
          trial_period_days: trial_days,
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

function seatSteps(options: Options): Step[] {
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
        const [phase] = schedule.phases
        const item = must(phase?.items[0])
        const { phases, status, end_behavior } = await stripe.subscriptionSchedules.update(schedule.id, {
          end_behavior: 'release',
          phases: [
            {
              items: [{ price: idOf(item.price), quantity: item.quantity ?? 1 }],
              start_date: must(phase).start_date,
              end_date: must(phase).end_date,
              proration_behavior: 'none',
            },
            { items: [{ price: idOf(item.price), quantity: 2 }], proration_behavior: 'none' },
          ],
        })
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

function moneyBackSteps(options: Options): Step[] {
  const { stripe } = options
  return [
    [
      'a refund of a part',
      async () => {
        const subscription = await subscribe(options, { plan_type: 'pro', quantity: 1 })
        const charge = must(await chargeOf(options, subscription))
        const refund = await stripe.refunds.create({ charge: charge.id, amount: 500 })
        const after = await stripe.charges.retrieve(charge.id)
        return {
          refund: { amount: refund.amount, status: refund.status, currency: refund.currency },
          charge: { amount: after.amount, amount_refunded: after.amount_refunded, refunded: after.refunded },
          more_than_is_left: await outcomeOf(async () => {
            await stripe.refunds.create({ charge: charge.id, amount: 5000 })
            return 'accepted'
          }),
          events: await eventsOf(options, subscription, ['charge.refunded', 'refund.created']),
        }
      },
    ],
    [
      'a payment that is disputed',
      async () => {
        const card = 'pm_card_createDispute'
        const subscription = await subscribe(options, { plan_type: 'pro', quantity: 1, card })
        const disputed = await waitFor(options, async () => {
          const charge = await chargeOf(options, subscription)
          return charge?.disputed ? charge : null
        })
        const charge = must(disputed ?? undefined)
        const { data } = await stripe.disputes.list({ charge: charge.id })
        const dispute = must(data[0])
        return {
          amount: dispute.amount,
          reason: dispute.reason,
          status: dispute.status,
          is_charge_refundable: dispute.is_charge_refundable,
          taken: dispute.balance_transactions.map(({ amount, currency, type }) => ({
            // An account in another currency is paid in that.
            amount: currency === dispute.currency ? amount : 'converted',
            type,
          })),
          events: await eventsOf(options, subscription, ['charge.dispute.created']),
        }
      },
    ],
    [
      'a first payment that is declined',
      () =>
        outcomeOf(async () => {
          const card = 'pm_card_chargeCustomerFail'
          const subscription = await subscribe(options, { plan_type: 'pro', quantity: 1, card })
          return { ...summarize(subscription), invoices: await invoicesOf(options, subscription, 1) }
        }),
    ],
  ]
}

type FlowData = NonNullable<Stripe.BillingPortal.SessionCreateParams['flow_data']>

async function newCustomer({
  stripe,
  running,
}: Pick<Options, 'stripe' | 'running'>): Promise<Stripe.Customer> {
  const customer = await stripe.customers.create({
    name: 'live-check',
    email: 'live-check@example.com',
    metadata: { live_check: 'true' },
  })
  // Its subscriptions end with it.
  running.defer(async () => {
    await stripe.customers.del(customer.id)
  })
  return customer
}

async function subscribe(
  options: Options,
  terms: { plan_type: SoldPlanType; quantity: number; trial_period_days?: number; card?: string },
): Promise<Stripe.Subscription> {
  const { stripe } = options
  const customer = await newCustomer(options)
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

async function findPrice(stripe: Stripe, plan_type: SoldPlanType): Promise<Stripe.Price> {
  const { data } = await stripe.prices.list({
    lookup_keys: [priceLookupKey({ plan_type, billing_frequency: 'monthly' })],
    expand: ['data.currency_options'],
  })
  if (!data[0]) throw new Error(`There is no price for ${plan_type}: npm run stripe:setup makes it`)
  return data[0]
}

async function findPortal(stripe: Stripe): Promise<string> {
  for await (const { id, metadata } of stripe.billingPortal.configurations.list({ active: true })) {
    if (metadata?.[portalMetadataKey] === 'organization') return id
  }
  throw new Error('There is no portal for organizations: npm run stripe:setup makes it')
}

/** What there is to be seen of a subscription; periods as their number of days. */
function summarize(subscription: Stripe.Subscription): { readonly [name: string]: Finding } {
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

/** Its invoices, oldest first, once there are so many and all of them are settled one way or another. */
async function invoicesOf(
  options: Options,
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

async function chargeOf(
  { stripe }: Options,
  subscription: Stripe.Subscription,
): Promise<Stripe.Charge | undefined> {
  const { data } = await stripe.charges.list({ customer: idOf(subscription.customer) })
  return data[0]
}

/** The types of events, of those that we handle, that have come since the subscription began. */
async function eventsOf(
  options: Options,
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
      if (isOurs && isStripeEventType(event.type)) types.add(event.type)
    }
    return types
  }
  const seen = await waitFor(options, async () => {
    const types = await list()
    return wanted.every((type) => types.has(type)) ? types : null
  })
  return [...(seen ?? (await list()))].sort()
}

/** A refusal is what we want to know, too. */
async function outcomeOf(call: () => Promise<Finding>): Promise<Finding> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error
    const { code = null, decline_code = null, statusCode = null, type } = error
    return { refused: { type, code, decline_code, status: statusCode } }
  }
}

/** Null when the patience is over. */
async function waitFor<T>({ patience_ms }: Options, find: () => Promise<T | null>): Promise<T | null> {
  const until = performance.now() + patience_ms
  for (let pause_ms = 100; ; pause_ms = Math.min(pause_ms * 2, 5000)) {
    const found = await find()
    if (found !== null || performance.now() > until) return found
    await new Promise((resolve) => setTimeout(resolve, pause_ms))
  }
}

function idOf(object: string | { readonly id: string }): string {
  return typeof object === 'string' ? object : object.id
}

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('An earlier step broke')
  return value
}
