/**
 * The expected state of an owner, written only from the specification and decision 061 ("the rules"). It
 * imports nothing from the product, so that it cannot share its mistakes. Its input is what happened in the
 * world, not our database.
 *
 * Times are seconds since 1970, money is minor units, credits and seats are whole.
 */

/** A payment: an invoice of a subscription, or a purchase of credits. */
export interface Payment {
  readonly id: string
  /** Before what credit balances took of it, and without what was forgiven before it was paid. */
  readonly total: number
  readonly paid_at: number | null
  /** Refunded, or held by a dispute that is open or lost. */
  readonly taken_back: number
  /** Of it, what disputes hold. */
  readonly disputed: number
  /** What was given back beside that for an unused part when Teams took the plan's place: a lower price. */
  readonly given_for_unused: number
  /** Of what was taken back, the part that was refunded before that. */
  readonly refunded_before: number
  /** What a card or an account paid. */
  readonly charged: number
}

export interface Purchase {
  readonly session: string
  readonly credits: number
  readonly payment: Payment
}

/** A time that was bought, with seats. A trial is one, however often its end was moved. */
export interface Period {
  readonly kind: 'trial' | 'month' | 'year'
  readonly starts_at: number
  readonly ends_at: number
  /** From when on the money for the rest of it was given back; null when it was not. */
  readonly given_back_from: number | null
  readonly seats: number
  readonly payment: Payment
}

export interface SeatChange {
  readonly at: number
  readonly to: number
  /** What it was billed with; null while it waits for that. */
  readonly payment: Payment | null
}

export interface Subscription {
  readonly session: string
  readonly plan_type: 'pro' | 'teams'
  readonly seats_now: number
  readonly ended_at: number | null
  /** The end of what was paid for, where Stripe asks for nothing afterwards; null where it does, or will. */
  readonly lapses_at: number | null
  readonly periods: readonly Period[]
  /** In the order in which they were made. */
  readonly seat_changes: readonly SeatChange[]
}

/** What a usage took. */
export interface Usage {
  /** When; null once the product knew the month in which it occurred: from then on it stays where it is. */
  readonly at: number | null
  /** That month, or the closed one that its hold was opened in. */
  readonly of?: string
  /** The month that the plan credits were of: the latest that the product knew. */
  readonly month: string | null
  readonly plan: number
  readonly purchased: number
}

/** Credits that are reserved for a request. */
export interface Hold {
  readonly id: string
  /** The person that it is for. */
  readonly by: string
  /** The operator's key that opened it; null where the person's editor did. */
  readonly key: string | null
  /** The most that this person's holds with this id may take together. */
  readonly run: { readonly id: string; readonly limit: number } | null
  readonly credits: number
  /** Those of them that a usage would have taken of the plan then. */
  readonly plan: number
  readonly opened_at: number
  readonly expires_at: number
  readonly state: 'open' | 'settled' | 'released' | 'expired' | 'settled_late'
  /** Its month, when that was over before it was resolved. */
  readonly outlives: string | null
}

export interface Reserved {
  readonly holds: readonly Hold[]
  /** Months that are over, as far as the product has heard. */
  readonly over: readonly string[]
}

export const nothingReserved: Reserved = { holds: [], over: [] }

/** What a person was charged, and when it occurred. */
export interface Used {
  readonly at: number
  readonly by: string
  /** Of its hold. */
  readonly run: string | null
  readonly credits: number
  /** What it cost by tokens, in thousandths of a credit; 0 where it was told in credits. */
  readonly by_tokens: number
}

export interface Budget {
  /** `organization` and `own`: of all together. The others: of each person. */
  readonly scope: 'organization' | 'own' | 'member' | 'member_default'
  /** Of a `member`: whose. */
  readonly of: string | null
  readonly limit: number
  readonly period: 'day' | 'month' | 'billing_month'
  /** By how much it was raised for the period that begins `from` alone: for all, or for one person. */
  readonly raised: readonly { readonly by: string; readonly from: number; readonly extra: number }[]
}

export interface Spending {
  readonly budgets: readonly Budget[]
  /** All that was ever used. */
  readonly used: readonly Used[]
}

export interface Life {
  readonly purchases: readonly Purchase[]
  /** In the order in which they were bought. */
  readonly subscriptions: readonly Subscription[]
  readonly usages: readonly Usage[]
  /** Support's adjustments of the purchased credits, signed. */
  readonly adjustments: readonly number[]
  readonly reserved: Reserved
  readonly spending: Spending
  /** Members of a team beside the buyer; null when it is no team. */
  readonly colleagues: number | null
  /** Teams that a person has bought in place of their own plan. */
  readonly teams: readonly { readonly session: string; readonly is_live: boolean }[]
}

