import { z } from 'zod'
import type { Json } from '../../schema/database/types.ts'
import {
  type CheckoutEventType,
  checkoutEventTypes,
  isStripeEventType,
  type StripeEventType,
} from '../../schema/stripe/event-types.ts'
import {
  checkoutSessionSchema,
  type StripeEvent,
  stripeEventSchema,
  stripeReferenceSchema,
} from '../../schema/stripe/events.ts'
import { intentIdOf } from '../../schema/stripe/metadata.ts'
import { modeName } from '../../schema/stripe/mode.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { syncCharge } from './charge/sync-charge.ts'
import { type ApplyInTransaction, type EventNeeds, ignore } from './event-needs.ts'
import { finalizeSoon } from './subscription/finalize-soon.ts'
import { syncSubscription } from './subscription/sync-subscription.ts'

type PrepareStripeEvent = (deps: WorkerDependencies, event: StripeEvent) => Promise<ApplyInTransaction>

/**
 * Reads an event. Checkout sessions are trusted for what cannot change any more; a subscription or a charge
 * is fetched, so that all events of one object have the same result, in any order. Throws when its
 * format is not recognized.
 */
export function readStripeEvent(payload: Json, us: Pick<WorkerDependencies, 'livemode'>): EventNeeds {
  const event = stripeEventSchema.parse(payload)
  const { type, livemode = us.livemode } = event
  if (!isStripeEventType(type)) return nothing(`We do not handle events of type ${type}`)
  if (livemode !== us.livemode) {
    return nothing(`It happened in ${modeName(livemode)}; our key is one of ${modeName(us.livemode)}`)
  }
  if (!isCheckoutEventType(type)) return { needs: 'fetch', fetch: (deps) => fetchers[type](deps, event) }
  const { data: session, error } = checkoutSessionSchema.safeParse(event.data.object)
  const mark = session ?? sessionMarkSchema.parse(event.data.object)
  const intent_id = intentIdOf(mark)
  if (!intent_id) return nothing(`Session ${mark.id} was not started by us`)
  if (!session) throw error
  const { subscription } = session
  const cause = { event_id: event.id, actor: 'stripe' }
  if (session.mode === 'subscription' && subscription) {
    const fetch = (deps: WorkerDependencies) =>
      syncSubscription(deps, subscription, { ...cause, session_id: session.id, intent_id })
    return { needs: 'fetch', fetch }
  }
  const news = { ...cause, session, signal: type, occurred_at: new Date(event.created * 1000) }
  return { needs: 'checkout', checkout: { intent_id, news } }
}

/** Of a session that is not ours no other form is expected. */
const sessionMarkSchema = checkoutSessionSchema.pick({ id: true, client_reference_id: true, metadata: true })

function nothing(reason: string): EventNeeds {
  return { needs: 'nothing', reason }
}

/** What is fetched for which type of event. */
const fetchers: Readonly<Record<Exclude<StripeEventType, CheckoutEventType>, PrepareStripeEvent>> = {
  'customer.subscription.created': prepareSubscriptionEvent,
  'customer.subscription.updated': prepareSubscriptionEvent,
  'customer.subscription.deleted': prepareSubscriptionEvent,
  'customer.subscription.paused': prepareSubscriptionEvent,
  'customer.subscription.resumed': prepareSubscriptionEvent,
  'subscription_schedule.created': prepareSchedule,
  'subscription_schedule.updated': prepareSchedule,
  'subscription_schedule.released': prepareSchedule,
  'subscription_schedule.completed': prepareSchedule,
  'subscription_schedule.canceled': prepareSchedule,
  'subscription_schedule.aborted': prepareSchedule,
  'invoice.created': prepareNewInvoice,
  'invoice.paid': prepareInvoice,
  'invoice.payment_failed': prepareInvoice,
  'invoice.payment_action_required': prepareInvoice,
  // What waits for an invoice comes with its subscription's event, and goes without one.
  'invoiceitem.deleted': prepareInvoice,
  'charge.refunded': prepareCharge,
  'refund.created': prepareReferredCharge,
  'refund.updated': prepareReferredCharge,
  'refund.failed': prepareReferredCharge,
  'charge.dispute.created': prepareReferredCharge,
  'charge.dispute.updated': prepareReferredCharge,
  'charge.dispute.closed': prepareReferredCharge,
  'charge.dispute.funds_withdrawn': prepareReferredCharge,
  'charge.dispute.funds_reinstated': prepareReferredCharge,
}

function isCheckoutEventType(type: StripeEventType): type is CheckoutEventType {
  return (checkoutEventTypes as readonly string[]).includes(type)
}

async function prepareSubscriptionEvent(
  deps: WorkerDependencies,
  event: StripeEvent,
): Promise<ApplyInTransaction> {
  const { id } = z.object({ id: z.string() }).parse(event.data.object)
  return syncSubscription(deps, id, { event_id: event.id, actor: 'stripe', session_id: null })
}

const scheduleSchema = z.object({
  subscription: stripeReferenceSchema.nullish(),
  released_subscription: z.string().nullish(),
})

/** What is scheduled for a subscription is fetched with it. */
async function prepareSchedule(deps: WorkerDependencies, event: StripeEvent): Promise<ApplyInTransaction> {
  const { subscription, released_subscription } = scheduleSchema.parse(event.data.object)
  const id = subscription ?? released_subscription
  if (!id) return ignore('The schedule has no subscription')
  return syncSubscription(deps, id, { event_id: event.id, actor: 'stripe', session_id: null })
}

const invoiceSchema = z.object({
  /**
   * Where invoices had it before 2025: Stripe's list has events in the version of the account, not in ours.
   */
  subscription: stripeReferenceSchema.nullish(),
  parent: z
    .object({ subscription_details: z.object({ subscription: stripeReferenceSchema }).nullish() })
    .nullish(),
})

const newInvoiceSchema = invoiceSchema.extend({ id: z.string(), billing_reason: z.string().nullable() })

/** Of the invoices that Stripe makes, only one of a renewal or of the end of a trial is a draft at first. */
async function prepareNewInvoice(deps: WorkerDependencies, event: StripeEvent): Promise<ApplyInTransaction> {
  const invoice = newInvoiceSchema.parse(event.data.object)
  const subscription = subscriptionOf(invoice)
  return invoice.billing_reason === 'subscription_cycle' && subscription
    ? finalizeSoon(deps, { id: invoice.id, subscription })
    : ignore('The invoice is not one of a renewal')
}

function subscriptionOf({ parent, subscription }: z.infer<typeof invoiceSchema>) {
  return parent?.subscription_details?.subscription ?? subscription
}

async function prepareInvoice(deps: WorkerDependencies, event: StripeEvent): Promise<ApplyInTransaction> {
  const id = subscriptionOf(invoiceSchema.parse(event.data.object))
  if (!id) return ignore('The invoice does not belong to a subscription')
  return syncSubscription(deps, id, { event_id: event.id, actor: 'stripe', session_id: null })
}

async function prepareCharge(deps: WorkerDependencies, event: StripeEvent): Promise<ApplyInTransaction> {
  const { id } = z.object({ id: z.string() }).parse(event.data.object)
  return syncCharge(deps, id, { event_id: event.id, actor: 'stripe' })
}

async function prepareReferredCharge(
  deps: WorkerDependencies,
  event: StripeEvent,
): Promise<ApplyInTransaction> {
  const { charge } = z.object({ charge: stripeReferenceSchema.nullable() }).parse(event.data.object)
  return charge
    ? syncCharge(deps, charge, { event_id: event.id, actor: 'stripe' })
    : ignore('The refund or dispute names no charge')
}
