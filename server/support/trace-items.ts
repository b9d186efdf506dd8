import { erasedText } from '../../schema/api/credits.ts'
import type { SupportLevel, TraceItem } from '../../schema/api/support.ts'
import { isRefusedByBank, isUnfinished } from '../../schema/checkout/intents.ts'
import { holdOfKey } from '../../schema/ledger/hold-keys.ts'
import { keyOf } from '../../schema/support/timeline.ts'
import type { TimelineKind, TimelineRow } from '../../schema/support/timeline-rows.ts'
import type { NameOf } from './colleagues.ts'
import {
  capitalized,
  creditsText,
  dayText,
  durationText,
  maskEmail,
  momentText,
  moneyText,
  sentence,
} from './format.ts'
import { tellHold } from './hold-items.ts'
import type { Links } from './links.ts'

export interface PresentOptions {
  readonly links: Links
  readonly now: Date
  /** An event that was received before this moment and has not been processed is stuck. */
  readonly stuck_before: Date
  /** Names the actors that `actorsOf` lists. */
  readonly nameOf: NameOf
}

type RowOf<Kind extends TimelineKind> = Extract<TimelineRow, { kind: Kind }>
type Told = Pick<TraceItem, 'title' | 'level'> & Partial<Omit<TraceItem, 'key' | 'kind' | 'at'>>

/** A row as timeline items, newest first; a checkout has two, its intent and Stripe's page. */
export function presentRow(row: TimelineRow, options: PresentOptions): TraceItem[] {
  const item = itemOf(row, row.kind, row.id, tell(row, options))
  if (row.kind !== 'intent' || row.data.stripe_session_id === null) return [item]
  const id = row.data.stripe_session_id
  const session: Told = {
    title: 'Payment page of Stripe',
    level: item.level,
    state: item.state,
    money: item.money,
    caused_by: [item.key],
    links: options.links.stripe(id, row.data.livemode),
  }
  return [itemOf(row, 'session', id, session), item]
}

function itemOf({ at }: Pick<TimelineRow, 'at'>, kind: TraceItem['kind'], id: string, told: Told): TraceItem {
  return {
    key: keyOf({ kind, id }),
    kind,
    id,
    at: new Date(at).toISOString(),
    state: null,
    error: null,
    detail: null,
    money: null,
    credits: null,
    account: null,
    balance_after: null,
    attempts: null,
    next_try_at: null,
    can_cancel: false,
    can_invoice: false,
    can_release: false,
    caused_by: [],
    led_to: [],
    links: { stripe: null, clerk: null },
    replay: null,
    ...told,
  }
}

function tell(row: TimelineRow, options: PresentOptions): Told {
  switch (row.kind) {
    case 'intent':
      return tellIntent(row, options)
    case 'event':
      return tellEvent(row, options)
    case 'attempt':
      return tellAttempt(row)
    case 'subscription':
      return tellSubscription(row, options)
    case 'invoice':
      return tellInvoice(row, options)
    case 'charge':
      return tellCharge(row, options)
    case 'transfer':
      return tellTransfer(row, options)
    case 'hold':
      return tellHold(row.data, options)
    case 'act':
      return tellAct(row, options)
    case 'seat':
      return tellSeat(row, options)
    case 'invitation':
      return tellInvitation(row)
  }
}

function tellIntent({ id, data }: RowOf<'intent'>, { links }: PresentOptions): Told {
  const isWaiting = isUnfinished(data)
  const error = data.state === 'failed' ? data.failure_reason : isWaiting ? data.last_error : null
  const details = [
    ...(data.state === 'awaiting_payment' ? ['The payment takes several days.'] : []),
    ...(data.state === 'open' ? ['No payment is known.'] : []),
    ...(data.settled_at ? [`Settled on ${dayText(data.settled_at)}.`] : []),
    ...(data.owner_kind === 'organization' && data.owner_id === null
      ? ['The organization is created after payment.']
      : []),
  ]
  return {
    title: `Checkout of ${whatIsBought(data)}`,
    level: intentLevel(data),
    state: data.state,
    error,
    detail: details.join(' ') || null,
    money: { amount_minor: data.amount_minor, currency: data.currency },
    credits: data.credits,
    attempts: data.attempts,
    next_try_at: isWaiting ? data.next_try_at.toISOString() : null,
    can_cancel: isWaiting,
    links: links.clerk(data.user_id),
    replay: data.stripe_session_id !== null && data.state !== 'settled' ? { kind: 'intent', id } : null,
  }
}

