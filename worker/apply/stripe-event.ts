import { z } from 'zod'
import {
  type CheckoutEventType,
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
import { NotYetError } from '../errors.ts'
import { applyCheckout } from './apply-checkout.ts'
import { type ApplyInTransaction, ignore, type PrepareEvent } from './apply-event.ts'
import { syncCharge } from './charge/sync-charge.ts'
import { syncSubscription } from './subscription/sync-subscription.ts'

type PrepareStripeEvent = (deps: WorkerDependencies, event: StripeEvent) => Promise<ApplyInTransaction>

export const prepareStripeEvent: PrepareEvent = async (deps, payload) => {
  const event = stripeEventSchema.parse(payload)
  if (!isStripeEventType(event.type)) return ignore(`We do not handle events of type ${event.type}`)
  const { livemode = deps.livemode } = event
  if (livemode !== deps.livemode) {
    return ignore(`It happened in ${modeName(livemode)}; our key is one of ${modeName(deps.livemode)}`)
  }
  return handlers[event.type](deps, event)
}

/**
 * What follows from which type of event. Checkout sessions are trusted for what cannot change any more; a subscription or a
 * charge is fetched, so that all events of one object have the same result, in any order.
 */
const handlers: Readonly<Record<StripeEventType, PrepareStripeEvent>> = {
  'checkout.session.completed': prepareCheckout,
  'checkout.session.async_payment_succeeded': prepareCheckout,
  'checkout.session.async_payment_failed': prepareCheckout,
  'checkout.session.expired': prepareCheckout,
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
  'invoice.paid': prepareInvoice,
  'invoice.payment_failed': prepareInvoice,
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

const occurredAt = (event: StripeEvent) => new Date(event.created * 1000)

/** Of a session that is not ours no other form is expected. */
const sessionMarkSchema = checkoutSessionSchema.pick({ id: true, client_reference_id: true, metadata: true })

async function prepareCheckout(deps: WorkerDependencies, event: StripeEvent): Promise<ApplyInTransaction> {
  const mark = sessionMarkSchema.parse(event.data.object)
  const intentId = intentIdOf(mark)
  if (!intentId) return ignore(`Session ${mark.id} was not started by us`)
  const session = checkoutSessionSchema.parse(event.data.object)
  if (session.mode === 'subscription' && session.subscription) {
    return syncSubscription(deps, session.subscription, {
      event_id: event.id,
      actor: 'stripe',
      session_id: session.id,
    })
  }
  return async (trx) => {
    const decision = await applyCheckout(trx, intentId, {
      session,
      signal: event.type as CheckoutEventType,
      event_id: event.id,
      occurred_at: occurredAt(event),
      actor: 'stripe',
    })
    if (!decision)
      throw new NotYetError(`Checkout intent ${intentId} of session ${session.id} has not been committed yet`)
    return {
      state: 'applied',
      reason: decision.action === 'none' ? decision.reason : null,
      intent_id: intentId,
    }
  }
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
  /** Where invoices had it before 2025: Stripe's list has events in the version of the account, not in ours. */
  subscription: stripeReferenceSchema.nullish(),
  parent: z
    .object({ subscription_details: z.object({ subscription: stripeReferenceSchema }).nullish() })
    .nullish(),
})

async function prepareInvoice(deps: WorkerDependencies, event: StripeEvent): Promise<ApplyInTransaction> {
  const { parent, subscription } = invoiceSchema.parse(event.data.object)
  const id = parent?.subscription_details?.subscription ?? subscription
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
