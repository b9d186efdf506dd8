import { paymentTexts } from '../../../schema/api/account.ts'
import type { CaseSummary, TraceItem } from '../../../schema/api/support.ts'
import type { ActTarget } from '../../../schema/api/support-acts.ts'
import { freePlan } from '../../../schema/catalogue/sold-plans.ts'
import { outcomeText, replayOf } from './acts.ts'
import { eventWords } from './events.ts'
import { reasonText } from './failures.ts'
import { intentWords, whatIsBought } from './payments.ts'
import { describeItem, describeNotices } from './timeline.ts'
import {
  capitalized,
  creditsText,
  dataOf,
  dayText,
  durationText,
  type ItemText,
  type Money,
  memberText,
  momentText,
  moneyText,
  type Notice,
  notice,
  seatsText,
  sentence,
  type TextContext,
} from './words.ts'

/** Something that differs, failed or is stuck. */
export interface Problem {
  readonly sentence: string
  /** What to tell the customer, in the words that they see; null where they see nothing of it. */
  readonly tell: string | null
  /** Missing credits, below zero for too many; null without credits. */
  readonly credits: number | null
  readonly money: Money | null
  /** The item on the timeline that it comes from. */
  readonly item_key: string | null
  /** What is replayed to repair it, or the owner, who is resynced; null where that is nothing. */
  readonly replay: ActTarget | null
}

export function problemsOf(summary: CaseSummary, owner: string): Problem[] {
  const { grants, failing, plan_type, comparison } = summary
  const plain = { tell: null, credits: null, money: null, item_key: null, replay: null }
  const replay = { kind: owner.startsWith('org_') ? 'organization' : 'user', id: owner } as const
  const is = capitalized(plan_type.is ?? '')
  const should = capitalized(plan_type.should ?? freePlan.plan_type)
  const unheard =
    comparison.outcome && `Not arrived from Stripe: ${outcomeText('resync', comparison.outcome)}`
  return [
    ...grants.map(describeGrant),
    ...failing.map((item) => describeFailing(item, summary)),
    ...(plan_type.is !== null && plan_type.is !== plan_type.should
      ? [
          {
            ...plain,
            sentence: `The stored plan is ${is}, and it should be ${should}.`,
            tell: `Your plan is ${should}, and your account does not show it yet. We are looking into it.`,
          },
        ]
      : []),
    // A grant that is missing is told with its cause instead.
    ...(unheard && grants.length === 0 ? [{ ...plain, sentence: unheard, tell: underWay, replay }] : []),
  ]
}

const underWay = 'The latest change at our payment provider is not in your account yet. It is being applied.'

/** What to tell the customer of the whole, if anything is known for sure; notices have sentences of their own. */
export function tellInOne(
  [first]: readonly Problem[],
  notices: readonly Notice[],
  { comparison, unapplied_events }: CaseSummary,
): string | null {
  if (first) return first.tell
  const isSure = comparison.state === 'agrees' && unapplied_events === 0 && notices.length === 0
  return isSure ? 'Everything that you have paid for is in your account.' : null
}

/** The whole of it: the first problem, and how many more there are. */
export function inOneSentence(
  [first, ...others]: readonly Problem[],
  summary: CaseSummary,
  notices: readonly Notice[],
): string {
  if (!first) return withoutProblems(summary, notices)
  if (others.length === 0) return first.sentence
  return `${first.sentence} And ${others.length} more ${others.length === 1 ? 'thing needs' : 'things need'} a look.`
}

export const isUrgent = ({ level }: Notice) => level === 'problem'

/** That nothing is missing is said only while Stripe is known to agree, and a worker would say if it did not. */
function withoutProblems(
  { comparison: { state, at, error }, worker }: CaseSummary,
  notices: readonly Notice[],
): string {
  if (state === 'agrees' && !worker.is_silent)
    return notices.some(isUrgent)
      ? 'No credits are missing, but the first notice below needs attention.'
      : 'All expected credits are present.'
  if (state === 'asking' && !worker.is_silent) return 'Asking Stripe …'
  const since = at ? ` since ${momentText(at)}` : ''
  return sentence(`What happened at Stripe${since} is not known${error ? `: ${reasonText(error)}` : ''}`)
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
    tell: missing > 0 ? tellOfMissing(grant) : null,
    credits: missing,
    money: intent && dataOf(intentWords, intent),
    item_key: item?.key ?? null,
    replay: event
      ? { kind: 'event', id: event.id }
      : subscription_id
        ? { kind: 'subscription', id: subscription_id }
        : intent && { kind: 'intent', id: intent.id },
  }
}

function tellOfMissing({ kind, event, credits: { should, is } }: Grant): string | null {
  if (kind === 'adjustment') return null
  if (kind !== 'purchase')
    return `Your balance lacks ${creditsText(should - is)} of your plan. We are looking into it.`
  const isFailed = event && dataOf(eventWords, event)?.state === 'failed'
  return paymentTexts[isFailed ? 'under_review' : 'paid']
}