export interface Belongings {
  readonly plan: number
  readonly purchased: number
  /** Of open holds. */
  readonly held: number
  /** Those of them that are of the plan, which other usage leaves alone. */
  readonly plan_held: number
  readonly plan_type: string
  readonly seats_total: number
  /** By a team's buyer, whose seat comes with the first plan and stays, and by its other members. */
  readonly seats_used: number
  /** The checkout sessions that have been granted. */
  readonly settled: readonly string[]
}

const creditsPerSeat = 500

export function belongings(life: Life, now: number): Belongings {
  const begun = life.subscriptions.filter((subscription) => monthsOf(subscription, now).length > 0)
  const latest = begun.at(-1)
  const live = latest?.ended_at === null ? latest : undefined
  const paid = life.purchases.filter(({ payment }) => payment.paid_at !== null)
  const bought = sum(paid.map(({ credits, payment }) => creditsKept(credits, payment)))
  const late = sum(life.subscriptions.map((subscription) => paidTooLate(subscription)))
  const usages = usagesByMonth(life, now)
  const isOfTeam = life.teams.some(({ is_live }) => is_live)
  const open = openHolds(life, now)
  // What open holds may take of a month that is over is still there.
  const left = begun
    .flatMap((subscription) => leftOfMonths(subscription, usages, now))
    .filter(({ is_over }) => is_over)
    .map((month) => Math.min(Math.max(0, month.left), heldOf(month.name, open)))
  return {
    plan: (latest ? planBalance(latest, usages, now) : 0) + sum(left),
    purchased: bought + late + sum(life.adjustments) - sum(usages.map(({ purchased }) => purchased)),
    held: sum(open.map(({ credits }) => credits)),
    plan_held: sum(open.map(({ plan }) => plan)),
    plan_type: isOfTeam ? 'teams' : (live?.plan_type ?? 'starter'),
    seats_total: isOfTeam ? 1 : (live?.seats_now ?? 0),
    seats_used: latest && life.colleagues !== null ? 1 + life.colleagues : 0,
    settled: [...paid, ...begun, ...life.teams].map(({ session }) => session).toSorted(),
  }
}

/**
 * What the latest plan gives back when Teams has taken its place: of the period in which it ended the unused
 * time or the unused credits, whichever is less, of the money that is still ours; nothing while any of it is
 * disputed, and no more than was charged. An invoice below zero, of a year that becomes a month, gives back nothing:
 * it is a credit balance of the customer at Stripe.
 */
export function givenForUnused(life: Life, now: number): number {
  const subscription = life.subscriptions.at(-1)
  const end = subscription?.ended_at
  if (!subscription || end == null) return 0
  const period = paidPeriods(subscription).findLast(
    ({ kind, payment, starts_at, over_at }) =>
      kind !== 'trial' && !isLate(payment, over_at, subscription) && starts_at <= end && end < over_at,
  )
  if (!period || period.payment.disputed > 0) return 0
  const { total, taken_back, charged } = period.payment
  const spans = spansOf(period)
  const ofMonth = period.seats * creditsPerSeat
  const usages = usagesByMonth(life, now)
  const months = monthsOf(subscription, now)
  let left = 0
  for (const { name, due } of months) {
    const used = sum(usages.filter(({ month }) => month === name).map(({ plan }) => plan))
    left = Math.min(0, left) + due - used
  }
  const toCome = ofMonth * spans.filter(({ starts_at }) => starts_at >= end).length
  const ours = Math.max(0, total - taken_back)
  const byCredits = (total * Math.min(Math.max(0, left), ofMonth) + ours * toCome) / (ofMonth * spans.length)
  const byTime = (ours * (period.ends_at - end)) / (period.ends_at - period.starts_at)
  return Math.max(0, Math.min(Math.floor(Math.min(byCredits, byTime)), charged))
}

export type Funds = Pick<Belongings, 'plan' | 'purchased' | 'held' | 'plan_held'>

export function availableOf({ plan, purchased, held }: Funds): number {
  return plan + purchased - held
}

