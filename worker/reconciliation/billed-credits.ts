/**
 * What the bills of one subscription brought in credits, computed from Stripe's lists. It uses nothing of
 * `schema/position`, so that a mistake there shows: there periods, changes and cuts are read from the lines
 * one by one; here each line is a number of seats for a time, and their sum is what was paid for. Times are
 * seconds.
 */
export interface BilledPlan {
  readonly credits_per_seat: number
  readonly trial_end: number | null
  readonly ended_at: number | null
  /** In the order in which their invoices were made; what is not paid yet comes last. */
  readonly lines: readonly BilledLine[]
}

export interface BilledLine {
  /** Null for what waits to be invoiced. */
  readonly invoice_id: string | null
  /** Null while it is not paid: until then it brings nothing, and takes seats back. */
  readonly paid_at: number | null
  /** Whether it is a period of the plan, and no change within one. */
  readonly is_period: boolean
  readonly starts_at: number
  readonly ends_at: number
  /** Below zero for seats that it takes back. */
  readonly seats: number
  readonly is_free: boolean
}

export interface BilledMonth {
  readonly starts_at: number
  readonly ends_at: number
  /** By the invoice that brought them, not rounded. */
  readonly credits: ReadonlyMap<string, number>
  /** Whether it came too late to be a month: its credits were paid for after it was over. */
  readonly is_late: boolean
}

interface Period {
  readonly line: BilledLine
  /** Its end, or the moment from which all its money went back. */
  readonly over_at: number
  readonly changes: readonly Change[]
}

/** What one invoice changes at one moment. */
interface Change {
  readonly at: number
  readonly invoice_id: string | null
  readonly paid_at: number | null
  /** By how many seats; null where the lines say only how many there are afterwards. */
  readonly by: number | null
  readonly to: number
}

/** The months that have begun by `now`, and those that were paid for too late. */
export function billedMonths(plan: BilledPlan, now: number): BilledMonth[] {
  const paid = plan.lines.filter(({ paid_at }) => paid_at !== null)
  const latest = Math.max(now, plan.ended_at ?? 0, ...paid.map(({ paid_at }) => paid_at ?? 0))
  const regular = paid.filter((line) => line.is_period && line.starts_at <= latest)
  const isTrial = (line: BilledLine) =>
    line.is_free && plan.trial_end !== null && line.starts_at < plan.trial_end
  const bought = regular.filter((line) => !isTrial(line))
  const periods = bought.map((line) => periodOf(line, bought, plan))
  return [
    ...periods.flatMap((period) => monthsOfPeriod(period, plan, latest)),
    ...trialsOf(regular, isTrial).flatMap((trial) => monthOfTrial(trial, periods, plan, latest)),
  ]
}

/** Seats that are paid for, and whose they are; the ones that were added last go first. */
type Seats = readonly { readonly invoice_id: string; readonly seats: number }[]

function periodOf(line: BilledLine, all: readonly BilledLine[], plan: BilledPlan): Period {
  const changes = plan.lines.filter((one) => !one.is_period && around(one, all) === line)
  const moments = [...Map.groupBy(changes, ({ starts_at }) => starts_at)].toSorted(([a], [b]) => a - b)
  const inOrder = moments.flatMap(([at, some]) =>
    [...Map.groupBy(some, ({ invoice_id }) => invoice_id)].map(([invoice_id, own]): Change => {
      const charges = own.filter(({ seats }) => seats > 0)
      // What was free is not credited when it changes again, so a charge may stand alone.
      const isWhole = charges.length <= own.length - charges.length
      const by = isWhole ? own.reduce((sum, { seats }) => sum + seats, 0) : null
      return { at, invoice_id, paid_at: own[0]?.paid_at ?? null, by, to: charges.at(-1)?.seats ?? 0 }
    }),
  )
  const cut = moments.find(([at]) => {
    // What is taken back after the end takes nothing back any more.
    const until = inOrder.filter(
      (change) => change.at <= at && !((change.by ?? 0) < 0 && isAfterEnd(change, plan)),
    )
    return heldAfter(line, until).total <= 0
  })
  return { line, over_at: cut?.[0] ?? line.ends_at, changes: inOrder }
}

