import * as z from 'zod/mini'
import { currencySchema } from '../catalogue/schemas.ts'
import { actOutcomeSchema } from './support-acts.ts'

const text = z.nullable(z.string())
const time = z.iso.datetime({ offset: true })
const maybeTime = z.nullable(time)
const maybeInt = z.nullable(z.int())
/** e.g. `d…@example.com` */
const maskedEmail = z.string()

const intentSchema = z.object({
  id: z.string(),
  user_id: z.string(),
  kind: z.enum(['credit_purchase', 'subscription']),
  has_owner: z.boolean(),
  plan_type: text,
  billing_frequency: text,
  seats: maybeInt,
  credits: z.int(),
  amount_minor: z.int(),
  currency: currencySchema,
  state: z.enum(['created', 'open', 'awaiting_payment', 'settled', 'failed', 'expired']),
  is_unfinished: z.boolean(),
  is_refused_by_bank: z.boolean(),
  failure_reason: text,
  settled_at: maybeTime,
  updated_at: time,
  attempts: z.int(),
  last_error: text,
  next_try_at: time,
  stripe_session_id: text,
  livemode: z.boolean(),
})

/**
 * What can be on a timeline, and what its rows have, which is all that is shown of them: of an event's
 * payload only ids, amounts and states. `web/components/support/timeline` words it.
 */