export function whatIsBought(
  intent: Pick<RowOf<'intent'>['data'], 'plan_type' | 'billing_frequency' | 'seats' | 'credits'>,
): string {
  if (intent.plan_type === null) return creditsText(intent.credits)
  return `${capitalized(intent.plan_type)}, ${intent.billing_frequency}, ${seatsText(intent.seats ?? 1)}`
}

function intentLevel({ state, failure_code, last_error, stripe_session_id }: RowOf<'intent'>['data']) {
  if (state === 'settled') return 'done'
  if (state === 'expired') return 'ignored'
  if (state !== 'failed') return last_error === null ? 'waiting' : 'problem'
  const isOver = stripe_session_id === null || isRefusedByBank(failure_code)
  return isOver ? 'ignored' : 'problem'
}

function tellEvent({ id, data, at }: RowOf<'event'>, options: PresentOptions): Told {
  const { state, source, type } = data
  const isWaiting = state === 'received'
  const isUntried = isWaiting && data.last_error === null
  const isLate = isUntried && new Date(at) < options.stuck_before
  const waited = durationText(options.now.getTime() - new Date(at).getTime())
  const levels: Record<typeof state, SupportLevel> = {
    applied: 'done',
    ignored: 'ignored',
    failed: 'problem',
    received: isUntried && !isLate ? 'waiting' : 'problem',
  }
  const details = [
    ...(state === 'applied' && data.reason ? [sentence(data.reason)] : []),
    ...(data.received_via === 'reader' ? ['Not received by webhook; found in Stripe’s list of events.'] : []),
    ...(data.unavailable_since && isWaiting ? ['Service unavailable; not counted as an attempt.'] : []),
    ...(data.is_stored ? [] : ['The payload has been deleted.']),
  ]
  const session = data.object_id?.startsWith('cs_') ? [`session:${data.object_id}`] : []
  return {
    title: `${type} of ${source === 'stripe' ? 'Stripe' : 'Clerk'}`,
    level: levels[state],
    state,
    error: isLate
      ? `Not processed for ${waited}: is a worker running?`
      : isWaiting
        ? data.last_error
        : state === 'applied'
          ? null
          : data.reason,
    detail: details.join(' ') || null,
    money:
      data.amount_minor !== null && data.currency
        ? { amount_minor: data.amount_minor, currency: data.currency }
        : null,
    attempts: data.attempts,
    next_try_at: isWaiting ? data.next_try_at.toISOString() : null,
    caused_by: [...session, ...(data.intent_id ? [`intent:${data.intent_id}`] : [])],
    links:
      source === 'stripe'
        ? options.links.stripe(id, data.livemode ?? false)
        : data.subject
          ? options.links.clerk(data.subject)
          : options.links.none,
    // Replaying an applied event shows that nothing is left to do.
    replay: { kind: 'event', id },
  }
}

const triedKinds = {
  inbox_events: 'event',
  checkout_intents: 'intent',
  subscriptions: 'subscription',
  team_invitations: 'invitation',
  support_acts: 'act',
} as const
const failureMeanings = {
  unavailable: 'Service unavailable; not counted as an attempt.',
  not_yet: 'A prerequisite is missing.',
  contradiction: 'The data contradicts our records; not retried.',
  defect: 'Unexpected error, possibly a defect.',
} as const

function tellAttempt({ data, at }: RowOf<'attempt'>): Told {
  const isOne = data.tries === 1
  const until = isOne ? '' : ` The last of them was on ${momentText(data.last_at)}.`
  return {
    title: isOne ? 'A try failed' : `${data.tries} tries failed in the same way`,
    level: data.kind === 'unavailable' || data.kind === 'not_yet' ? 'waiting' : 'problem',
    state: data.kind,
    error: data.error,
    detail: `${failureMeanings[data.kind]}${new Date(at) < data.last_at ? until : ''}`,
    attempts: data.tries,
    caused_by: [keyOf({ kind: triedKinds[data.table_name], id: data.row_id })],
  }
}

function tellSubscription({ id, data }: RowOf<'subscription'>, { links }: PresentOptions): Told {
  const error = data.sync_failed_at || data.last_error ? data.last_error : null
  const isDue = ['past_due', 'unpaid', 'paused', 'incomplete'].includes(data.status)
  const waiting = data.ended_at ? [] : data.pending_lines.map(tellPending)
  const isWaiting = waiting.length > 0 || (data.replaced_by !== null && data.is_unfinished)
  const details = [
    data.ended_at
      ? `It ended on ${dayText(data.ended_at)}.`
      : data.cancel_at
        ? `It is cancelled and ends on ${dayText(data.cancel_at)}.`
        : `Its period ends on ${dayText(data.current_period_end)}.`,
    ...new Set(waiting),
    ...tellReplaced(data),
    `Last fetched from Stripe on ${dayText(data.updated_at)}.`,
  ]
  return {
    title: `Subscription to ${whatIsBought({ ...data, credits: 0, seats: data.seats_total })}`,
    level: error !== null ? 'problem' : isDue || isWaiting ? 'waiting' : 'done',
    state: data.status,
    error,
    detail: details.join(' '),
    credits: data.credits_per_seat * data.seats_total,
    attempts: data.attempts,
    next_try_at: data.sync_failed_at || !data.is_unfinished ? null : data.next_try_at.toISOString(),
    caused_by: [`intent:${data.intent_id}`],
    links: links.stripe(id, data.livemode),
    replay: { kind: 'subscription', id },
    can_invoice: waiting.length > 0,
  }
}