/**
 * The period that a change is in: of another bill and with the same end, of several the latest, and of those
 * the one that was paid first: a renewal is a draft while a period that begins beside it is paid at once.
 */
function around(change: BilledLine, periods: readonly BilledLine[]): BilledLine | undefined {
  return periods
    .filter(({ starts_at, ends_at }) => starts_at <= change.starts_at && ends_at === change.ends_at)
    .filter(({ invoice_id }) => invoice_id === null || invoice_id !== change.invoice_id)
    .toSorted((a, b) => b.starts_at - a.starts_at || paidAt(a) - paidAt(b))[0]
}

function paidAt({ paid_at }: BilledLine): number {
  return paid_at ?? Number.POSITIVE_INFINITY
}

interface Held {
  readonly paid: Seats
  /** Those that no payment stands behind included. */
  readonly total: number
}

function heldAfter({ invoice_id, seats }: BilledLine, changes: readonly Change[]): Held {
  let paid: Seats = [{ invoice_id: invoice_id ?? '', seats }]
  // Seats that unpaid bills have added, or taken back when below zero.
  let unpaid = 0
  // Seats that a bill takes back and charges again cost nothing: they stay with the bill that paid for them.
  const back = new Map<string, Seats>()
  for (const { invoice_id, paid_at, by, to } of changes) {
    const more = by ?? to - count(paid) - unpaid
    if (paid_at === null || invoice_id === null) {
      unpaid += more
    } else if (more < 0) {
      const ofUnpaid = Math.min(Math.max(0, unpaid), -more)
      unpaid -= ofUnpaid
      back.set(invoice_id, [...(back.get(invoice_id) ?? []), ...lastOf(paid, -more - ofUnpaid)])
      paid = without(paid, -more - ofUnpaid)
    } else {
      const again = lastOf(back.get(invoice_id) ?? [], more)
      back.set(invoice_id, without(back.get(invoice_id) ?? [], more))
      paid = [...paid, ...again, { invoice_id, seats: more - count(again) }]
    }
  }
  const left = without(paid, -unpaid)
  return { paid: left, total: count(left) + Math.max(0, unpaid) }
}

function without(seats: Seats, gone: number): Seats {
  const last = seats.at(-1)
  if (!last || gone <= 0) return seats
  if (last.seats <= gone) return without(seats.slice(0, -1), gone - last.seats)
  return [...seats.slice(0, -1), { ...last, seats: last.seats - gone }]
}

function lastOf(seats: Seats, wanted: number): Seats {
  const last = seats.at(-1)
  if (!last || wanted <= 0) return []
  const taken = Math.min(last.seats, wanted)
  return [...lastOf(seats.slice(0, -1), wanted - taken), { ...last, seats: taken }]
}

function count(seats: Seats): number {
  return seats.reduce((sum, part) => sum + part.seats, 0)
}

function isAfterEnd({ paid_at }: Pick<BilledLine, 'paid_at'>, { ended_at }: BilledPlan): boolean {
  return paid_at !== null && ended_at !== null && paid_at > ended_at
}

/**
 * A month brings the most seats that it has seen so far, each for the time that was left of it: what is given
 * back within it stays until its end.
 */
