import { earlier, splitIntoMonths } from './calendar.ts'
import {
  byStart,
  isPaidAfterEnd,
  isPaidTooLate,
  type PaidLine,
  periodOf,
  type SubscriptionFact,
} from './facts.ts'
import { type MonthShare, type PaidPeriod, seatChanges, sharesOf } from './month-shares.ts'

/** One month that credits are granted for, of a monthly period, of a yearly one, or a whole trial. */
export interface BillingMonth {
  readonly starts_at: Date
  readonly ends_at: Date
  /** A later month of the same subscription has begun, or the subscription has ended or lapsed. */
  readonly is_over: boolean
  readonly shares: readonly MonthShare[]
}

export interface LatePayment {
  readonly invoice_id: string
  readonly starts_at: Date
  readonly ends_at: Date
  /** Before anything is taken back, and not rounded yet. */
  readonly credits: number
}

/**
 * A subscription's billing months that have begun by `now` and were paid in time (decision 061, rules 2–6).
 */
export function billingMonths(subscription: SubscriptionFact, now: Date): BillingMonth[] {
  const { ended_at, lapses_at } = subscription
  const moment = momentOf(subscription, now)
  const hasEnded = ended_at !== null || (lapses_at !== null && lapses_at <= moment)
  const months = paidPeriods(subscription, moment)
    .filter((period) => !period.is_late)
    .flatMap((period) => monthsOf(period, subscription))
    .filter(({ starts_at }) => starts_at <= moment && (!ended_at || starts_at < ended_at))
    .toSorted((a, b) => a.starts_at.getTime() - b.starts_at.getTime())
    .reduce<PaidMonth[]>(joinOverlapping, [])
  return months.map(({ starts_at, ends_at, shares }, index) => ({
    starts_at,
    ends_at,
    is_over: hasEnded || index < months.length - 1,
    shares: shares.filter((share) => !share.is_late),
  }))
}

interface PaidMonth extends Omit<BillingMonth, 'is_over'> {
  /** Its end, or the moment from which its money went back. */
  readonly over_at: Date
}

/**
 * A month that begins before another one is over, whose money did not go back, belongs to it: together they
 * are one billing month, of which nothing expires before all of it is over (rule 4).
 */
function joinOverlapping(months: readonly PaidMonth[], month: PaidMonth): PaidMonth[] {
  const before = months.at(-1)
  if (!before || month.starts_at >= before.over_at) return [...months, month]
  const joined = {
    ...before,
    ends_at: later(before.ends_at, month.ends_at),
    over_at: later(before.over_at, month.over_at),
    shares: [...before.shares, ...month.shares],
  }
  return [...months.slice(0, -1), joined]
}

/**
 * The period that is paid for and not over when a subscription ends; undefined in a trial, or while its
 * payment is open.
 */
export function periodAtEnd(subscription: SubscriptionFact, ended_at: Date): PaidLine | undefined {
  return paidPeriods(subscription, ended_at).findLast(
    ({ line, is_trial, is_late, over_at }) =>
      !is_trial && !is_late && line.starts_at <= ended_at && ended_at < over_at,
  )?.line
}

/** Late payments: each invoice grants at once the credits of all its months (rule 11). */
export function latePayments(subscription: SubscriptionFact, now: Date): LatePayment[] {
  const late = paidPeriods(subscription, momentOf(subscription, now)).flatMap((period) =>
    monthsOf(period, subscription).flatMap(({ ends_at, shares }) =>
      shares.filter((share) => share.is_late).map((share) => ({ ...share, ends_at })),
    ),
  )
  return [...Map.groupBy(late, (share) => share.invoice_id)].flatMap(([invoice_id, shares]) => {
    const [first] = shares
    const last = shares.at(-1)
    if (!first || !last) return []
    const credits = shares.reduce((sum, share) => sum + share.credits, 0)
    return { invoice_id, starts_at: first.starts_at, ends_at: last.ends_at, credits }
  })
}