function whyEvent(item: TraceItem): string {
  const data = dataOf(eventWords, item)
  if (!data) return ''
  if (data.state === 'failed') return `failed: ${reasonText(data.reason)}`
  return data.last_error
    ? `is retried without success: ${withItsAge(reasonText(data.last_error), data)}`
    : 'was received, not processed'
}

/** An error, and since when Stripe or Clerk has been away if it says that. */
function withItsAge(error: string, { unavailable_since }: { readonly unavailable_since?: unknown }): string {
  if (typeof unavailable_since !== 'string') return error
  return `${error.replace(/\.$/, '')} (since ${momentText(unavailable_since)})`
}

/** e.g. `the purchase of 12 November 2026` */
export function grantText({ kind, starts_at, intent }: Grant): string {
  const day = dayText((kind === 'purchase' ? intent?.at : null) ?? starts_at ?? new Date(0).toISOString())
  const bought = intent && dataOf(intentWords, intent)
  switch (kind) {
    case 'purchase':
      return `the purchase of ${day}`
    case 'month':
      return `the month of ${bought ? whatIsBought(bought) : 'the plan'} from ${day}`
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
  const isFailed = data.sync_failed_at === undefined ? data.state === 'failed' : data.sync_failed_at !== null
  const sum = money ? ` about ${moneyText(money.amount_minor, money.currency)}` : ''
  const what = `${title} of ${dayText(at)}${kind === 'event' ? `, ${id},` : ''}${sum}`
  const since = isFailed ? 'failed' : `is stuck for ${durationText(at, as_of)}`
  return {
    sentence: sentence(`${what} ${since}: ${error ? withItsAge(error, data) : 'unknown cause'}`),
    tell: null,
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

/**
 * What explains a complaint although nothing is wrong with the credits: calls that are refused, a declined
 * card, a dispute, a payment made twice, an end that is near. The most urgent first.
 */
export function noticesOf({ notices, holders, spendable, seats }: CaseSummary, ownerId: string): Notice[] {
  const all = [
    ...aboutDebt(spendable),
    ...aboutHolds(holders, spendable, ownerId),
    ...aboutSeats(seats),
    ...notices.flatMap((item) => describeNotices(item, notices)),
  ]
  return all.toSorted((a, b) => Number(isUrgent(b)) - Number(isUrgent(a)))
}

/** What to tell while Stripe or our own worker does not answer. */
export function aboutSilence({ comparison, worker }: CaseSummary): Notice[] {
  if (comparison.state !== 'failed' && !worker.is_silent) return []
  return [
    notice('problem', {
      sentence: 'Something may have been paid or refunded that is not known here.',
      tell: 'We process payments with a delay at the moment. A payment that you made is not lost: its credits come without a second one.',
    }),
  ]
}

function aboutDebt({ available, debt }: CaseSummary['spendable']): Notice[] {
  if (debt <= 0) return []
  const tell = `A refund or dispute took back ${creditsText(debt)} that were used. Credits that are added cover that first.`
  return available > 0
    ? [
        notice('waiting', {
          sentence: `A debt of ${creditsText(debt)} of one account takes as many of the other.`,
          tell,
        }),
      ]
    : [
        notice('problem', {
          sentence: `Every request is refused until a debt of ${creditsText(debt)} is paid back.`,
          tell: `${tell} Until then requests are refused.`,
        }),
      ]
}

function aboutSeats(seats: CaseSummary['seats']): Notice[] {
  if (!seats || seats.total === 0 || seats.held < seats.total) return []
  const { total, held, active, pending } = seats
  const taken =
    held > total ? `${seatsText(held)} are taken, and ${total} paid for` : `All ${seatsText(total)} are taken`
  return [
    notice('waiting', {
      sentence: `${taken} (${active} in use, ${pending} reserved): the next invitation is refused.`,
      tell: `${taken}: ${active} in use, and ${pending} for open invitations. To invite another person, choose Buy Additional Seats on your organization’s page under Seat Management, or free a seat there.`,
    }),
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
        notice('problem', {
          sentence: `${memberText(user_id, label)} has ${holds} open holds, which is the maximum: the next is refused until one of them ends.`,
          tell: `${holds} requests of ${label ?? 'one person'} are still running, which is the maximum. The next one works as soon as one of them ends.`,
        }),
      ),
    notice('waiting', {
      sentence: `${reserved}${whose} until ${momentText(until)} at the latest; meanwhile ${refused}.`,
      tell: `${creditsText(credits)} ${credits === 1 ? 'is' : 'are'} reserved for requests that are still running, until ${momentText(until)} at the latest. What they do not use is available again then.`,
    }),
  ]
}
