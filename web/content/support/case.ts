import { declineText } from '../../../schema/api/declines.ts'
import type { CaseSummary } from '../../../schema/api/support.ts'
import type { ActTarget } from '../../../schema/api/support-acts.ts'
import type { ItemOf, TraceItem } from '../../../schema/api/support-timeline.ts'
import { freePlan } from '../../../schema/catalogue/sold-plans.ts'
import { replayOf } from './acts.ts'
import { describeItem } from './timeline.ts'
import {
  capitalized,
  creditsText,
  dayText,
  describeDispute,
  durationText,
  type ItemText,
  type Money,
  memberText,
  momentText,
  moneyText,
  type SupportLevel,
  sentence,
  type TextContext,
  whatIsBought,
} from './words.ts'

/** Something that differs, failed or is stuck. */
export interface Problem {
  readonly sentence: string
  /** Missing credits, below zero for too many; null without credits. */
  readonly credits: number | null
  readonly money: Money | null
  /** The item on the timeline that it comes from. */
  readonly item_key: string | null
  /** What is replayed to repair it; null where that is nothing. */
  readonly replay: ActTarget | null
}

export function problemsOf(summary: CaseSummary): Problem[] {
  const { grants, failing, plan_type } = summary
  return [
    ...grants.map(describeGrant),
    ...failing.map((item) => describeFailing(item, summary)),
    ...(plan_type.is !== null && plan_type.is !== plan_type.should
      ? [
          {
            sentence: `The stored plan is ${capitalized(plan_type.is)}, and it should be ${capitalized(plan_type.should ?? freePlan.plan_type)}.`,
            credits: null,
            money: null,
            item_key: null,
            replay: null,
          },
        ]
      : []),
  ]
}

/** The whole of it: the first problem, and how many more there are. */
export function inOneSentence([first, ...others]: readonly Problem[]): string {
  if (!first) return 'All expected credits are present.'
  if (others.length === 0) return first.sentence
  return `${first.sentence} And ${others.length} more ${others.length === 1 ? 'thing needs' : 'things need'} a look.`
}

type Grant = CaseSummary['grants'][number]

function describeGrant(grant: Grant): Problem {
  const { event, intent, subscription_id } = grant
  const missing = grant.credits.should - grant.credits.is
  const cause = event
    ? `its event ${event.id} ${whyEvent(event)}`
    : missing > 0
      ? 'no error is recorded; a replay computes it again'
      : 'a refund or an end at Stripe has not been clawed back'
  const what = `${creditsText(missing)} of ${grantText(grant)} are ${missing > 0 ? 'missing' : 'too many'}`
  const item = event ?? intent
  return {
    sentence: sentence(`${what}: ${cause}`),
    credits: missing,
    money: intent?.kind === 'intent' ? intent.data : null,
    item_key: item?.key ?? null,
    replay: event
      ? { kind: 'event', id: event.id }
      : subscription_id
        ? { kind: 'subscription', id: subscription_id }
        : intent && { kind: 'intent', id: intent.id },
  }
}

function whyEvent({ kind, data }: TraceItem): string {
  if (kind !== 'event') return ''
  if (data.state === 'failed') return `failed: ${data.reason}`
  return data.last_error ? `is retried without success: ${data.last_error}` : 'was received, not processed'
}

/** e.g. `the purchase of 12 November 2026` */
export function grantText({ kind, starts_at, intent }: Grant): string {
  const day = dayText((kind === 'purchase' ? intent?.at : null) ?? starts_at ?? new Date(0).toISOString())
  switch (kind) {
    case 'purchase':
      return `the purchase of ${day}`
    case 'month':
      return `the month of ${intent?.kind === 'intent' ? whatIsBought(intent.data) : 'the plan'} from ${day}`
    case 'seats':
      return `the seats added on ${day}`
    case 'late_month':
      return `the late payment for the month from ${day}`
    case 'adjustment':
      return 'adjustments'
  }
}

