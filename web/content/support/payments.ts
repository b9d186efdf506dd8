import * as z from 'zod/mini'
import { customerDeclineText, declineText } from '../../../schema/api/declines.ts'
import { paidTwiceWithinMs, type TraceItem } from '../../../schema/api/support.ts'
import { currencySchema } from '../../../schema/catalogue/schemas.ts'
import {
  capitalized,
  creditsText,
  dataOf,
  dayText,
  durationText,
  type ItemOf,
  maybe,
  moneyText,
  type Notice,
  notice,
  type SupportLevel,
  seatsText,
  time,
  tried,
  wordsOf,
} from './words.ts'

const intentSchema = z.object({
  ...tried,
  id: z.string(),
  has_owner: z.boolean(),
  plan_type: maybe.text,
  billing_frequency: maybe.text,
  seats: maybe.int,
  credits: z.int(),
  amount_minor: z.int(),
  currency: currencySchema,
  state: z.enum(['created', 'open', 'awaiting_payment', 'settled', 'failed', 'expired']),
  is_unfinished: z.boolean(),
  is_refused_by_bank: z.boolean(),
  failure_reason: maybe.text,
  settled_at: maybe.time,
  /** By Stripe's clock. */
  paid_at: maybe.time,
  updated_at: time,
  stripe_session_id: maybe.text,
})
type Intent = z.infer<typeof intentSchema>

export const intentWords = wordsOf({
  kind: 'intent',
  name: 'Checkout intent',
  data: intentSchema,
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
  notices: (item, all) => (item.data.state === 'settled' ? aboutPaidTwice(item, all) : [aboutRefusal(item)]),
})

/** Of two payments soon after each other the later one says so. */
function aboutPaidTwice({ key, data }: ItemOf<Intent>, all: readonly TraceItem[]): Notice[] {
  const { paid_at } = data
  const sumOf = ({ amount_minor, currency }: Intent) => moneyText(amount_minor, currency)
  const what = (bought: Intent) => `${creditsText(bought.credits)} for ${sumOf(bought)}`
  const earlier = all
    .flatMap((item) => {
      const before = item.key === key ? null : dataOf(intentWords, item)
      const since_ms = Date.parse(paid_at ?? '') - Date.parse(before?.paid_at ?? '')
      if (!before?.paid_at || since_ms < 0 || (since_ms === 0 && item.key > key)) return []
      const within_ms = paidTwiceWithinMs[sumOf(before) === sumOf(data) ? 'same' : 'other']
      return since_ms <= within_ms ? [{ ...before, paid_at: before.paid_at }] : []
    })
    .toSorted((a, b) => Date.parse(b.paid_at) - Date.parse(a.paid_at))
  const [last] = earlier
  if (!last || !paid_at) return []
  const [within, day] = [durationText(last.paid_at, paid_at), dayText(paid_at)]
  const isSame = sumOf(last) === sumOf(data)
  const both = isSame ? what(data) : `${what(last)}, then ${what(data)}`
  return [
    notice('waiting', {
      sentence: `${isSame ? 'Paid twice' : 'Two payments'} within ${within}: ${both}, on ${day}.`,
      tell: `We received two payments from you within ${within} on ${day}: ${isSame ? `each ${both}` : both}. Both brought their credits. If one was a mistake, we can refund it.`,
      item_key: key,
    }),
  ]
}

function aboutRefusal({ key, data }: ItemOf<Intent>): Notice {
  const what = data.plan_type ? capitalized(data.plan_type) : creditsText(data.credits)
  const refused = `bank refused the payment for ${what} on ${dayText(data.updated_at)}`
  return notice('waiting', {
    sentence: `The ${refused}; nothing was charged.`,
    tell: `Your ${refused}. You were not charged. Please try again, or use another card.`,
    item_key: key,
  })
}

function intentLevel(data: Intent): SupportLevel {
  if (data.state === 'settled') return 'done'
  if (data.state === 'expired') return 'ignored'
  if (data.state !== 'failed') return data.last_error === null ? 'waiting' : 'problem'
  return data.stripe_session_id === null || data.is_refused_by_bank ? 'ignored' : 'problem'
}

