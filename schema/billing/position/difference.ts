import type { Grant } from '../../ledger/grants.ts'
import type { Books, ClosedMonth, HoldInBooks, MonthToClose } from '../../ledger/post/books.ts'
import type { UsageInMonth, UsageWindow } from '../../ledger/post/usage-in-months.ts'
import { earlier } from './calendar.ts'
import type { MonthDue, Position } from './position.ts'

// Decides how much of each month was used, expires and is written off. In the order of the calls:
//   usageToCount   whose usage has to be read: of months that begin in the books, and of those that close
//   differenceOf   of each grant and component, the credits that are due less those that are posted
//   countUsage     which month pays for which usage (rule 9 of docs/decisions/061)
//   foldMonths     what is left of each month, after the debts of those before it (rule 8): that expires
// A month is named by `starts_at`; `usage_from` is from when on usage belongs to it, which may be later.

/** What the ledger has of the grants that a position speaks of; see `readBooks` for the figures. */
export type BooksInScope = Pick<Books, 'grants' | 'closed_months' | 'holds' | 'used_open'>

export type Component = 'gross' | 'refunded' | 'disputed' | 'returned' | 'expired' | 'written_off'

/**
 * A missing transfer: `credits` is its change of the grant's account, never zero. What is `returned` goes to
 * the owner's purchased account.
 */
export interface MissingTransfer {
  readonly grant: Grant
  readonly component: Component
  readonly credits: number
  /** Numbers the transfers of a grant, from 1. */
  readonly ordinal: number
}

export interface Difference {
  readonly transfers: readonly MissingTransfer[]
  /** Months that are over and were not closed yet, and those of which a hold was resolved since. */
  readonly closings: readonly MonthToClose[]
}

/**
 * The time in which an owner's usage counts to a month that begins in the books, or of which an earlier part
 * becomes known, and to one that closes: what `differenceOf` has to know of an owner's usage.
 */
export function usageToCount(position: Position, books: BooksInScope): UsageWindow[] {
  const closed = new Set(books.closed_months.map(keyOf))
  const begun = Map.groupBy(books.grants, (grant) => keyOf(monthOf(grant)))
  const posted = new Set(books.grants.map(({ id }) => id))
  const brought = position.grants.filter(
    ({ id, kind, gross }) => kind === 'month' && gross > 0 && !posted.has(id),
  )
  const beginning = new Set(brought.map((grant) => keyOf(monthOf(grant))))
  const due = new Set(resolvedHolds(position, books).keys())
  const months = position.months.toSorted((a, b) => a.usage_from.getTime() - b.usage_from.getTime())
  return months.flatMap((month, index) => {
    const { stripe_subscription_id, starts_at, usage_from: from } = month
    const name = keyOf(month)
    const begins = !closed.has(name) && (!begun.has(name) || beginning.has(name))
    const closes = closed.has(name) ? due.has(name) : month.is_over
    if (!begins && !closes) return []
    const counted = begins ? (begun.get(name) ?? []).map((grant) => grant.starts_at) : []
    // Of two subscriptions, usage belongs to the one that began last.
    const next = months.slice(index + 1).find(({ usage_from }) => usage_from > from)?.usage_from
    const until = [...counted, next].reduce<Date>(
      (first, start) => earlier(first, start ?? first),
      month.usage_until,
    )
    return from < until ? [{ stripe_subscription_id, starts_at, from, until, is_beginning: begins }] : []
  })
}

/**
 * The transfers that make the ledger equal to the position; none once they are posted. A grant that the
 * position no longer has is clawed back; adjustments are never corrected. `usage` is that of `usageToCount`.
 */