/** Rule 10: what a usage takes of each account beside what is held; null when it is refused. */
export function spend(funds: Funds, credits: number): { plan: number; purchased: number } | null {
  if (credits > availableOf(funds)) return null
  const ofPlan = Math.min(credits, Math.max(0, funds.plan - funds.plan_held))
  return { plan: ofPlan, purchased: credits - ofPlan }
}

/** Those that are neither resolved nor expired. */
export function openHolds({ reserved }: Pick<Life, 'reserved'>, now: number): Hold[] {
  return reserved.holds.filter(({ state, expires_at }) => state === 'open' && now < expires_at)
}

/** What has expired is written down when something is refused, or by the task of each minute. */
export function isWrittenDown(life: Life, now: number): boolean {
  return openHolds(life, now).length === openHolds(life, 0).length
}

function heldOf(month: string, open: readonly Hold[]): number {
  return sum(open.filter(({ outlives }) => outlives === month).map(({ credits }) => credits))
}

/**
 * Rule 9: what was used in a month that is paid for is paid by that month, as far as it goes. Bought credits
 * that stood in for it come back first, then it takes over from its subscription's month before. What it
 * cannot pay, or what was used when the subscription had ended, stays where it was taken.
 */
export function usagesByMonth(life: Life, now: number): Usage[] {
  let usages = [...life.usages]
  for (const subscription of life.subscriptions) {
    const months = monthsOf(subscription, now)
    for (const [index, month] of months.entries()) {
      const until = Math.min(
        month.ends_at,
        months[index + 1]?.starts_at ?? subscription.ended_at ?? Number.POSITIVE_INFINITY,
      )
      const isOfMonth = ({ at, of, month: paidBy }: Usage) =>
        at !== null &&
        of === undefined &&
        at >= month.starts_at &&
        at < until &&
        startOf(paidBy) < month.starts_at
      const since = usages.filter(isOfMonth)
      if (since.length === 0) continue
      const before = planBalance({ ...subscription, ended_at: month.starts_at }, usages, now)
      let room = Math.max(0, month.due + Math.min(0, before))
      const takeOver = (credits: number) => {
        const taken = Math.min(credits, room)
        room -= taken
        return taken
      }
      const ofBought = takeOver(sum(since.map(({ purchased }) => purchased)))
      const ofSame = since.filter(({ month: paidBy }) => months.some(({ name }) => name === paidBy))
      const ofMonthBefore = takeOver(sum(ofSame.map(({ plan }) => plan)))
      const left = since.map((usage) => ({ ...usage, at: null, of: month.name }))
      usages = [
        ...usages.filter((usage) => !isOfMonth(usage)),
        ...left,
        {
          at: null,
          of: month.name,
          month: ofSame[0]?.month ?? null,
          plan: -ofMonthBefore,
          purchased: -ofBought,
        },
        { at: null, month: month.name, plan: ofBought + ofMonthBefore, purchased: 0 },
      ]
    }
  }
  usages = life.subscriptions.reduce(
    (all, subscription) => stayingInClosed(all, monthsOf(subscription, now), startOf),
    usages,
  )
  return paidAtEnd(life, usages, now)

  function startOf(name: string | null): number {
    const all = life.subscriptions.flatMap((subscription) =>
      monthsOf({ ...subscription, ended_at: null }, now),
    )
    return all.find((month) => month.name === name)?.starts_at ?? 0
  }
}

/**
 * What a month has closed with stays with it, also when a month that began meanwhile becomes known later.
 * Bought credits come back all the same.
 */
function stayingInClosed(
  usages: readonly Usage[],
  months: readonly Month[],
  startOf: (name: string | null) => number,
): Usage[] {
  const latest = Math.max(...months.flatMap(({ begins }) => begins))
  return usages.flatMap((usage): Usage[] => {
    const isClosed = months.some(({ name }) => name === usage.month) && startOf(usage.month) < latest
    if (usage.at === null || usage.at >= latest || !isClosed) return [usage]
    return [
      { ...usage, at: null, purchased: 0 },
      { ...usage, plan: 0 },
    ]
  })
}

/**
 * Rule 9, at a month's end: what is left of it pays the usage in it that was paid with bought credits, beside
 * what is still held of it. So it does when a hold of it is resolved later, and never again.
 */