const sessionWords = wordsOf({
  kind: 'session',
  name: 'Checkout session',
  data: intentSchema,
  describe: ({ data }) => ({
    title: 'Payment page of Stripe',
    level: intentLevel(data),
    state: data.state,
    money: data,
    caused_by: [`intent:${data.id}`],
  }),
})

const unpaidSchema = z.object({
  currency: currencySchema,
  needs_confirmation: z.boolean(),
  unpaid_minor: maybe.int,
  unpaid_decline_code: maybe.text,
  unpaid_next_attempt_at: maybe.time,
})
type Unpaid = z.infer<typeof unpaidSchema>

const subscriptionSchema = z.extend(unpaidSchema, {
  ...tried,
  intent_id: z.string(),
  plan_type: z.string(),
  billing_frequency: z.string(),
  status: z.string(),
  seats_total: z.int(),
  credits_per_seat: z.int(),
  /** Changes that are not invoiced. */
  pending_lines: z.array(z.object({ kind: z.string(), starts_at: time, seats: z.int() })),
  current_period_end: time,
  trial_end: maybe.time,
  cancel_at: maybe.time,
  lapses_at: maybe.time,
  ended_at: maybe.time,
  replaced_by: maybe.text,
  unused_refund_minor: maybe.int,
  unused_refund_id: maybe.text,
  is_unfinished: z.boolean(),
  updated_at: time,
  sync_failed_at: maybe.time,
})
type Subscription = z.infer<typeof subscriptionSchema>

export const subscriptionWords = wordsOf({
  kind: 'subscription',
  data: subscriptionSchema,
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
  notices: aboutSubscription,
})

function aboutSubscription({ key: item_key, data }: ItemOf<Subscription>): Notice[] {
  const name = capitalized(data.plan_type)
  const ends = data.cancel_at ? [`${name} ends on ${dayText(data.cancel_at)}`] : []
  const unpaid_minor = data.unpaid_minor ?? 0
  if (unpaid_minor > 0) {
    const sum = moneyText(unpaid_minor, data.currency)
    const told = customerDeclineText(data.unpaid_decline_code)
    const day = data.unpaid_next_attempt_at && dayText(data.unpaid_next_attempt_at)
    const sentence = `${[...whyUnpaid(data), ...ends].join('; ')}.`
    const open = `The payment of ${sum} for ${name}`
    const tell = data.needs_confirmation
      ? `${open} has to be confirmed with your bank. Please choose Confirm payment on the Billing page.`
      : `${open} was declined${told ? ` (${told})` : ''}. Please choose Update card on the Billing page${day ? `; the card is charged again on ${day}` : ''}.`
    return [notice('problem', { sentence, tell, item_key })]
  }
  if (data.status === 'past_due' || data.status === 'unpaid') {
    const sentence = [
      `No invoice is open; Stripe has ${name} as past due until the next one is paid`,
      ...ends,
    ]
    const tell = `There is nothing to pay for ${name} now. It brings credits again with the next payment.`
    return [notice('waiting', { sentence: `${sentence.join('; ')}.`, tell, item_key })]
  }
  if (data.lapses_at && !data.ended_at) {
    const paid = `${name} is paid for until ${dayText(data.lapses_at)}`
    const sentence = `${paid}, and Stripe plans no charge after that: it brings no credits from then on.`
    return [notice('problem', { sentence, tell: `${paid}. It brings no credits after that day.`, item_key })]
  }
  if (data.status === 'trialing' && data.trial_end && ends.length === 0) {
    const day = dayText(data.trial_end)
    const tell = `Your free trial of ${name} ends on ${day}. Cancel before it with Manage billing on the Billing page, and nothing is charged.`
    return [notice('waiting', { sentence: `${name} is in its trial until ${day}.`, tell, item_key })]
  }
  return ends.map((text) => {
    const tell = `${text}, as it was cancelled. Until then you can use its credits. To keep it, choose Resume plan on the Billing page.`
    return notice('waiting', { sentence: `${text}: it is cancelled.`, tell, item_key })
  })
}