export function differenceOf(
  position: Position,
  books: BooksInScope,
  usage: readonly UsageInMonth[],
): Difference {
  const transfers: MissingTransfer[] = []
  const closings: MonthToClose[] = []
  const due = new Map(position.grants.map((grant) => [grant.id, grant]))
  const posted = new Map(books.grants.filter(isOurs).map((grant) => [grant.id, grant]))
  // A grant is written down once, as it was when it was first posted.
  const grants = new Map<string, Grant>([...due, ...posted])
  const counts = new Map(books.grants.map((grant) => [grant.id, grant.transfers]))

  for (const [id, grant] of grants) {
    const want = due.get(id)
    const have = posted.get(id)
    post(grant, 'gross', (want?.gross ?? 0) - (have?.gross ?? 0))
    post(grant, 'refunded', (have?.refunded ?? 0) - (want?.refunded ?? 0))
    post(grant, 'disputed', (have?.disputed ?? 0) - (want?.disputed ?? 0))
  }
  const plans = plansOf(position, books)
  const counted = countUsage(plans, books, usage)
  // A month's own grant says how the month was closed.
  const closed = new Map<string | null, { expired: number; written_off: number }>()
  for (const { month, used, left, debt, is_last } of foldMonths(plans, counted)) {
    const grant = month.grant_id === null ? undefined : grants.get(month.grant_id)
    if (grant) post(grant, 'returned', -(counted.get(month)?.returned ?? 0))
    if (!month.is_over) continue
    const { stripe_subscription_id, starts_at, holds } = month
    if (!month.is_closed || holds.some(isResolved)) {
      closings.push({ stripe_subscription_id, starts_at, used, hold_ids: holds.map(({ id }) => id) })
    }
    closed.set(month.grant_id, {
      expired: -Math.max(0, left - heldOf(month)),
      written_off: is_last ? debt : 0,
    })
  }
  for (const [id, grant] of grants) {
    const want = closed.get(id)
    const have = posted.get(id)
    post(grant, 'expired', (want?.expired ?? 0) - (have?.expired ?? 0))
    post(grant, 'written_off', (want?.written_off ?? 0) - (have?.written_off ?? 0))
  }
  return { transfers, closings }

  function post(grant: Grant, component: Component, credits: number): void {
    if (credits === 0) return
    const ordinal = (counts.get(grant.id) ?? 0) + 1
    counts.set(grant.id, ordinal)
    transfers.push({ grant, component, credits, ordinal })
  }
}

function isOurs({ kind }: Grant): boolean {
  return kind !== 'adjustment'
}

type KnownMonth = Omit<MonthDue, 'usage_until'>

/** Those of the position, and those only in the books, by name. */
function knownMonths(position: Position, books: BooksInScope): Map<string, KnownMonth> {
  const inBooks = [...books.grants.flatMap((grant) => monthOf(grant) ?? []), ...books.closed_months]
  const known = inBooks.map(({ stripe_subscription_id, starts_at }) => {
    return { stripe_subscription_id, starts_at, usage_from: starts_at, is_over: true }
  })
  return new Map([...known, ...position.months].map((month) => [keyOf(month), month]))
}

interface PlanMonth extends KnownMonth {
  readonly is_closed: boolean
  /** Today, of all the month's grants. */
  readonly due: number
  /** As recorded when the month was closed, and by its holds since; of the open month until now. */
  readonly used: number
  /** What bought credits stood in for, and was returned. */
  readonly returned: number
  /** Those that were opened in it; see `Books.holds`. */
  readonly holds: readonly HoldInBooks[]
  /** Usage that no closed month has counts to it. */
  readonly is_open_in_books: boolean
  /** The month's own grant; null for a month that never had one. */
  readonly grant_id: string | null
}

interface Plan {
  readonly months: readonly PlanMonth[]
  /** A later subscription of the owner has begun, which starts without this one's debts. */
  readonly is_superseded: boolean
}

