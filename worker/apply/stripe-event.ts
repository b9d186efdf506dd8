import { z } from 'zod'
import { findIntent } from '../../schema/checkout/intents.ts'
import {
  type CheckoutEventType,
  checkoutEventTypes,
  checkoutSessionSchema,
  type StripeEvent,
  stripeEventSchema,
  stripeReferenceSchema,
} from '../../schema/stripe/events.ts'
import { intentIdOf } from '../../schema/stripe/metadata.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { NotYetError } from '../errors.ts'
import { applyCheckout } from './apply-checkout.ts'
import { type ApplyInTransaction, type EventPlanner, ignore } from './apply-event.ts'
import { applyClawback } from './clawback/apply-clawback.ts'
import { fetchCharge } from './clawback/charge-facts.ts'
import { planSubscription } from './subscription/plan-subscription.ts'

type PlanOne = (deps: WorkerDependencies, event: StripeEvent) => Promise<ApplyInTransaction>

/**
 * What follows from which type of event. Checkout sessions are believed for what cannot change any more; a subscription or a
 * charge is fetched, so that all events of one object end in the same place, in whatever order they come.
 */
const planners: Readonly<Record<string, PlanOne>> = {
  ...Object.fromEntries(checkoutEventTypes.map((type) => [type, planCheckout])),
  'customer.subscription.created': planSubscriptionEvent,
  'customer.subscription.updated': planSubscriptionEvent,
  'customer.subscription.deleted': planSubscriptionEvent,
  'customer.subscription.paused': planSubscriptionEvent,
  'customer.subscription.resumed': planSubscriptionEvent,
  'invoice.paid': planInvoice,
  'invoice.payment_failed': planInvoice,
  'charge.refunded': planCharge,
  'refund.created': planReferredCharge,
  'refund.updated': planReferredCharge,
  'refund.failed': planReferredCharge,
  'charge.dispute.created': planReferredCharge,
  'charge.dispute.updated': planReferredCharge,
  'charge.dispute.closed': planReferredCharge,
  'charge.dispute.funds_withdrawn': planReferredCharge,
  'charge.dispute.funds_reinstated': planReferredCharge,
}

export const planStripeEvent: EventPlanner = async (deps, payload) => {
  const event = stripeEventSchema.parse(payload)
  const plan = planners[event.type]
  return plan ? plan(deps, event) : ignore(`Nothing follows from ${event.type}`)
}

const occurredAt = (event: StripeEvent) => new Date(event.created * 1000)

async function planCheckout(deps: WorkerDependencies, event: StripeEvent): Promise<ApplyInTransaction> {
  const session = checkoutSessionSchema.parse(event.data.object)
  const intentId = intentIdOf(session)
  if (!intentId) return ignore(`Session ${session.id} was not started by us`)
  if (session.mode === 'subscription' && session.subscription) {
    return planSubscription(deps, session.subscription, { event_id: event.id, session_id: session.id })
  }
  return async (trx) => {
    const decision = await applyCheckout(trx, intentId, {
      session,
      signal: event.type as CheckoutEventType,
      event_id: event.id,
      occurred_at: occurredAt(event),
      actor: 'stripe',
    })
    if (!decision) throw new NotYetError(`Intent ${intentId} of session ${session.id} is not there yet`)
    return { state: 'applied', reason: decision.action === 'none' ? decision.reason : null }
  }
}

async function planSubscriptionEvent(
  deps: WorkerDependencies,
  event: StripeEvent,
): Promise<ApplyInTransaction> {
  const { id } = z.object({ id: z.string() }).parse(event.data.object)
  return planSubscription(deps, id, { event_id: event.id, session_id: null })
}

const invoiceSchema = z.object({
  parent: z
    .object({ subscription_details: z.object({ subscription: stripeReferenceSchema }).nullish() })
    .nullish(),
})

async function planInvoice(deps: WorkerDependencies, event: StripeEvent): Promise<ApplyInTransaction> {
  const id = invoiceSchema.parse(event.data.object).parent?.subscription_details?.subscription
  if (!id) return ignore('The invoice is of no subscription')
  return planSubscription(deps, id, { event_id: event.id, session_id: null })
}

async function planCharge(deps: WorkerDependencies, event: StripeEvent): Promise<ApplyInTransaction> {
  const { id } = z.object({ id: z.string() }).parse(event.data.object)
  return planClawback(deps, event, id)
}

async function planReferredCharge(deps: WorkerDependencies, event: StripeEvent): Promise<ApplyInTransaction> {
  const { charge } = z.object({ charge: stripeReferenceSchema.nullable() }).parse(event.data.object)
  return charge ? planClawback(deps, event, charge) : ignore('It concerns no charge')
}

async function planClawback(
  deps: WorkerDependencies,
  event: StripeEvent,
  id: string,
): Promise<ApplyInTransaction> {
  const charge = await fetchCharge(deps, id)
  if (charge.intent_id && !(await findIntent(deps.db, charge.intent_id))) {
    throw new NotYetError(`Intent ${charge.intent_id} of charge ${charge.id} is not there yet`)
  }
  const cause = { event_id: event.id, actor: 'stripe', now: deps.now() }
  if (!charge.subscription_id) return (trx) => applyClawback(trx, charge, cause)
  // What the invoice brought must stand in our books before any of it is taken back.
  const follow = await planSubscription(deps, charge.subscription_id, {
    event_id: event.id,
    session_id: null,
  })
  return async (trx) => {
    await follow(trx)
    return applyClawback(trx, charge, cause)
  }
}