function paidAtEnd(life: Life, before: readonly Usage[], now: number): Usage[] {
  let usages = [...before]
  const open = openHolds(life, now)
  const { holds, over } = life.reserved
  const all = life.subscriptions
    .flatMap((subscription) => monthsOf(subscription, now).map((month) => ({ ...month, subscription })))
    .toSorted((a, b) => a.starts_at - b.starts_at)
  const occurredIn = ({ at, of }: Usage) => {
    if (at === null) return of
    const month = all.findLast(({ starts_at }) => starts_at <= at)
    return month && at < Math.min(month.ends_at, month.subscription.ended_at ?? at + 1) ? month.name : null
  }
  const isDecided = (name: string) =>
    over.includes(name) && !holds.some((hold) => hold.outlives === name && !open.includes(hold))
  for (const { name, subscription } of all) {
    const month = leftOfMonths(subscription, usages, now).find((one) => one.name === name)
    if (!month?.is_over || isDecided(name)) continue
    const bought = sum(usages.filter((usage) => occurredIn(usage) === name).map(({ purchased }) => purchased))
    const back = Math.max(0, Math.min(bought, month.left - heldOf(name, open)))
    if (back > 0) usages = [...usages, { at: null, of: name, month: name, plan: back, purchased: -back }]
  }
  return usages
}

/** When each month began, in no order. */
export function monthsBegun({ subscriptions }: Life, now: number): number[] {
  return subscriptions.flatMap((subscription) => monthsOf(subscription, now)).flatMap(({ begins }) => begins)
}

/** The latest month that has begun; null when none is open. */
export function openMonth(life: Life, now: number): Pick<Month, 'name' | 'begins'> | null {
  const begun = life.subscriptions.filter((subscription) => monthsOf(subscription, now).length > 0)
  const latest = begun.at(-1)
  return latest && !isOver(latest, now) ? (monthsOf(latest, now).at(-1) ?? null) : null
}

/** The month that began at `startsAt`, even if it is over or the subscription has ended. */
export function monthBegunAt(life: Life, startsAt: number, now: number): Pick<Month, 'name'> | undefined {
  return life.subscriptions
    .flatMap((subscription) => monthsOf({ ...subscription, ended_at: null }, now))
    .find(({ begins }) => begins.includes(startsAt))
}

/**
 * Rule 8. The unused credits of a past month expire; usage above the grant stays as a debt, which the
 * following months of the same subscription pay. A later subscription starts without it, so only the latest
 * one counts.
 */
function planBalance(subscription: Subscription, usages: readonly Usage[], now: number): number {
  const last = leftOfMonths(subscription, usages, now).at(-1)
  if (!last) return 0
  return last.is_over ? Math.min(0, last.left) : last.left
}

export interface MonthLeft {
  readonly name: string
  readonly starts_at: number
  readonly is_over: boolean
  /** Of what is due, after what was used and what the months before overused; below zero what is overused. */
  readonly left: number
}

/** What is left of a subscription's months, in order. */
export function leftOfMonths(subscription: Subscription, usages: readonly Usage[], now: number): MonthLeft[] {
  let before = 0
  return monthsOf(subscription, now).map(({ name, starts_at, due }, index, months) => {
    const used = sum(usages.filter(({ month }) => month === name).map(({ plan }) => plan))
    const left = before + due - used
    before = Math.min(0, left)
    return { name, starts_at, left, is_over: index < months.length - 1 || isOver(subscription, now) }
  })
}

/** Rule 8: nothing of the plan is left when it has ended, or when Stripe asks for no payment of what follows. */
function isOver(subscription: Subscription, now: number): boolean {
  const { ended_at, lapses_at } = subscription
  return ended_at !== null || (lapses_at !== null && lapses_at <= latestTime(subscription, now))
}

interface Month {
  readonly name: string
  readonly starts_at: number
  /** Of several that are one month, when each began. */
  readonly begins: readonly number[]
  readonly ends_at: number
  readonly due: number
}

/** The billing months that have begun and were paid for in time, in order, with what each is due today. */
function monthsOf(subscription: Subscription, now: number): Month[] {
  const end = subscription.ended_at ?? Number.POSITIVE_INFINITY
  const latest = latestTime(subscription, now)
  const months = paidPeriods(subscription)
    .filter((period) => period.kind === 'trial' || !isLate(period.payment, period.over_at, subscription))
    .flatMap((period) =>
      spansOf(period)
        .filter(({ starts_at }) => starts_at <= latest && starts_at < Math.min(end, period.over_at))
        .map((span) => {
          const inTime = grantsOf(subscription, period, span).filter(
            ({ payment }) =>
              period.kind === 'trial' ||
              (payment.paid_at !== null && !isLate(payment, period.over_at, subscription)),
          )
          const due = sum(inTime.map(({ credits, payment }) => creditsKept(Math.floor(credits), payment)))
          const name = `${period.payment.id}/${span.index}`
          const begins = [span.starts_at]
          return { ...span, name, begins, over_at: Math.min(span.ends_at, period.over_at), due }
        }),
    )
  return months.toSorted((a, b) => a.starts_at - b.starts_at).reduce<(typeof months)[number][]>(together, [])
}