/** That a Teams plan took its place, and what goes back for its unused part. */
function tellReplaced(data: RowOf<'subscription'>['data']): string[] {
  const { replaced_by, unused_refund_minor, unused_refund_id, currency } = data
  if (replaced_by === null) return []
  if (unused_refund_minor === null) return ['Teams was paid in its place, so it ends now.']
  const money = moneyText(unused_refund_minor, currency)
  return unused_refund_minor === 0
    ? ['Teams took its place, and nothing was refunded.']
    : unused_refund_id === null
      ? [`Teams took its place, and ${money} are to be refunded for its unused part.`]
      : [`Teams took its place, and ${money} were refunded for its unused part (${unused_refund_id}).`]
}

function tellPending({ kind, starts_at, seats }: RowOf<'subscription'>['data']['pending_lines'][number]) {
  const what =
    kind === 'cut' ? 'Money for the rest of a period to be returned' : `Changed to ${seatsText(seats)}`
  return `${what} on ${dayText(starts_at)}, not yet invoiced or paid.`
}

function tellInvoice({ id, data }: RowOf<'invoice'>, { links }: PresentOptions): Told {
  return {
    title: data.periods > 0 ? 'Invoice paid' : 'Invoice for a change of seats paid',
    level: 'done',
    state: 'paid',
    detail: `From ${dayText(data.starts_at)} to ${dayText(data.ends_at)}, ${seatsText(data.seats)}.`,
    money: { amount_minor: data.amount_paid_minor, currency: data.currency },
    caused_by: [`subscription:${data.stripe_subscription_id}`],
    links: links.stripe(id, data.livemode),
  }
}

function tellCharge({ id, data }: RowOf<'charge'>, { links }: PresentOptions): Told {
  const money = (minor: number) => moneyText(minor, data.currency)
  const parts = [
    ...(data.refunded_minor > data.unused_refund_minor
      ? [`${money(data.refunded_minor - data.unused_refund_minor)} refunded`]
      : []),
    ...(data.unused_refund_minor > 0
      ? [`${money(data.unused_refund_minor)} refunded for the unused part`]
      : []),
    ...(data.disputed_minor > 0
      ? [
          `${money(data.disputed_minor)} ${data.dispute_state === 'lost' ? 'lost in a dispute' : 'held by a dispute'}`,
        ]
      : []),
  ]
  return {
    title: capitalized(`${parts.join(' and ') || 'nothing taken back'} of ${money(data.amount_minor)}`),
    level: 'done',
    state:
      data.disputed_minor > 0
        ? data.dispute_state === 'lost'
          ? 'dispute_lost'
          : 'disputed'
        : data.refunded_minor > 0
          ? 'refunded'
          : 'paid',
    detail: [...tellDispute(data), `As Stripe had it on ${dayText(data.updated_at)}.`].join(' '),
    money: { amount_minor: data.refunded_minor + data.disputed_minor, currency: data.currency },
    caused_by: data.intent_id ? [`intent:${data.intent_id}`] : [`invoice:${data.stripe_invoice_id}`],
    links: links.stripe(id, data.livemode),
    replay: { kind: 'charge', id },
  }
}

/** What became of a dispute, and until when there is something to do about it. */
export function tellDispute({
  dispute_state,
  dispute_state_at,
  dispute_due_at,
}: Pick<RowOf<'charge'>['data'], 'dispute_state' | 'dispute_state_at' | 'dispute_due_at'>): string[] {
  if (!dispute_state || !dispute_state_at) return []
  const day = dayText(dispute_state_at)
  if (dispute_state === 'lost') return [`Dispute lost on ${day}.`]
  if (dispute_state === 'won') return [`Dispute won on ${day}.`]
  const until = dispute_due_at ? ` Stripe takes evidence until ${dayText(dispute_due_at)}.` : ''
  return [`Dispute open since ${day}.${until}`]
}

/** Actors that are no person. */
const ourOwnActors = ['stripe', 'schedule']

