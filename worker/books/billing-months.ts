import type { PaidLine, SubscriptionFact } from './facts.ts'

/** One month that credits are granted for, of a monthly period, of a yearly one, or a whole trial. */
export interface BillingMonth {
  readonly starts_at: Date
  readonly ends_at: Date
  /** A later month of the same subscription has begun, or the subscription has ended. */
  readonly is_over: boolean
  /** What each invoice paid for in this month: its period's invoice first, then those that added seats. */
  readonly shares: readonly MonthShare[]
}

export interface MonthShare {
  readonly invoice_id: string
  readonly kind: 'month' | 'seats'
  /** The month's start, or the first moment at which this invoice added seats in it. */
  readonly starts_at: Date
  /** Whole credits, before anything is taken back. */
  readonly credits: number
}

/** A period that was paid for, from its start until it ended or another one took its place. */
interface Period {
  readonly line: PaidLine
  readonly is_trial: boolean
  /** Where a later period began before this one was over. */
  readonly cut_at: Date | null
}

/** Longer than any month, shorter than two. */
const longestMonthMs = 35 * 24 * 3600 * 1000

/** The billing months of a subscription that have begun by `now`, in order (decision 061, rules 2 to 6). */
export function billingMonths(subscription: SubscriptionFact, now: Date): BillingMonth[] {
  const { ended_at } = subscription
  const hasEnded = ended_at !== null && ended_at <= now
  const inTime = subscription.lines.filter((line) => !isPaidTooLate(line, subscription))
  const months = periodsOf(subscription, inTime, now).flatMap((period) =>
    monthsOf(period, inTime, subscription.credits_per_seat).filter(
      (month) => month.starts_at <= now && (!ended_at || month.starts_at < ended_at),
    ),
  )
  return months.map((month, index) => ({ ...month, is_over: hasEnded || index < months.length - 1 }))
}

/** When the next billing month begins that is paid for already, as in a yearly plan; undefined when none does in that time. */
export function nextBillingMonth(
  lines: readonly PaidLine[],
  { after, until }: { readonly after: Date; readonly until: Date },
): Date | undefined {
  return lines
    .filter((line) => line.kind === 'period')
    .flatMap((line) => splitIntoMonths(line).map((month) => month.starts_at))
    .filter((starts_at) => starts_at > after && starts_at <= until)
    .toSorted((a, b) => a.getTime() - b.getTime())[0]
}

/** Money that came when there was no month any more that it could have paid for (rule 11). */
export function isPaidTooLate(line: PaidLine, { ended_at }: Pick<SubscriptionFact, 'ended_at'>): boolean {
  return line.paid_at >= line.ends_at || (ended_at !== null && line.paid_at > ended_at)
}

/** What a line that was paid too late would have brought in time, in whole credits. */
export function lateCredits(line: PaidLine, subscription: SubscriptionFact): number {
  const period = line.kind === 'period' ? line : containingPeriod(line, subscription.lines)
  if (!period) return 0
  const months = splitIntoMonths(period).length
  const seats =
    line.kind === 'period' ? line.seats : Math.max(0, line.seats - (line.seats_before ?? period.seats))
  const share = lengthMs(line) / lengthMs(period)
  return Math.floor(subscription.credits_per_seat * seats * months * share)
}

function containingPeriod(line: PaidLine, lines: readonly PaidLine[]): PaidLine | undefined {
  return lines.find(
    (other) => other.kind === 'period' && other.starts_at <= line.starts_at && line.starts_at < other.ends_at,
  )
}

/** Paid periods that have begun. Those of a trial, which grows when it is extended, are one. */
function periodsOf(subscription: SubscriptionFact, lines: readonly PaidLine[], now: Date): Period[] {
  const { trial_end } = subscription
  const isTrial = (line: PaidLine) =>
    line.amount_minor === 0 && trial_end !== null && line.starts_at < trial_end
  const begun = lines.filter((line) => line.kind === 'period' && line.starts_at <= now).toSorted(byStart)
  const trial = begun.filter(isTrial)
  const [firstOfTrial] = trial
  const merged = firstOfTrial && {
    ...firstOfTrial,
    ends_at: new Date(Math.max(...trial.map((line) => line.ends_at.getTime()))),
    seats: Math.max(...trial.map((line) => line.seats)),
  }
  const paid = begun.filter((line) => !isTrial(line))
  return [
    ...(merged ? [{ line: merged, is_trial: true, cut_at: null }] : []),
    ...paid.map((line, index) => {
      const next = paid[index + 1]
      return { line, is_trial: false, cut_at: next && next.starts_at < line.ends_at ? next.starts_at : null }
    }),
  ]
}

function monthsOf(
  { line, is_trial, cut_at }: Period,
  lines: readonly PaidLine[],
  creditsPerSeat: number,
): Omit<BillingMonth, 'is_over'>[] {
  const until = cut_at ?? line.ends_at
  const seats = is_trial ? [] : seatChanges(line, until, lines)
  const months = is_trial ? [line] : splitIntoMonths(line).filter((month) => month.starts_at < until)
  return months.map(({ starts_at, ends_at }) => {
    const lasts = { starts_at, ends_at, until: earlier(ends_at, until) }
    return { starts_at, ends_at, shares: sharesOf(lasts, { period: line, changes: seats, creditsPerSeat }) }
  })
}