function describeFailing(item: TraceItem, { as_of }: CaseSummary): Problem {
  const { title, money = null, error } = describeItem(item, { as_of })
  const { kind, id, at, data } = item
  const isFailed =
    'sync_failed_at' in data ? data.sync_failed_at !== null : 'state' in data && data.state === 'failed'
  const sum = money ? ` about ${moneyText(money.amount_minor, money.currency)}` : ''
  const what = `${title} of ${dayText(at)}${kind === 'event' ? `, ${id},` : ''}${sum}`
  const since = isFailed ? 'failed' : `is stuck for ${durationText(at, as_of)}`
  return {
    sentence: sentence(`${what} ${since}: ${error ?? 'unknown cause'}`),
    credits: null,
    money,
    item_key: item.key,
    replay: replayOf(item),
  }
}

/**
 * An item on the timeline of a case. A checkout's row waits for a payment although an event that failed to
 * apply says it was paid.
 */
export function describeInCase(summary: CaseSummary | null, item: TraceItem, context: TextContext): ItemText {
  const text = describeItem(item, context)
  const keys = [item.key, text.caused_by?.[0]]
  const isPaid = summary?.grants.some(
    ({ intent, credits }) => intent && keys.includes(intent.key) && credits.should > credits.is,
  )
  if (!isPaid || text.level !== 'waiting') return text
  return { ...text, level: 'problem', details: ['Paid at Stripe; the credits have not been posted yet.'] }
}

export interface Notice {
  /** `problem`: the customer or support has to do something. `waiting`: it explains what a customer sees. */
  readonly level: Extract<SupportLevel, 'problem' | 'waiting'>
  readonly sentence: string
  readonly item_key: string | null
}

const notice = (level: Notice['level'], text: string, item_key: string | null = null): Notice => ({
  level,
  sentence: text,
  item_key,
})

/**
 * What explains a complaint although nothing is wrong with the credits: calls that are refused, a declined
 * card, a dispute, a payment made twice, an end that is near. The most urgent first.
 */
export function noticesOf({ notices, holders, spendable }: CaseSummary, ownerId: string): Notice[] {
  const all = [
    ...aboutSpendable(spendable),
    ...aboutHolds(holders, spendable, ownerId),
    ...notices.flatMap((item) => aboutItem(item, notices)),
  ]
  return all.toSorted((a, b) => Number(b.level === 'problem') - Number(a.level === 'problem'))
}

function aboutItem(item: TraceItem, all: readonly TraceItem[]): Notice[] {
  switch (item.kind) {
    case 'subscription':
      return aboutSubscription(item)
    case 'charge': {
      const { data } = item
      const about = `It is about ${moneyText(data.amount_minor, data.currency)}.`
      const level = data.dispute_state === 'open' ? 'problem' : 'waiting'
      return [notice(level, `${describeDispute(data).join(' ')} ${about}`, item.key)]
    }
    case 'event': {
      const day = dayText(item.data.occurred_at)
      const text = `A refund failed on ${day}: the money is still with us, and the credits are back.`
      return [notice('problem', text, item.key)]
    }
    case 'invitation': {
      const { label, refusal_code, updated_at } = item.data
      const why = refusal_code === 'unavailable' ? 'Clerk did not answer' : `Clerk refused (${refusal_code})`
      const text = `Invitation of ${label} failed on ${dayText(updated_at)}: ${why}. Its seat is free; an admin has to invite again.`
      return [notice('problem', text, item.key)]
    }
    case 'intent':
      return item.data.state === 'settled' ? aboutPaidTwice(item, all) : [aboutRefusal(item)]
    default:
      return []
  }
}

/** Of two payments of one sum the later one says so. */
function aboutPaidTwice({ key, data }: ItemOf<'intent'>, all: readonly TraceItem[]): Notice[] {
  const { credits, amount_minor, currency, settled_at } = data
  const earlier = all.flatMap((item) =>
    item.kind === 'intent' && item.data.amount_minor === amount_minor && item.data.currency === currency
      ? (item.data.settled_at ?? [])
      : [],
  )
  const before = earlier.filter((at) => settled_at && Date.parse(at) < Date.parse(settled_at)).toSorted()
  const last = before.at(-1)
  if (!last || !settled_at) return []
  const sum = `${creditsText(credits)} for ${moneyText(amount_minor, currency)}`
  const text = `Paid twice within ${durationText(last, settled_at)}: ${sum}, on ${dayText(settled_at)}.`
  return [notice('waiting', text, key)]
}