export const timelineData = {
  intent: intentSchema,
  /** Stripe's page, with its intent. */
  session: intentSchema,
  event: z.object({
    source: z.enum(['stripe', 'clerk']),
    type: z.string(),
    subject: text,
    state: z.enum(['received', 'applied', 'ignored', 'failed']),
    reason: text,
    last_error: text,
    attempts: z.int(),
    next_try_at: time,
    unavailable_since: maybeTime,
    occurred_at: time,
    received_via: z.enum(['webhook', 'reader']),
    is_stored: z.boolean(),
    /** From here on the fields are the sender's. */
    livemode: z.catch(z.nullable(z.boolean()), null),
    object_id: text,
    /** The object's checkout, if it names one. */
    intent_id: text,
    payment_status: text,
    /** The amount of a session, invoice, refund, dispute or charge, in minor units. */
    amount_minor: z.catch(maybeInt, null),
    currency: z.catch(z.nullable(currencySchema), null),
  }),
  /** Tries of a row that failed in the same way. */
  attempt: z.object({
    /** The key of the row. */
    of: z.string(),
    kind: z.enum(['unavailable', 'not_yet', 'contradiction', 'defect']),
    error: z.string(),
    tries: z.int(),
    last_at: time,
  }),
  subscription: z.object({
    intent_id: z.string(),
    plan_type: z.string(),
    billing_frequency: z.string(),
    status: z.string(),
    seats_total: z.int(),
    credits_per_seat: z.int(),
    /** Changes that are not invoiced. */
    pending_lines: z.array(z.object({ kind: z.string(), starts_at: time, seats: z.int() })),
    current_period_end: time,
    trial_end: maybeTime,
    cancel_at: maybeTime,
    lapses_at: maybeTime,
    needs_confirmation: z.boolean(),
    unpaid_minor: maybeInt,
    unpaid_decline_code: text,
    unpaid_next_attempt_at: maybeTime,
    ended_at: maybeTime,
    currency: currencySchema,
    replaced_by: text,
    unused_refund_minor: maybeInt,
    unused_refund_id: text,
    is_unfinished: z.boolean(),
    updated_at: time,
    attempts: z.int(),
    last_error: text,
    sync_failed_at: maybeTime,
    next_try_at: time,
    livemode: z.boolean(),
  }),
  invoice: z.object({
    stripe_subscription_id: z.string(),
    currency: currencySchema,
    amount_paid_minor: z.int(),
    periods: z.int(),
    seats: z.int(),
    starts_at: time,
    ends_at: time,
    livemode: z.boolean(),
  }),
  charge: z.object({
    intent_id: text,
    stripe_invoice_id: text,
    currency: currencySchema,
    amount_minor: z.int(),
    refunded_minor: z.int(),
    unused_refund_minor: z.int(),
    disputed_minor: z.int(),
    dispute_state: z.nullable(z.enum(['open', 'won', 'lost'])),
    dispute_state_at: maybeTime,
    dispute_due_at: maybeTime,
    updated_at: time,
    livemode: z.boolean(),
  }),
  transfer: z.object({
    kind: z.string(),
    /** Null once it was erased. */
    reason: text,
    actor: z.string(),
    occurred_at: time,
    /** Of a usage that settled one. */
    hold_id: text,
    intent_id: text,
    event_id: text,
    account: z.enum(['plan', 'purchased']),
    amount: z.int(),
    balance_after: z.int(),
  }),
  hold: z.object({
    /** What happened to it at the row's time. */
    step: z.enum(['reserved', 'extended', 'expired', 'resolved']),
    owner_id: z.string(),
    actor: z.string(),
    actor_label: z.nullable(maskedEmail),
    asked: z.int(),
    credits: z.int(),
    state: z.enum(['open', 'settled', 'released', 'expired', 'settled_late']),
    expires_at: maybeTime,
    settled_credits: maybeInt,
    charged: maybeInt,
    failure: text,
    /** Null once it was erased. */
    reason: text,
    model: text,
    project: text,
    /** The usages that settled it: of what was reserved, and of what was above. */
    transfer_ids: z.array(z.int()),
  }),
  seat: z.object({
    organization_id: z.string(),
    label: maskedEmail,
    user_id: text,
    role: z.enum(['admin', 'member']),
    status: z.enum(['active', 'pending', 'revoked', 'expired']),
    invitation_id: text,
    updated_at: time,
  }),
  invitation: z.object({
    label: maskedEmail,
    status: z.enum(['pending', 'accepted', 'expired', 'revoked']),
    expires_at: time,
    clerk_invitation_id: text,
    refusal_code: text,
    updated_at: time,
    attempts: z.int(),
    last_error: text,
    sync_failed_at: maybeTime,
    next_try_at: maybeTime,
  }),
  act: z.object({
    kind: z.string(),
    /** The key of the item that it is about; null where that is an owner. */
    of: text,
    reason: z.string(),
    requested_by: z.string(),
    approved_by: text,
    state: z.enum(['waiting_for_approval', 'queued', 'done', 'failed', 'refused', 'cancelled']),
    error: text,
    last_error: text,
    outcome: z.nullable(actOutcomeSchema),
    attempts: z.int(),
    next_try_at: time,
  }),
} as const
type Data = typeof timelineData
export type TraceItemKind = keyof Data
export const traceItemKinds = Object.keys(timelineData) as [TraceItemKind, ...TraceItemKind[]]

/** The same object at the vendors; null where it has none, and in sandbox mode. */
export const vendorLinksSchema = z.object({ stripe: z.nullable(z.url()), clerk: z.nullable(z.url()) })

const itemOf = <Kind extends TraceItemKind>(kind: Kind) =>
  z.object({
    kind: z.literal(kind),
    /** `kind:id`, unique on the timeline; of a later step of a hold with that step: `hold:<id>/extended`. */
    key: z.string(),
    id: z.string(),
    at: z.iso.datetime(),
    links: vendorLinksSchema,
    data: timelineData[kind],
  })
type ItemSchema<Kind extends TraceItemKind> = ReturnType<typeof itemOf<Kind>>
type ItemSchemas = { [Kind in TraceItemKind]: ItemSchema<Kind> }[TraceItemKind]

export const traceItemSchema = z.discriminatedUnion(
  'kind',
  traceItemKinds.map(itemOf) as unknown as [ItemSchemas, ...ItemSchemas[]],
)

export type TraceItem = z.infer<typeof traceItemSchema>
export type ItemOf<Kind extends TraceItemKind> = Extract<TraceItem, { kind: Kind }>