/** Calendar months from the period's own day; a period of about a month is one. */
function splitIntoMonths({ starts_at, ends_at }: Pick<PaidLine, 'starts_at' | 'ends_at'>): {
  starts_at: Date
  ends_at: Date
}[] {
  if (lengthMs({ starts_at, ends_at }) <= longestMonthMs) return [{ starts_at, ends_at }]
  const months: { starts_at: Date; ends_at: Date }[] = []
  for (let start = starts_at, n = 1; start < ends_at; n++) {
    const end = earlier(addMonths(starts_at, n), ends_at)
    months.push({ starts_at: start, ends_at: end })
    start = end
  }
  return months
}

/** Seats that came or went at one moment, and which invoice paid for those that came. */
interface SeatChange {
  readonly at: Date
  readonly invoice_id: string
  readonly before: number
  readonly after: number
}

/** The paid changes within a period, each beginning where the one before it left off. */
function seatChanges(period: PaidLine, until: Date, lines: readonly PaidLine[]): SeatChange[] {
  const waiting = lines
    .filter((line) => line.kind === 'seats' && line.starts_at >= period.starts_at && line.starts_at < until)
    .toSorted(byStart)
  const changes: SeatChange[] = []
  let seats = period.seats
  while (waiting.length > 0) {
    const [first] = waiting
    // Several changes in one second: the next one is that which begins with the seats of now.
    const next = waiting.findIndex(
      (line) => line.starts_at.getTime() === first?.starts_at.getTime() && line.seats_before === seats,
    )
    const [line] = waiting.splice(Math.max(0, next), 1)
    if (!line) break
    changes.push({
      at: line.starts_at,
      invoice_id: line.invoice_id,
      before: line.seats_before ?? seats,
      after: line.seats,
    })
    seats = line.seats
  }
  return changes
}

/** What each invoice paid for in one month. */
function sharesOf(
  month: { starts_at: Date; ends_at: Date; until: Date },
  {
    period,
    changes,
    creditsPerSeat,
  }: { period: PaidLine; changes: readonly SeatChange[]; creditsPerSeat: number },
): MonthShare[] {
  const atStart = seatsAtStart(month.starts_at, { period, changes })
  const fullMs = lengthMs(month)
  const seatMs = new Map<string, { kind: MonthShare['kind']; starts_at: Date; seat_ms: number }>()
  const add = (invoiceId: string, starts_at: Date, seats: number) => {
    const known = seatMs.get(invoiceId)
    const lastsMs = month.until.getTime() - starts_at.getTime()
    seatMs.set(invoiceId, {
      kind: invoiceId === period.invoice_id ? 'month' : 'seats',
      starts_at: known?.starts_at ?? starts_at,
      seat_ms: (known?.seat_ms ?? 0) + seats * lastsMs,
    })
  }
  add(period.invoice_id, month.starts_at, 0)
  for (const { invoice_id, seats } of atStart) add(invoice_id, month.starts_at, seats)
  let most = atStart.reduce((sum, part) => sum + part.seats, 0)
  for (const change of changes) {
    if (change.at <= month.starts_at || change.at >= month.until) continue
    const added = Math.max(0, change.after - Math.max(most, change.before))
    if (added > 0) add(change.invoice_id, change.at, added)
    most = Math.max(most, change.after)
  }
  return [...seatMs].map(([invoice_id, { kind, starts_at, seat_ms }]) => ({
    invoice_id,
    kind,
    starts_at,
    credits: Math.floor((creditsPerSeat * seat_ms) / fullMs),
  }))
}

/** Who paid for the seats that a month begins with. Seats that were given up were those added last. */
function seatsAtStart(
  moment: Date,
  { period, changes }: { period: PaidLine; changes: readonly SeatChange[] },
): { invoice_id: string; seats: number }[] {
  const parts = [{ invoice_id: period.invoice_id, seats: period.seats }]
  for (const { at, invoice_id, before, after } of changes) {
    if (at > moment) break
    if (after > before) parts.push({ invoice_id, seats: after - before })
    for (let gone = before - after; gone > 0; ) {
      const last = parts.at(-1)
      if (!last) break
      const taken = Math.min(gone, last.seats)
      last.seats -= taken
      gone -= taken
      if (last.seats === 0) parts.pop()
    }
  }
  return parts
}

function byStart(a: PaidLine, b: PaidLine): number {
  return a.starts_at.getTime() - b.starts_at.getTime() || a.invoice_id.localeCompare(b.invoice_id)
}

function lengthMs({ starts_at, ends_at }: { starts_at: Date; ends_at: Date }): number {
  return ends_at.getTime() - starts_at.getTime()
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b
}

/** The same day so many months later, or the last day of a month that is too short; as Stripe's billing cycle anchor does. */
export function addMonths(date: Date, months: number): Date {
  const result = new Date(date)
  result.setUTCDate(1)
  result.setUTCMonth(result.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(result.getUTCFullYear(), result.getUTCMonth() + 1, 0)).getUTCDate()
  result.setUTCDate(Math.min(date.getUTCDate(), lastDay))
  return result
}