/** The months of each subscription in order: those of the position, and those only in the books. */
function plansOf(position: Position, books: BooksInScope): Plan[] {
  const closed = new Map(books.closed_months.map((month) => [keyOf(month), month]))
  const inBooks = books.grants.flatMap((grant) => monthOf(grant) ?? [])
  const dueOf = Map.groupBy(position.grants, (grant) => keyOf(monthOf(grant)))
  const bookedOf = Map.groupBy(books.grants, (grant) => keyOf(monthOf(grant)))
  // The latest month with a grant that is not closed: all usage of the plan account counts as its usage.
  const open = inBooks
    .filter((month) => !closed.has(keyOf(month)))
    .toSorted(byStart)
    .at(-1)
  const holdsOf = holdsByMonth(position, books)
  const months = [...knownMonths(position, books)].map(([name, month]): PlanMonth => {
    const due = dueOf.get(name) ?? []
    const own = [...due, ...(bookedOf.get(name) ?? [])].find((grant) => grant.kind === 'month')
    const isOpenInBooks = open !== undefined && keyOf(open) === name
    const holds = holdsOf.get(name) ?? []
    const usedAtEnd = closed.get(name)?.used
    return {
      ...month,
      is_closed: closed.has(name),
      due: due.reduce((sum, grant) => sum + grant.gross - grant.refunded - grant.disputed, 0),
      used:
        usedAtEnd === undefined
          ? isOpenInBooks
            ? books.used_open - usedLate(books)
            : 0
          : usedAtEnd + usedLate({ holds }),
      returned: (bookedOf.get(name) ?? []).reduce((sum, grant) => sum - grant.returned, 0),
      holds,
      is_open_in_books: isOpenInBooks,
      grant_id: own?.id ?? null,
    }
  })
  const plans = [...Map.groupBy(months.toSorted(byStart), (month) => month.stripe_subscription_id).values()]
  // Of two that began in one second, the ended one was first.
  const isLive = (plan: PlanMonth[]) => Number(plan.at(-1)?.is_over === false)
  const inOrder = plans.toSorted((a, b) => byStart(a[0], b[0]) || isLive(a) - isLive(b))
  const begun = new Set(position.months.map((month) => month.stripe_subscription_id))
  return inOrder.map((plan, index) => ({
    months: plan,
    is_superseded: inOrder
      .slice(index + 1)
      .some(([later]) => later && begun.has(later.stripe_subscription_id)),
  }))
}

interface CountedUsage {
  /** Plan credits that were used in the month, as it will be closed. */
  readonly used: number
  /** Those of them that purchased credits had stood in for, beside what was returned before. */
  readonly returned: number
}

/**
 * Usage belongs to the month in which it occurred (061, rule 9). When a month begins in the books, it takes over
 * what was used since its start, as far as it covers that: first from the purchased credits, then from its
 * subscription's month that was open meanwhile. It covers what it is due less the debt that it has to pay, so
 * that taking over makes no debt. When it closes, it covers with what is left what purchased credits paid.
 */
function countUsage(
  plans: readonly Plan[],
  books: BooksInScope,
  usage: readonly UsageInMonth[],
): Map<PlanMonth, CountedUsage> {
  const taken = new Map(usage.map((month) => [keyOf(month), month]))
  const open = plans.flatMap(({ months }) => months).find((month) => month.is_open_in_books)
  // What is left in the month that closes now. While none closes, the latest month has all of it.
  let left = open?.is_over ? open.used : 0
  const staying = open?.is_over ? 0 : books.used_open - usedLate(books)
  const counted = new Map<PlanMonth, CountedUsage>()
  for (const { months } of plans) {
    let debt = 0
    for (const month of months) {
      let { used } = month
      const since = taken.get(keyOf(month))
      if (since?.is_beginning) {
        const covered = Math.max(0, month.due - debt - (month.is_over ? month.used : staying))
        const returned = Math.min(since.purchased, covered)
        // A closed month stays closed: with an older subscription it would depend on which was heard first.
        const follows = months.some((one) => one === open && one.starts_at < month.starts_at)
        const moved = follows ? Math.min(since.plan, covered - returned, left) : 0
        left -= moved
        used += returned + moved
        counted.set(month, { used, returned })
      }
      debt = Math.max(0, used + debt - month.due)
    }
  }
  if (open?.is_over) {
    const returned = counted.get(open)?.returned ?? 0
    counted.set(open, { used: left + returned, returned })
  }
  for (const { months } of plans) {
    let debt = 0
    for (const month of months) {
      const { used, returned } = counted.get(month) ?? { used: month.used, returned: 0 }
      const stoodIn = (taken.get(keyOf(month))?.purchased ?? 0) - month.returned - returned
      const room = month.due - debt - used - heldOf(month)
      const more = month.is_over ? Math.max(0, Math.min(stoodIn, room)) : 0
      if (more > 0) counted.set(month, { used: used + more, returned: returned + more })
      debt = Math.max(0, used + more + debt - month.due)
    }
  }
  return counted
}