function monthsOfPeriod({ line, over_at, changes }: Period, plan: BilledPlan, latest: number): BilledMonth[] {
  const paidAt = new Map(changes.map((change) => [change.invoice_id ?? '', change.paid_at]))
  const isLate = (paid_at: number | null) =>
    paid_at !== null && (paid_at >= over_at || isAfterEnd({ paid_at }, plan))
  const isAllLate = isLate(line.paid_at)
  return monthsBetween(line).flatMap(({ starts_at, ends_at }) => {
    if (starts_at >= over_at) return []
    const until = Math.min(ends_at, over_at)
    const credits = (from: number, seats: number) =>
      (seats * plan.credits_per_seat * (until - from)) / (ends_at - starts_at)
    const before = changes.filter(({ at }) => at < starts_at)
    const within = changes.filter(({ at }) => at >= starts_at && at < until)
    const atStart = heldAfter(line, before)
    const parts = atStart.paid.map((part) => ({
      ...part,
      credits: credits(starts_at, part.seats),
    }))
    let [most, held] = [atStart.total, count(atStart.paid)]
    for (const [index, { at }] of within.entries()) {
      const { paid, total } = heldAfter(line, [...before, ...within.slice(0, index + 1)])
      // A change that waits for its bill pays for nothing, but leaves seats again that an earlier one took.
      for (const part of lastOf(paid, Math.min(total - most, count(paid) - held)))
        parts.push({ ...part, credits: credits(at, part.seats) })
      most = Math.max(most, total)
      held = count(paid)
    }
    const hasBegun = starts_at <= latest && (plan.ended_at === null || starts_at < plan.ended_at)
    const late = (invoice_id: string) =>
      isAllLate || (invoice_id !== line.invoice_id && isLate(paidAt.get(invoice_id) ?? null))
    return [true, false].flatMap((is_late): BilledMonth[] => {
      const own = parts.filter(({ invoice_id }) => late(invoice_id) === is_late)
      if (own.length === 0 || !(is_late || hasBegun)) return []
      const sums = [...Map.groupBy(own, ({ invoice_id }) => invoice_id)].map(
        ([invoice_id, some]) => [invoice_id, some.reduce((sum, part) => sum + part.credits, 0)] as const,
      )
      return [{ starts_at, ends_at: until, is_late, credits: new Map(sums) }]
    })
  })
}

/** A trial that is extended gets another line, and stays one. */
function trialsOf(regular: readonly BilledLine[], isTrial: (line: BilledLine) => boolean): BilledLine[] {
  const trials: BilledLine[] = []
  let before: BilledLine | undefined
  for (const line of regular.toSorted((a, b) => a.starts_at - b.starts_at)) {
    const last = trials.at(-1)
    if (isTrial(line) && last && before && isTrial(before))
      trials[trials.length - 1] = {
        ...last,
        ends_at: line.ends_at,
        seats: Math.max(last.seats, line.seats),
      }
    else if (isTrial(line)) trials.push(line)
    before = line
  }
  return trials
}

/** One month, however long. It fills the time that is not paid for. */
function monthOfTrial(
  trial: BilledLine,
  periods: readonly Period[],
  plan: BilledPlan,
  latest: number,
): BilledMonth[] {
  const inTime = periods.filter(({ line }) => !isAfterEnd(line, plan))
  const earlier = inTime.filter(
    ({ line, over_at }) => line.starts_at < trial.starts_at && (line.paid_at ?? 0) < over_at,
  )
  const next = inTime.map(({ line }) => line.starts_at).filter((at) => at >= trial.starts_at)
  const starts_at = Math.max(trial.starts_at, ...earlier.map(({ over_at }) => over_at))
  const ends_at = Math.min(trial.ends_at, ...next)
  if (starts_at >= ends_at || starts_at > latest || starts_at >= (plan.ended_at ?? latest + 1)) return []
  const credits = new Map([[trial.invoice_id ?? '', trial.seats * plan.credits_per_seat]])
  return [{ starts_at, ends_at, is_late: false, credits }]
}

interface Span {
  readonly starts_at: number
  readonly ends_at: number
}

const longestMonth_s = 35 * 86_400

/** The months of a period, one or twelve: from its own day, or the last one of a month that is too short. */
export function monthsBetween({ starts_at, ends_at }: Span): Span[] {
  if (ends_at - starts_at <= longestMonth_s) return [{ starts_at, ends_at }]
  const edges: number[] = []
  for (let month = 0; (edges.at(-1) ?? 0) < ends_at; month += 1) {
    edges.push(Math.min(monthsAfter(starts_at, month, ends_at), ends_at))
  }
  return edges.slice(1).map((end, index) => ({ starts_at: edges[index] ?? starts_at, ends_at: end }))
}

function monthsAfter(start_s: number, months: number, end_s: number): number {
  const start = new Date(start_s * 1000)
  const isLastDay = start.getUTCDate() === daysIn(start, 0)
  const day = isLastDay
    ? Math.max(start.getUTCDate(), new Date(end_s * 1000).getUTCDate())
    : start.getUTCDate()
  const at = new Date(start)
  at.setUTCMonth(start.getUTCMonth() + months, Math.min(day, daysIn(start, months)))
  return at.getTime() / 1000
}

/** Days of the month that is so many after a date's. */
function daysIn(date: Date, months: number): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0)).getUTCDate()
}
