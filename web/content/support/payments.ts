import type { ItemOf } from '../../../schema/api/support-timeline.ts'
import {
  capitalized,
  dayText,
  describeDispute,
  moneyText,
  type SupportLevel,
  seatsText,
  type Words,
  whatIsBought,
} from './words.ts'

const intent: Words<'intent'> = {
  name: 'Checkout intent',
  describe({ data }) {
    const { state, is_unfinished, settled_at } = data
    return {
      title: `Checkout of ${whatIsBought(data)}`,
      level: intentLevel(data),
      state,
      error: state === 'failed' ? data.failure_reason : is_unfinished ? data.last_error : null,
      details: [
        ...(state === 'awaiting_payment' ? ['The payment takes several days.'] : []),
        ...(state === 'open' ? ['No payment is known.'] : []),
        ...(settled_at ? [`Settled on ${dayText(settled_at)}.`] : []),
        ...(data.has_owner ? [] : ['The organization is created after payment.']),
      ],
      money: data,
      credits: data.credits,
      attempts: data.attempts,
      next_try_at: is_unfinished ? data.next_try_at : null,
    }
  },
}

function intentLevel(data: ItemOf<'intent'>['data']): SupportLevel {
  if (data.state === 'settled') return 'done'
  if (data.state === 'expired') return 'ignored'
  if (data.state !== 'failed') return data.last_error === null ? 'waiting' : 'problem'
  return data.stripe_session_id === null || data.is_refused_by_bank ? 'ignored' : 'problem'
}

const session: Words<'session'> = {
  name: 'Checkout session',
  describe: ({ data }) => ({
    title: 'Payment page of Stripe',
    level: intentLevel(data),
    state: data.state,
    money: data,
    caused_by: [`intent:${data.id}`],
  }),
}

const subscription: Words<'subscription'> = {
  name: 'Subscription',
  describe({ data }) {
    const { last_error, ended_at, cancel_at, is_unfinished, sync_failed_at } = data
    const isDue = ['past_due', 'unpaid', 'paused', 'incomplete'].includes(data.status)
    const waiting = ended_at ? [] : data.pending_lines.map(describePending)
    const isWaiting = waiting.length > 0 || (data.replaced_by !== null && is_unfinished)
    return {
      title: `Subscription to ${whatIsBought({ ...data, credits: 0, seats: data.seats_total })}`,
      level: last_error !== null ? 'problem' : isDue || isWaiting ? 'waiting' : 'done',
      state: data.status,
      error: last_error,
      details: [
        ended_at
          ? `It ended on ${dayText(ended_at)}.`
          : cancel_at
            ? `It is cancelled and ends on ${dayText(cancel_at)}.`
            : `Its period ends on ${dayText(data.current_period_end)}.`,
        ...new Set(waiting),
        ...describeReplaced(data),
        `Last fetched from Stripe on ${dayText(data.updated_at)}.`,
      ],
      credits: data.credits_per_seat * data.seats_total,
      attempts: data.attempts,
      next_try_at: sync_failed_at || !is_unfinished ? null : data.next_try_at,
      caused_by: [`intent:${data.intent_id}`],
    }
  },
}

/** That a Teams plan took its place, and what goes back for its unused part. */
function describeReplaced(data: ItemOf<'subscription'>['data']): string[] {
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

function describePending({
  kind,
  starts_at,
  seats,
}: ItemOf<'subscription'>['data']['pending_lines'][number]) {
  const what =
    kind === 'cut' ? 'Money for the rest of a period to be returned' : `Changed to ${seatsText(seats)}`
  return `${what} on ${dayText(starts_at)}, not yet invoiced or paid.`
}

const invoice: Words<'invoice'> = {
  name: 'Invoice',
  describe: ({ data }) => ({
    title: data.periods > 0 ? 'Invoice paid' : 'Invoice for a change of seats paid',
    level: 'done',
    state: 'paid',
    details: [`From ${dayText(data.starts_at)} to ${dayText(data.ends_at)}, ${seatsText(data.seats)}.`],
    money: { amount_minor: data.amount_paid_minor, currency: data.currency },
    caused_by: [`subscription:${data.stripe_subscription_id}`],
  }),
}

const charge: Words<'charge'> = {
  name: 'Charge',
  describe({ data }) {
    const { refunded_minor, unused_refund_minor, disputed_minor, currency } = data
    const money = (minor: number) => moneyText(minor, currency)
    const isLost = data.dispute_state === 'lost'
    const parts = [
      ...(refunded_minor > unused_refund_minor
        ? [`${money(refunded_minor - unused_refund_minor)} refunded`]
        : []),
      ...(unused_refund_minor > 0 ? [`${money(unused_refund_minor)} refunded for the unused part`] : []),
      ...(disputed_minor > 0
        ? [`${money(disputed_minor)} ${isLost ? 'lost in a dispute' : 'held by a dispute'}`]
        : []),
    ]
    return {
      title: capitalized(`${parts.join(' and ') || 'nothing taken back'} of ${money(data.amount_minor)}`),
      level: 'done',
      state:
        disputed_minor > 0
          ? isLost
            ? 'dispute_lost'
            : 'disputed'
          : refunded_minor > 0
            ? 'refunded'
            : 'paid',
      details: [...describeDispute(data), `As Stripe had it on ${dayText(data.updated_at)}.`],
      money: { amount_minor: refunded_minor + disputed_minor, currency },
      caused_by: [data.intent_id ? `intent:${data.intent_id}` : `invoice:${data.stripe_invoice_id}`],
    }
  },
}

export const payments = { intent, session, subscription, invoice, charge }