/** Rule 4: times that were both paid for are one month, where they overlap. */
function together<M extends Month & { over_at: number }>(months: M[], month: M): M[] {
  const before = months.at(-1)
  if (!before || before.over_at <= month.starts_at) return [...months, month]
  const over_at = Math.max(before.over_at, month.over_at)
  const ends_at = Math.max(before.ends_at, month.ends_at)
  const begins = [...before.begins, ...month.begins]
  return [...months.slice(0, -1), { ...before, begins, over_at, ends_at, due: before.due + month.due }]
}

/** The product's time, or Stripe's latest payment or end if that is later. */
function latestTime({ periods, seat_changes, ended_at }: Subscription, now: number): number {
  const paid = [...periods, ...seat_changes].map(({ payment }) => payment?.paid_at ?? 0)
  return Math.max(now, ended_at ?? 0, ...paid)
}

interface PaidPeriod extends Period {
  /** When it ends, or what was paid for it is given back, or a trial is over. */
  readonly over_at: number
}

/**
 * Rules 3 and 4: what was paid for lasts until its end, unless its money was given back. A trial fills the
 * time that is not paid for: after what was paid for before it, and until the next payment begins.
 */
function paidPeriods({ periods, ended_at }: Subscription): PaidPeriod[] {
  const paid = periods
    .filter(({ kind, payment }) => kind !== 'trial' && payment.paid_at !== null)
    .map((period) => ({ ...period, over_at: period.given_back_from ?? period.ends_at }))
  const inTime = paid.filter(({ payment }) => !isAfterEnd(payment, ended_at))
  const trials = periods.filter(({ kind }) => kind === 'trial')
  const free = trials.map((trial) => {
    const earlier = paid.filter(
      ({ starts_at, over_at, payment }) =>
        starts_at < trial.starts_at && (payment.paid_at ?? 0) < over_at && !isAfterEnd(payment, ended_at),
    )
    const next = inTime.map(({ starts_at }) => starts_at).filter((at) => at >= trial.starts_at)
    return {
      ...trial,
      starts_at: Math.max(trial.starts_at, ...earlier.map(({ over_at }) => over_at)),
      over_at: Math.min(trial.ends_at, ...next),
    }
  })
  return [...paid, ...free].toSorted((a, b) => a.starts_at - b.starts_at)
}

function isAfterEnd({ paid_at }: Payment, endedAt: number | null): boolean {
  return paid_at !== null && endedAt !== null && paid_at > endedAt
}

/**
 * Rule 11: a payment in the second of the subscription's end is in time, in that of the period's end late.
 */
function isLate(payment: Payment, overAt: number, { ended_at }: Subscription): boolean {
  return payment.paid_at !== null && (payment.paid_at >= overAt || isAfterEnd(payment, ended_at))
}

interface Span {
  readonly index: number
  readonly starts_at: number
  readonly ends_at: number
}

/** Rule 2: a year has twelve months, counted from its own day. */
function spansOf(period: Period): Span[] {
  const { kind, starts_at, ends_at } = period
  if (kind !== 'year') return [{ index: 0, starts_at, ends_at }]
  return Array.from({ length: 12 }, (_, index) => ({
    index,
    starts_at: addMonths(starts_at, index),
    ends_at: index === 11 ? ends_at : addMonths(starts_at, index + 1),
  }))
}

/** The same day and time of a later month (UTC), the last day where a month is too short. */
export function addMonths(seconds: number, months: number): number {
  const start = new Date(seconds * 1000)
  const later = new Date(start)
  later.setUTCDate(1)
  later.setUTCMonth(start.getUTCMonth() + months)
  const days = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate()
  later.setUTCDate(Math.min(start.getUTCDate(), days))
  return later.getTime() / 1000
}

interface Grant {
  readonly credits: number
  readonly payment: Payment
}