/** Why the open invoice is not paid, and when Stripe tries again. */
function whyUnpaid(data: Unpaid): string[] {
  const sum = moneyText(data.unpaid_minor ?? 0, data.currency)
  const why = data.needs_confirmation
    ? `${sum} waits for the customer to confirm it with the bank`
    : data.unpaid_decline_code
      ? `Card declined (${declineText(data.unpaid_decline_code)}): ${sum} is open`
      : `${sum} is not paid`
  const next = data.unpaid_next_attempt_at
  return next ? [why, `Stripe tries again on ${dayText(next)}`] : [why]
}

/** That a Teams plan took its place, and what goes back for its unused part. */
function describeReplaced(data: Subscription): string[] {
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

function describePending({ kind, starts_at, seats }: Subscription['pending_lines'][number]) {
  const what =
    kind === 'cut' ? 'Money for the rest of a period to be returned' : `Changed to ${seatsText(seats)}`
  return `${what} on ${dayText(starts_at)}, not yet invoiced or paid.`
}

const invoiceWords = wordsOf({
  kind: 'invoice',
  data: z.extend(unpaidSchema, {
    stripe_subscription_id: z.string(),
    status: z.enum(['paid', 'open']),
    amount_paid_minor: z.int(),
    periods: z.int(),
    seats: z.int(),
    starts_at: time,
    ends_at: time,
  }),
  describe: ({ data }) => ({
    ...(data.status === 'open'
      ? { title: 'Invoice to be paid', level: 'problem', details: [`${whyUnpaid(data).join('; ')}.`] }
      : {
          title: data.periods > 0 ? 'Invoice paid' : 'Invoice for a change of seats paid',
          level: 'done',
          details: [`From ${dayText(data.starts_at)} to ${dayText(data.ends_at)}, ${seatsText(data.seats)}.`],
        }),
    state: data.status,
    money: { amount_minor: data.unpaid_minor ?? data.amount_paid_minor, currency: data.currency },
    caused_by: [`subscription:${data.stripe_subscription_id}`],
  }),
})

const chargeSchema = z.object({
  intent_id: maybe.text,
  stripe_invoice_id: maybe.text,
  currency: currencySchema,
  amount_minor: z.int(),
  refunded_minor: z.int(),
  unused_refund_minor: z.int(),
  disputed_minor: z.int(),
  dispute_state: z.nullable(z.enum(['open', 'won', 'lost'])),
  dispute_state_at: maybe.time,
  dispute_due_at: maybe.time,
  updated_at: time,
})
type Charge = z.infer<typeof chargeSchema>

const chargeWords = wordsOf({
  kind: 'charge',
  data: chargeSchema,
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
  notices({ key, data }) {
    const sum = moneyText(data.amount_minor, data.currency)
    const tells = {
      open: `Your bank is looking into your payment of ${sum}, and holds the money for now. Its credits come back if the bank decides that the payment stands.`,
      lost: `Your bank returned your payment of ${sum} to you, so its credits are no longer in your balance.`,
      won: `Your bank decided that your payment of ${sum} stands. Its credits are in your balance again.`,
    }
    return [
      notice(data.dispute_state === 'open' ? 'problem' : 'waiting', {
        sentence: `${describeDispute(data).join(' ')} It is about ${sum}.`,
        tell: tells[data.dispute_state ?? 'open'],
        item_key: key,
      }),
    ]
  },
})

/** What became of a dispute, and until when there is something to do about it. */
function describeDispute({ dispute_state, dispute_state_at, dispute_due_at }: Charge): string[] {
  if (!dispute_state || !dispute_state_at) return []
  const day = dayText(dispute_state_at)
  if (dispute_state === 'lost') return [`Dispute lost on ${day}.`]
  if (dispute_state === 'won') return [`Dispute won on ${day}.`]
  const until = dispute_due_at ? ` Stripe takes evidence until ${dayText(dispute_due_at)}.` : ''
  return [`Dispute open since ${day}.${until}`]
}

export function whatIsBought(
  bought: Pick<Intent, 'plan_type' | 'billing_frequency' | 'seats' | 'credits'>,
): string {
  if (bought.plan_type === null) return creditsText(bought.credits)
  return `${capitalized(bought.plan_type)}, ${bought.billing_frequency}, ${seatsText(bought.seats ?? 1)}`
}

export const payments = [intentWords, sessionWords, subscriptionWords, invoiceWords, chargeWords]