export function actorsOf(rows: readonly TimelineRow[]): string[] {
  return rows.flatMap(({ kind, data }) => {
    if (kind === 'act') return [data.requested_by, ...(data.approved_by ? [data.approved_by] : [])]
    return kind === 'transfer' && isByPerson(data) ? [data.actor] : []
  })
}

/** Usage is by the owner's own people. */
function isByPerson({ kind, actor }: RowOf<'transfer'>['data']): boolean {
  return kind !== 'usage' && !ourOwnActors.includes(actor)
}

function tellTransfer({ data, at }: RowOf<'transfer'>, { nameOf }: PresentOptions): Told {
  const late_ms = new Date(at).getTime() - data.occurred_at.getTime()
  const details = [
    ...(late_ms > 60_000 ? [`It happened on ${dayText(data.occurred_at)}.`] : []),
    ...(isByPerson(data) ? [`By ${nameOf(data.actor)}.`] : []),
  ]
  return {
    title: data.reason ?? erasedText,
    level: 'done',
    state: data.kind,
    detail: details.join(' ') || null,
    credits: data.amount,
    account: data.account,
    balance_after: data.balance_after,
    caused_by: [
      ...holdOf(data),
      ...(data.event_id ? [`event:${data.event_id}`] : []),
      ...(data.intent_id ? [`intent:${data.intent_id}`] : []),
    ],
  }
}

/** A usage that settled a hold has its id in its key. */
function holdOf({ idempotency_key }: RowOf<'transfer'>['data']): string[] {
  const hold = holdOfKey(idempotency_key)
  return hold ? [keyOf({ kind: 'hold', id: hold.id })] : []
}

const actWords: Readonly<Record<string, string>> = {
  replay: 'Replay',
  resync: 'Resync from Stripe and Clerk',
  adjust: 'Adjustment',
  cancel_intent: 'Cancellation of a checkout',
  cancel_subscription: 'Cancellation of a plan',
  invoice_changes: 'Invoice for a change of a plan',
  resend_invitation: 'Invitation sent again',
  release_hold: 'Release of reserved credits',
  forget: 'Erasure of the person',
}

function tellAct({ data }: RowOf<'act'>, { nameOf }: PresentOptions): Told {
  const isOpen = data.state === 'queued' || data.state === 'waiting_for_approval'
  const approved = data.approved_by ? `, agreed to by ${nameOf(data.approved_by)}` : ''
  return {
    title: `${actWords[data.kind] ?? capitalized(data.kind)} by support`,
    level: isOpen ? 'waiting' : data.state === 'failed' ? 'problem' : 'done',
    state: data.state,
    error: data.state === 'queued' ? data.last_error : data.error,
    detail: `${data.sentence ? `${data.sentence} ` : ''}Asked for by ${nameOf(data.requested_by)}${approved}: ${sentence(data.reason)}`,
    attempts: data.attempts,
    next_try_at: data.state === 'queued' ? data.next_try_at.toISOString() : null,
    // An act on an owner is on that owner's timeline.
    caused_by: ['user', 'organization'].includes(data.target_kind)
      ? []
      : [keyOf({ kind: data.target_kind, id: data.target_id })],
  }
}

function tellSeat({ data }: RowOf<'seat'>, { links }: PresentOptions): Told {
  const isOver = data.status === 'revoked' || data.status === 'expired'
  return {
    title: `Seat of ${maskEmail(data.email)}`,
    level: data.status === 'pending' ? 'waiting' : 'done',
    state: data.status,
    detail: isOver ? `Ended on ${dayText(data.updated_at)}.` : `As ${data.role}, in ${data.organization_id}.`,
    caused_by: data.invitation_id ? [`invitation:${data.invitation_id}`] : [],
    links: data.user_id ? links.clerk(data.user_id) : links.none,
  }
}

function tellInvitation({ id, data }: RowOf<'invitation'>): Told {
  const isProblem = data.sync_failed_at !== null || (data.next_try_at !== null && data.last_error !== null)
  return {
    title: `Invitation of ${maskEmail(data.email)}`,
    level: isProblem ? 'problem' : data.status === 'pending' ? 'waiting' : 'done',
    state: data.status,
    error: isProblem ? data.last_error : null,
    detail: data.clerk_invitation_id
      ? `It is good until ${dayText(data.expires_at)}.`
      : 'It has not been sent yet.',
    attempts: data.attempts,
    next_try_at: data.sync_failed_at ? null : (data.next_try_at?.toISOString() ?? null),
    replay: { kind: 'invitation', id },
  }
}

function seatsText(seats: number): string {
  return `${seats} ${seats === 1 ? 'seat' : 'seats'}`
}