interface FoldedMonth {
  readonly month: PlanMonth
  readonly used: number
  /** Of what is due, after what was used and what earlier months of its subscription overused. */
  readonly left: number
  /** What they and this one overused. */
  readonly debt: number
  /** The last one of a subscription that a later one has taken the place of. */
  readonly is_last: boolean
}

/** What is left of each month (061, rule 8). */
function foldMonths(plans: readonly Plan[], counted: ReadonlyMap<PlanMonth, CountedUsage>): FoldedMonth[] {
  return plans.flatMap(({ months, is_superseded }) => {
    let debt = 0
    return months.map((month, index): FoldedMonth => {
      const used = counted.get(month)?.used ?? month.used
      const left = month.due - used - debt
      debt = Math.max(0, -left)
      return { month, used, left, debt, is_last: is_superseded && index === months.length - 1 }
    })
  })
}

/** By the month in which each was opened. One that outlives its month belongs to one that was closed. */
function holdsByMonth(position: Position, books: BooksInScope): Map<string, HoldInBooks[]> {
  const closed = new Set(books.closed_months.map(keyOf))
  const months = [...knownMonths(position, books).values()].toSorted(
    (a, b) => a.usage_from.getTime() - b.usage_from.getTime(),
  )
  return Map.groupBy(books.holds, ({ opened_at, outlives_month }) => {
    const begun = months.filter(({ usage_from }) => usage_from <= opened_at)
    const own = begun.findLast((month) => !outlives_month || closed.has(keyOf(month)))
    // What was opened after the end of a plan was heard belongs to no month.
    return own && closed.has(keyOf(own)) === outlives_month ? keyOf(own) : ''
  })
}

/** Those of closed months whose settlement is not counted to them yet. */
function resolvedHolds(position: Position, books: BooksInScope): Map<string, HoldInBooks[]> {
  const resolved = books.holds.filter(isResolved)
  return holdsByMonth(position, { ...books, holds: resolved })
}

/** What open holds may still take of a month, which does not expire: all of each, as rule 8 of 061 says. */
function heldOf({ holds }: Pick<PlanMonth, 'holds'>): number {
  return holds.reduce((sum, { is_open, credits }) => sum + (is_open ? credits : 0), 0)
}

/** Plan credits of closed months that are not counted to them yet. */
function usedLate({ holds }: Pick<BooksInScope, 'holds'>): number {
  return holds.reduce((sum, { used }) => sum + used, 0)
}

function isResolved({ is_open }: HoldInBooks): boolean {
  return !is_open
}

type MonthKey = Pick<ClosedMonth, 'stripe_subscription_id' | 'starts_at'>

/** The billing month whose credits a grant is part of. */
function monthOf({ stripe_subscription_id, month_starts_at }: Grant): MonthKey | null {
  return stripe_subscription_id && month_starts_at
    ? { stripe_subscription_id, starts_at: month_starts_at }
    : null
}

function keyOf(month: MonthKey | null): string {
  return month ? `${month.stripe_subscription_id}/${month.starts_at.getTime()}` : ''
}

function byStart(a: MonthKey | undefined, b: MonthKey | undefined): number {
  return (a?.starts_at.getTime() ?? 0) - (b?.starts_at.getTime() ?? 0)
}