/** Rules 4 and 5: a month's grants before rounding, for its first seats and for added ones. */
function grantsOf(subscription: Subscription, period: PaidPeriod, month: Span): Grant[] {
  const until = Math.min(period.over_at, month.ends_at)
  const creditsFrom = (from: number, number: number) =>
    period.kind === 'trial'
      ? number * creditsPerSeat
      : (number * creditsPerSeat * (until - from)) / (month.ends_at - month.starts_at)

  let seats: PaidSeats[] = [{ seats: period.seats, payment: period.payment }]
  let atStart: PaidSeats[] | null = null
  let most = 0
  const given = new Map<string | undefined, PaidSeats[]>()
  const added: Grant[] = []
  for (const { at, to, payment } of changesIn(subscription, period)) {
    if (at >= Math.min(period.over_at, month.ends_at)) continue
    if (at >= month.starts_at && !atStart) {
      atStart = seats
      most = count(seats)
    }
    const from = count(seats)
    const bill = payment?.id
    const back = given.get(bill) ?? []
    if (to < from) {
      given.set(bill, [...back, ...top(seats, from - to)])
      seats = without(seats, from - to)
    } else {
      // One bill that gives seats back and charges them again leaves them as they were.
      const again = top(back, to - from)
      given.set(bill, without(back, count(again)))
      seats = [...seats, ...again, { seats: to - from - count(again), payment }]
    }
    if (at < month.starts_at) continue
    for (const part of top(seats, to - most))
      if (part.payment) added.push({ credits: creditsFrom(at, part.seats), payment: part.payment })
    most = Math.max(most, to)
  }
  const first = (atStart ?? seats).flatMap(({ seats: number, payment }) =>
    payment ? [{ credits: creditsFrom(month.starts_at, number), payment }] : [],
  )
  // What one payment brought of a month is one grant.
  return [...Map.groupBy([...first, ...added], ({ payment }) => payment)].map(([payment, grants]) => ({
    payment,
    credits: sum(grants.map(({ credits }) => credits)),
  }))
}

interface PaidSeats {
  readonly seats: number
  readonly payment: Payment | null
}

/** Stripe changes the seats of the period that began last, paid or not. */
function changesIn({ seat_changes, periods }: Subscription, { payment }: Period): SeatChange[] {
  return seat_changes.filter(({ at }) => {
    const begun = periods.filter(({ starts_at, ends_at }) => starts_at <= at && at < ends_at)
    return begun.toSorted((a, b) => a.starts_at - b.starts_at).at(-1)?.payment === payment
  })
}

function count(seats: readonly PaidSeats[]): number {
  return sum(seats.map((part) => part.seats))
}

/** The seats that were added last. */
function top(seats: readonly PaidSeats[], number: number): PaidSeats[] {
  const last = seats.at(-1)
  if (!last || number <= 0) return []
  const taken = Math.min(last.seats, number)
  return [...top(seats.slice(0, -1), number - taken), { ...last, seats: taken }]
}

/** Rule 5: the seats that were added last go first. */
function without<T extends { seats: number }>(seats: readonly T[], gone: number): T[] {
  const last = seats.at(-1)
  if (!last || gone === 0) return [...seats]
  if (last.seats <= gone) return without(seats.slice(0, -1), gone - last.seats)
  return [...seats.slice(0, -1), { ...last, seats: last.seats - gone }]
}

/** Rule 11: the credits of late invoices, one grant each. */
function paidTooLate(subscription: Subscription): number {
  const brought = new Map<Payment, number>()
  for (const period of paidPeriods(subscription)) {
    if (period.kind === 'trial') continue
    const spans = spansOf(period).filter(({ starts_at }) => starts_at < period.over_at)
    for (const grant of spans.flatMap((span) => grantsOf(subscription, period, span))) {
      if (isLate(grant.payment, period.over_at, subscription))
        brought.set(grant.payment, (brought.get(grant.payment) ?? 0) + grant.credits)
    }
  }
  return sum([...brought].map(([payment, credits]) => creditsKept(Math.floor(credits), payment)))
}

/** Rules 6 and 7: what remains of a grant when its share of the money that went back is taken. */
function creditsKept(
  credits: number,
  { total, taken_back, given_for_unused, refunded_before }: Payment,
): number {
  if (total <= 0) return credits
  if (given_for_unused === 0) return credits - Math.floor((credits * Math.min(taken_back, total)) / total)
  // Rule 7 once more, for the lower price that was left.
  const price = total - refunded_before - given_for_unused
  const later = Math.min(taken_back - refunded_before, price)
  const first = (credits * refunded_before) / total
  const then = price > 0 ? ((credits - first) * later) / price : 0
  return credits - Math.floor(first + then + 1e-9)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