function aboutRefusal({ key, data }: ItemOf<'intent'>): Notice {
  const what = data.plan_type ? capitalized(data.plan_type) : creditsText(data.credits)
  const day = dayText(data.updated_at)
  return notice('waiting', `The bank refused the payment for ${what} on ${day}; nothing was charged.`, key)
}

function aboutSubscription({ key, data }: ItemOf<'subscription'>): Notice[] {
  const name = capitalized(data.plan_type)
  const ends = data.cancel_at ? [`${name} ends on ${dayText(data.cancel_at)}`] : []
  const unpaid_minor = data.unpaid_minor ?? 0
  if (unpaid_minor > 0 || data.status === 'past_due' || data.status === 'unpaid') {
    const sum = unpaid_minor > 0 ? moneyText(unpaid_minor, data.currency) : 'The latest invoice'
    const why = data.needs_confirmation
      ? `${sum} waits for the customer to confirm it with the bank`
      : data.unpaid_decline_code
        ? `Card declined (${declineText(data.unpaid_decline_code)}): ${sum} is open`
        : `${sum} is not paid`
    const next = data.unpaid_next_attempt_at
      ? [`Stripe tries again on ${dayText(data.unpaid_next_attempt_at)}`]
      : []
    return [notice('problem', `${[why, ...next, ...ends].join('; ')}.`, key)]
  }
  if (data.lapses_at && !data.ended_at) {
    const text = `${name} is paid for until ${dayText(data.lapses_at)}, and Stripe plans no charge after that: it brings no credits from then on.`
    return [notice('problem', text, key)]
  }
  if (data.status === 'trialing' && data.trial_end && ends.length === 0)
    return [notice('waiting', `${name} is in its trial until ${dayText(data.trial_end)}.`, key)]
  return ends.map((text) => notice('waiting', `${text}: it is cancelled.`, key))
}

function aboutSpendable({ available, debt }: CaseSummary['spendable']): Notice[] {
  return [
    ...(debt > 0 && available <= 0
      ? [notice('problem', `Every request is refused until a debt of ${creditsText(debt)} is paid back.`)]
      : []),
    ...(debt > 0 && available > 0
      ? [notice('waiting', `A debt of ${creditsText(debt)} of one account takes as many of the other.`)]
      : []),
  ]
}

/** How many people a sentence names. */
const namedMax = 3

/** Why a call may be refused that the balance would cover. */
function aboutHolds(
  holders: CaseSummary['holders'],
  { available }: CaseSummary['spendable'],
  ownerId: string,
): Notice[] {
  if (holders.length === 0) return []
  const sum = (of: 'holds' | 'credits') => holders.reduce((before, held) => before + held[of], 0)
  const until =
    holders
      .map(({ last_expires_at }) => last_expires_at)
      .sort()
      .at(-1) ?? ''
  const [count, credits] = [sum('holds'), sum('credits')]
  const named = holders
    .slice(0, namedMax)
    .map(({ user_id, label, holds }) => `${holds} of ${memberText(user_id, label)}`)
  const more = holders.length > namedMax ? `, ${holders.length - namedMax} other people` : ''
  const isOwn = holders.every(({ user_id }) => user_id === ownerId)
  const whose = isOwn ? '' : ` (${named.join(', ')}${more})`
  const refused =
    available > 0
      ? `a request for more than ${creditsText(available)} is refused`
      : 'every request is refused'
  const reserved = `${creditsText(credits)} ${credits === 1 ? 'is' : 'are'} reserved by ${count === 1 ? 'an open hold' : `${count} open holds`}`
  return [
    ...holders
      .filter(({ is_at_limit }) => is_at_limit)
      .map(({ user_id, label, holds }) =>
        notice(
          'problem',
          `${memberText(user_id, label)} has ${holds} open holds, which is the maximum: the next is refused until one of them ends.`,
        ),
      ),
    notice('waiting', `${reserved}${whose} until ${momentText(until)} at the latest; meanwhile ${refused}.`),
  ]
}
