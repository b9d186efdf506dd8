import { z } from 'zod'
import type { Json } from '../../schema/database/types.ts'
import { objectOfStripeEvent, type StripeEventObject } from '../../schema/vendors/stripe/event-types.ts'
import {
  checkoutSessionSchema,
  type StripeEvent,
  stripeEventSchema,
  stripeReferenceSchema,
} from '../../schema/vendors/stripe/events.ts'
import { intentIdOf } from '../../schema/vendors/stripe/metadata.ts'
import { modesOf } from '../../schema/vendors/stripe/mode.ts'
import { ignore, type Nothing } from './outcome.ts'

/** What has to be fetched from Stripe. */
export type StripeSubject =
  | { readonly of: 'checkout'; readonly session_id: string; readonly intent_id: string }
  | { readonly of: 'subscription'; readonly id: string }
  | { readonly of: 'draft_invoice'; readonly id: string; readonly subscription_id: string }
  | { readonly of: 'charge'; readonly id: string }
  | { readonly of: 'customer'; readonly id: string; readonly chosen_at_s: number }

/**
 * What an event is about. Nothing else that it says is believed but that it is none of ours, and when a
 * card was chosen: so all events of one thing have the same result, in any order. Throws when its format is
 * not recognized.
 */
export function readStripeSubject(
  payload: Json,
  us: { readonly livemode: boolean },
): StripeSubject | Nothing {
  const event = stripeEventSchema.parse(payload)
  const { type, livemode = us.livemode } = event
  const object = objectOfStripeEvent(type)
  if (!object) return ignore('not_handled', { type })
  if (livemode !== us.livemode) return ignore('other_mode', modesOf({ livemode }, us))
  return subjects[object](event)
}

/** By the object that the event carries. */
const subjects: Readonly<Record<StripeEventObject, (event: StripeEvent) => StripeSubject | Nothing>> = {
  'checkout.session': checkoutOf,
  subscription: ({ data }) => ({ of: 'subscription', id: withIdSchema.parse(data.object).id }),
  subscription_schedule: subscriptionOfSchedule,
  invoice: (event) => {
    if (event.type === 'invoice.created') return draftOf(event)
    return event.type === 'invoice.updated' ? openOf(event) : subscriptionOfInvoice(event)
  },
  invoiceitem: subscriptionOfInvoice,
  customer: customerOf,
  charge: ({ data }) => ({ of: 'charge', id: withIdSchema.parse(data.object).id }),
  refund: chargeOf,
  dispute: chargeOf,
}

const withIdSchema = z.object({ id: z.string() })

/** Of a session that is not ours no other form is expected. */
const sessionSchema = checkoutSessionSchema.pick({ id: true, client_reference_id: true, metadata: true })

function checkoutOf({ data }: StripeEvent): StripeSubject | Nothing {
  const session = sessionSchema.parse(data.object)
  const intent_id = intentIdOf(session)
  if (!intent_id) return ignore('not_sold', { id: session.id })
  return { of: 'checkout', session_id: session.id, intent_id }
}

const scheduleSchema = z.object({
  subscription: stripeReferenceSchema.nullish(),
  released_subscription: z.string().nullish(),
})

/** What is scheduled for a subscription is fetched with it. */
function subscriptionOfSchedule({ data }: StripeEvent): StripeSubject | Nothing {
  const { subscription, released_subscription } = scheduleSchema.parse(data.object)
  const id = subscription ?? released_subscription
  return id ? { of: 'subscription', id } : ignore('lacks', { what: 'subscription' })
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

function subscriptionOfInvoice({ data }: StripeEvent): StripeSubject | Nothing {
  const { parent, subscription } = invoiceSchema.parse(data.object)
  const id = parent?.subscription_details?.subscription ?? subscription
  return id ? { of: 'subscription', id } : ignore('lacks', { what: 'subscription' })
}

const newInvoiceSchema = z.object({ id: z.string(), billing_reason: z.string().nullable() })

/** Of the invoices that Stripe makes, only one of a renewal or of the end of a trial is a draft at first. */
function draftOf(event: StripeEvent): StripeSubject | Nothing {
  const { id, billing_reason } = newInvoiceSchema.parse(event.data.object)
  const subject = subscriptionOfInvoice(event)
  if (billing_reason !== 'subscription_cycle' || subject.of !== 'subscription')
    return ignore('lacks', { what: 'renewal' })
  return { of: 'draft_invoice', id, subscription_id: subject.id }
}

/**
 * When Stripe tries again is in `invoice.updated` where an automation of Billing decides it
 * (https://docs.stripe.com/api/invoices/object#invoice_object-next_payment_attempt). Nothing else is new in it.
 */
function openOf(event: StripeEvent): StripeSubject | Nothing {
  const { status } = z.object({ status: z.string().default('draft') }).parse(event.data.object)
  return status === 'open'
    ? subscriptionOfInvoice(event)
    : ignore('has_state', { what: 'invoice', state: status })
}

const cardChoiceSchema = z.object({ invoice_settings: z.object({ default_payment_method: z.unknown() }) })

/**
 * Of a customer only another default card is of interest; what an update changed is in `previous_attributes`:
 * https://docs.stripe.com/api/events/object#event_object-data-previous_attributes
 */
function customerOf({ created, data }: StripeEvent): StripeSubject | Nothing {
  if (!cardChoiceSchema.safeParse(data.previous_attributes).success)
    return ignore('lacks', { what: 'change_of_card' })
  return { of: 'customer', id: withIdSchema.parse(data.object).id, chosen_at_s: created }
}

function chargeOf({ data }: StripeEvent): StripeSubject | Nothing {
  const { charge } = z.object({ charge: stripeReferenceSchema.nullable() }).parse(data.object)
  return charge ? { of: 'charge', id: charge } : ignore('lacks', { what: 'charge' })
}
