import { earlier, type Span } from './calendar.ts'
import { byStart, isPaidTooLate, type PaidLine, periodOf, type SubscriptionFact } from './facts.ts'

export interface MonthShare {
  readonly invoice_id: string
  readonly kind: 'month' | 'seats'
  /** The start of the month that the invoice paid for, which may be joined to an earlier one. */
  readonly month_starts_at: Date
  /** The month's start, or the first moment at which this invoice added seats in it. */
  readonly starts_at: Date
  /** Before anything is taken back, and not rounded yet. */
  readonly credits: number
  /** Paid when there was no month any more that it could belong to. */
  readonly is_late: boolean
}

export interface PaidPeriod {
  readonly line: PaidLine
  readonly is_trial: boolean
  /** From when on it grants: a trial waits until what was paid for before it is over. */
  readonly starts_at: Date
  /** Its end, or the moment from which its money went back. */
  readonly over_at: Date
  readonly is_late: boolean
}

/** A change of seats at one moment, and the invoice that paid for added ones; null while none has. */
interface SeatChange {
  readonly at: Date
  readonly invoice_id: string | null
  readonly before: number
  readonly after: number
  readonly is_late: boolean
}

/** The paid changes within a period, each beginning where the one before it left off. */
export function seatChanges(period: PaidPeriod, subscription: SubscriptionFact): SeatChange[] {
  const { over_at } = period
  const periods = subscription.lines.filter(({ kind }) => kind === 'period')
  const waiting = subscription.lines
    .filter((line) => line.kind === 'seats' && periodOf(line, periods) === period.line)
    .filter(({ starts_at }) => starts_at < over_at)
    .toSorted(byStart)
  const changes: SeatChange[] = []
  let seats = period.line.seats
  while (waiting.length > 0) {
    const [first] = waiting
    const sameSecond = waiting.filter((line) => line.starts_at.getTime() === first?.starts_at.getTime())
    // Several changes in one second: the next one begins with the seats of now and leads on to the others, or
    // else begins where none of the others ends. Where an invoice does not say where it begins (nothing was
    // charged, so nothing is credited), or the first one is not paid, the one that leads on comes last.
    const led = seatsAfter(waiting, sameSecond) ?? subscription.seats
    const following = sameSecond.filter(({ seats_before }) => seats_before === seats)
    const line =
      following.find((next) => leadsToOthers(next, sameSecond)) ??
      following[0] ??
      sameSecond.find(
        ({ seats_before, seats }) =>
          seats !== led && !sameSecond.some((other) => other.seats === seats_before),
      ) ??
      sameSecond.find(({ seats_before }) => !sameSecond.some((other) => other.seats === seats_before)) ??
      sameSecond.find(({ seats }) => seats !== led) ??
      first
    if (!line) break
    waiting.splice(waiting.indexOf(line), 1)
    changes.push({
      at: line.starts_at,
      invoice_id: line.invoice_id,
      before: line.seats_before ?? seats,
      after: line.seats,
      is_late: period.is_late || isPaidTooLate(line, { over_at, subscription }),
    })
    seats = line.seats
  }
  return changes
}

/** The seats with which the next change after that second begins, if there is one that says so. */
function seatsAfter(waiting: readonly PaidLine[], sameSecond: readonly PaidLine[]): number | null {
  return waiting[sameSecond.length]?.seats_before ?? null
}

/** Whether the others can still follow: a change from 5 to 7 waits for those from 5 to 9 and 9 to 5. */
function leadsToOthers(change: PaidLine, changes: readonly PaidLine[]): boolean {
  const others = changes.filter((other) => other !== change)
  const reached = new Set<number | null>([change.seats])
  // A set's iteration includes elements added during it.
  for (const seats of reached) {
    for (const other of others) if (other.seats_before === seats) reached.add(other.seats)
  }
  return others.every(({ seats_before }) => seats_before === null || reached.has(seats_before))
}

interface PaidSeats {
  /** Null when no invoice paid for them. */
  readonly invoice_id: string | null
  readonly seats: number
  readonly is_late: boolean
}

