import { z } from 'zod'
import { transferKinds } from '../ledger/accounts.ts'
import { pendingLinesSchema } from '../position/facts.ts'

/** What Postgres makes of a time in JSON. */
const time = z.string().transform((text) => new Date(text))
const maybeTime = time.nullable()
const text = z.string().nullable()
const integer = z.int()
const ownerKind = z.enum(['user', 'organization'])

/** The shown data of a row, by kind. Of an event's payload only ids, amounts and states are read. */
const dataSchemas = {
  intent: z.object({
    kind: z.enum(['credit_purchase', 'subscription']),
    user_id: z.string(),
    owner_kind: ownerKind,
    owner_id: text,
    plan_type: text,
    billing_frequency: text,
    seats: integer.nullable(),
    credits: integer,
    amount_minor: integer,
    currency: z.enum(['EUR', 'USD', 'GBP']),
    state: z.enum(['created', 'open', 'awaiting_payment', 'settled', 'failed', 'expired']),
    failure_code: text,
    failure_reason: text,
    settled_at: maybeTime,
    withdrawn_at: maybeTime,
    attempts: integer,
    last_error: text,
    next_try_at: time,
    stripe_session_id: text,
    livemode: z.boolean(),
  }),
  event: z.object({
    source: z.enum(['stripe', 'clerk']),
    type: z.string(),
    subject: text,
    state: z.enum(['received', 'applied', 'ignored', 'failed', 'forged']),
    reason: text,
    last_error: text,
    attempts: integer,
    next_try_at: time,
    unavailable_since: maybeTime,
    occurred_at: time,
    finished_at: maybeTime,
    received_via: z.enum(['webhook', 'reader']),
    is_stored: z.boolean(),
    /** From here on the fields are the sender's. */
    livemode: z.boolean().nullable().catch(null),
    object_id: text,
    /** The object's checkout, if it names one. */
    intent_id: text,
    payment_status: text,
    /** The amount of a session, invoice, refund, dispute or charge, in minor units. */
    amount_minor: integer.nullable().catch(null),
    currency: z.enum(['EUR', 'USD', 'GBP']).nullable().catch(null),
  }),
  attempt: z.object({
    table_name: z.enum([
      'inbox_events',
      'checkout_intents',
      'subscriptions',
      'team_invitations',
      'support_acts',
    ]),
    row_id: z.string(),
    subject: text,
    kind: z.enum(['unavailable', 'not_yet', 'contradiction', 'defect']),
    error: z.string(),
    tries: integer,
    last_at: time,
  }),
  subscription: z.object({
    intent_id: z.string(),
    owner_kind: ownerKind,
    owner_id: z.string(),
    plan_type: z.enum(['pro', 'teams']),
    billing_frequency: z.enum(['monthly', 'yearly']),
    status: z.string(),
    seats_total: integer,
    credits_per_seat: integer,
    pending_lines: pendingLinesSchema,
    current_period_end: time,
    cancel_at: maybeTime,
    ended_at: maybeTime,
    currency: z.enum(['EUR', 'USD', 'GBP']),
    replaced_by: text,
    unused_refund_minor: integer.nullable(),
    unused_refund_id: text,
    is_unfinished: z.boolean(),
    updated_at: time,
    attempts: integer,
    last_error: text,
    sync_failed_at: maybeTime,
    next_try_at: time,
    livemode: z.boolean(),
  }),
  invoice: z.object({
    stripe_subscription_id: z.string(),
    currency: z.enum(['EUR', 'USD', 'GBP']),
    total_minor: integer,
    amount_paid_minor: integer,
    periods: integer,
    seats: integer,
    starts_at: time,
    ends_at: time,
    livemode: z.boolean(),
  }),
  charge: z.object({
    intent_id: text,
    stripe_invoice_id: text,
    currency: z.enum(['EUR', 'USD', 'GBP']),
    amount_minor: integer,
    refunded_minor: integer,
    unused_refund_minor: integer,
    disputed_minor: integer,
    dispute_state: z.enum(['open', 'won', 'lost']).nullable(),
    dispute_state_at: time.nullable(),
    dispute_due_at: time.nullable(),
    updated_at: time,
    livemode: z.boolean(),
  }),
  transfer: z.object({
    kind: z.enum(transferKinds),
    /** Null once it was erased. */
    reason: text,
    actor: z.string(),
    occurred_at: time,
    idempotency_key: z.string(),
    grant_id: text,
    intent_id: text,
    event_id: text,
    account: z.enum(['plan', 'purchased']),
    amount: integer,
    balance_after: integer,
  }),
  hold: z.object({
    id: z.string(),
    owner_id: z.string(),
    /** What happened to it at the row's time. */
    step: z.enum(['reserved', 'extended', 'expired', 'resolved']),
    actor: z.string(),
    actor_email: text,
    asked: integer,
    credits: integer,
    state: z.enum(['open', 'settled', 'released', 'expired', 'settled_late']),
    opened_at: time,
    expires_at: maybeTime,
    resolved_at: maybeTime,
    settled_credits: integer.nullable(),
    charged: integer.nullable(),
    failure: text,
    /** Null once it was erased. */
    reason: text,
    model: text,
    project: text,
    /** The usages that settled it: of what was reserved, and of what was above. */
    transfer_ids: z.array(integer),
  }),
  seat: z.object({
    organization_id: z.string(),
    email: z.string(),
    user_id: text,
    role: z.enum(['admin', 'member']),
    status: z.enum(['active', 'pending', 'revoked', 'expired']),
    invitation_id: text,
    updated_at: time,
  }),
  invitation: z.object({
    organization_id: z.string(),
    email: z.string(),
    role: z.enum(['admin', 'member']),
    status: z.enum(['pending', 'accepted', 'expired', 'revoked']),
    expires_at: time,
    clerk_invitation_id: text,
    attempts: integer,
    last_error: text,
    sync_failed_at: maybeTime,
    next_try_at: maybeTime,
  }),
  act: z.object({
    kind: z.string(),
    target_kind: z.string(),
    target_id: z.string(),
    owner_id: text,
    reason: z.string(),
    requested_by: z.string(),
    approved_by: text,
    state: z.enum(['waiting_for_approval', 'queued', 'done', 'failed', 'refused']),
    error: text,
    last_error: text,
    sentence: text,
    attempts: integer,
    next_try_at: time,
  }),
} as const

export type TimelineKind = keyof typeof dataSchemas

/** A row of the timeline; `at` has all of Postgres' digits, so that it can be a place in the order. */
export type TimelineRow = {
  [Kind in TimelineKind]: {
    readonly kind: Kind
    readonly id: string
    readonly at: string
    readonly data: z.infer<(typeof dataSchemas)[Kind]>
  }
}[TimelineKind]

export function parseTimelineRow(row: {
  readonly kind: TimelineKind
  readonly id: string
  readonly at: string
  readonly data: unknown
}): TimelineRow {
  return { ...row, data: dataSchemas[row.kind].parse(row.data) } as TimelineRow
}