/** When the next month that is paid for begins or ends, if one does in that time. */
export function nextMonthEdge(
  lines: readonly PaidLine[],
  { after, until }: { readonly after: Date; readonly until: Date },
): Date | undefined {
  return lines
    .filter((line) => line.kind === 'period')
    .flatMap((line) => splitIntoMonths(line).flatMap((month) => [month.starts_at, month.ends_at]))
    .filter((edge) => edge > after && edge <= until)
    .toSorted((a, b) => a.getTime() - b.getTime())[0]
}

/**
 * Our clock, or Stripe's where ours is behind: Stripe names a payment or an end only after it has happened. A
 * subscription is not read again once its end is recorded, so its grants must not depend on our clock; a
 * payment counts as soon as its event arrives.
 */
function momentOf({ ended_at, lines }: SubscriptionFact, now: Date): Date {
  return lines.reduce((latest, { paid_at }) => later(latest, paid_at), later(now, ended_at ?? now))
}

function later(a: Date, b: Date): Date {
  return a > b ? a : b
}

function paidPeriods(subscription: SubscriptionFact, now: Date): PaidPeriod[] {
  const { trial_end } = subscription
  const periods: { line: PaidLine; is_trial: boolean }[] = []
  for (const line of subscription.lines.toSorted(byStart)) {
    if (line.kind !== 'period' || line.starts_at > now) continue
    const is_trial = line.amount_minor === 0 && trial_end !== null && line.starts_at <= trial_end
    const before = periods.at(-1)
    if (is_trial && before?.is_trial) {
      // A trial that is extended gets another line, and stays one period.
      const seats = Math.max(before.line.seats, line.seats)
      before.line = { ...before.line, ends_at: line.ends_at, seats }
    } else {
      periods.push({ line, is_trial })
    }
  }
  const lines = periods.filter(({ is_trial }) => !is_trial).map(({ line }) => line)
  const paid = lines.map((line): PaidPeriod => {
    const over_at = cutsOf(line, { lines, subscription }).reduce(earlier, line.ends_at)
    const is_late = isPaidTooLate(line, { over_at, subscription })
    return { line, is_trial: false, starts_at: line.starts_at, over_at, is_late }
  })
  return periods.map(({ line, is_trial }) => {
    const itself = paid.find((period) => period.line === line)
    if (itself) return itself
    // A trial was never paid for, so it is never late, and never takes the place of what was paid for.
    const before = paid.filter((period) => period.line.starts_at < line.starts_at && !period.is_late)
    const starts_at = before.map((period) => period.over_at).reduce(later, line.starts_at)
    const next = lines.find(
      (other) => other.starts_at >= line.starts_at && !isPaidAfterEnd(other, subscription),
    )
    const over_at = next ? earlier(line.ends_at, next.starts_at) : line.ends_at
    return { line, is_trial, starts_at, over_at, is_late: false }
  })
}

/** The moments from which the money of a paid period went back (rule 4). */
function cutsOf(
  line: PaidLine,
  { lines, subscription }: { readonly lines: readonly PaidLine[]; readonly subscription: SubscriptionFact },
): Date[] {
  return subscription.lines
    .filter((cut) => cut.kind === 'cut' && !isPaidAfterEnd(cut, subscription))
    .filter((cut) => periodOf(cut, lines) === line)
    .map(({ starts_at }) => starts_at)
}

function monthsOf(period: PaidPeriod, subscription: SubscriptionFact): PaidMonth[] {
  const { line, is_trial, starts_at, over_at } = period
  if (!is_trial) {
    const changes = seatChanges(period, subscription)
    return splitIntoMonths(line)
      .filter((month) => month.starts_at < over_at)
      .map((month) => ({
        ...month,
        over_at: earlier(month.ends_at, over_at),
        shares: sharesOf(month, { period, changes, ...subscription }),
      }))
  }
  const { invoice_id, ends_at, seats } = line
  if (invoice_id === null || starts_at >= over_at) return []
  const credits = seats * subscription.credits_per_seat
  const share = {
    invoice_id,
    kind: 'month',
    month_starts_at: starts_at,
    starts_at,
    credits,
    is_late: false,
  } as const
  return [{ starts_at, ends_at, over_at, shares: [share] }]
}