/** Splits a month of a period among the invoices that paid for it: the period's own first. */
export function sharesOf(
  month: Span,
  {
    period,
    changes,
    credits_per_seat,
  }: { period: PaidPeriod; changes: readonly SeatChange[]; credits_per_seat: number },
): MonthShare[] {
  const { line, over_at, is_late } = period
  const until = earlier(month.ends_at, over_at)
  const own = { invoice_id: line.invoice_id, seats: line.seats, is_late }
  const shares = new Map<string, MonthShare>()
  const add = ({ invoice_id, seats, is_late }: PaidSeats, starts_at: Date) => {
    if (invoice_id === null) return
    const known = shares.get(invoice_id)
    const credits = credits_per_seat * seats * secondsBetween(starts_at, until)
    shares.set(invoice_id, {
      invoice_id,
      kind: invoice_id === own.invoice_id ? 'month' : 'seats',
      month_starts_at: month.starts_at,
      starts_at: known?.starts_at ?? starts_at,
      credits: (known?.credits ?? 0) + credits,
      is_late,
    })
  }
  // A month has a share of its own even when other invoices paid for all its seats.
  add({ ...own, seats: 0 }, month.starts_at)
  const states = seatsAfterEach(own, changes)
  const first = changes.findIndex(({ at }) => at >= month.starts_at)
  const atStart = states.at(first < 0 ? -1 : first) ?? []
  for (const paid of atStart) add(paid, month.starts_at)
  let most = countSeats(atStart)
  for (const [index, { at, before, after }] of changes.entries()) {
    if (at < month.starts_at || at >= until) continue
    for (const paid of lastOf(states[index + 1] ?? [], after - Math.max(most, before))) add(paid, at)
    most = Math.max(most, before, after)
  }
  // Divided once, so that whole credits stay whole.
  const fullSeconds = secondsBetween(month.starts_at, month.ends_at)
  return [...shares.values()].map((share) => ({ ...share, credits: share.credits / fullSeconds }))
}

/**
 * The invoices behind the seats, at first and after each change. Seats added last are removed first. Seats
 * that one invoice takes back and charges again cost nothing, so they stay with the invoice that paid for
 * them.
 */
function seatsAfterEach(own: PaidSeats, changes: readonly SeatChange[]): PaidSeats[][] {
  const unpaid = { invoice_id: null, is_late: false }
  const states = [[own]]
  const taken = new Map<string | null, PaidSeats[]>()
  let parts = [own]
  for (const { before, after, invoice_id, is_late } of changes) {
    // Changes before it without a payment that we know of.
    parts = resized(parts, before, unpaid)
    const back = taken.get(invoice_id) ?? []
    if (after < before) taken.set(invoice_id, [...back, ...lastOf(parts, before - after)])
    const again = lastOf(back, after - before)
    if (after > before) taken.set(invoice_id, resized(back, countSeats(back) - countSeats(again), unpaid))
    parts = resized([...parts, ...again], after, { invoice_id, is_late })
    states.push(parts)
  }
  return states
}

/** The last so many of the seats; all of them when there are fewer. */
function lastOf(parts: readonly PaidSeats[], seats: number): PaidSeats[] {
  const last = parts.at(-1)
  if (!last || seats <= 0) return []
  const taken = Math.min(last.seats, seats)
  return [...lastOf(parts.slice(0, -1), seats - taken), { ...last, seats: taken }]
}

function resized(parts: readonly PaidSeats[], to: number, payer: Omit<PaidSeats, 'seats'>): PaidSeats[] {
  const more = to - countSeats(parts)
  if (more > 0) return [...parts, { ...payer, seats: more }]
  const last = parts.at(-1)
  if (more === 0 || !last) return [...parts]
  const rest = parts.slice(0, -1)
  return last.seats <= -more ? resized(rest, to, payer) : [...rest, { ...last, seats: last.seats + more }]
}

function countSeats(parts: readonly PaidSeats[]): number {
  return parts.reduce((sum, { seats }) => sum + seats, 0)
}

function secondsBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / 1000
}
