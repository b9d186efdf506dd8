import type { Grant } from '../ledger/grants.ts'
import type { Books, ClosedMonth, KeptMonth, MonthToKeep } from '../ledger/post/books.ts'
import type { UsageInMonth, UsageWindow } from '../ledger/post/usage-in-months.ts'
import { earlier } from './calendar.ts'
import type { MonthDue, Position } from './position.ts'

/** What the ledger has of the grants that a position speaks of; see `readBooks` for the figures. */
export type BooksInScope = Pick<
  Books,
  'grants' | 'closed_months' | 'kept_months' | 'open_holds' | 'used_open'
>

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
  /** Months that are over, were not closed yet, and have no open hold. */
  readonly closings: readonly ClosedMonth[]
  /** Those that are not closed, because holds were opened in them. */
  readonly keepings: readonly MonthToKeep[]
}

/**
 * The months that begin in the books, and those of which an earlier part becomes known, by the time whose
 * usage they have not counted yet: what `differenceOf` has to know of an owner's usage.
 */
export function monthsToBegin(position: Position, books: BooksInScope): UsageWindow[] {
  const closed = new Set([...books.closed_months, ...books.kept_months].map(nameOf))
  const begun = Map.groupBy(books.grants, (grant) => nameOf(monthOf(grant)))
  const posted = new Set(books.grants.map(({ id }) => id))
  const brought = position.grants.filter(
    ({ id, kind, gross }) => kind === 'month' && gross > 0 && !posted.has(id),
  )
  const beginning = new Set(brought.map((grant) => nameOf(monthOf(grant))))
  const begin = position.months
    .filter((month) => !closed.has(nameOf(month)))
    .filter((month) => !begun.has(nameOf(month)) || beginning.has(nameOf(month)))
    .toSorted(byStart)
  return begin
    .map(({ stripe_subscription_id, starts_at, usage_from, usage_until }, index) => {
      const counted = (begun.get(nameOf({ stripe_subscription_id, starts_at })) ?? []).map(
        (grant) => grant.starts_at,
      )
      // Of two subscriptions, usage belongs to the one that began last.
      const until = [...counted, begin[index + 1]?.usage_from].reduce<Date>(
        (first, start) => earlier(first, start ?? first),
        usage_until,
      )
      return { stripe_subscription_id, starts_at, from: usage_from, until }
    })
    .filter(({ from, until }) => from < until)
}

/**
 * The transfers that make the ledger equal to the position; none once they are posted. A grant that the
 * position no longer has is clawed back; adjustments are never corrected. `usage` is that of `monthsToBegin`.
 */
export function differenceOf(
  position: Position,
  books: BooksInScope,
  usage: readonly UsageInMonth[],
): Difference {
  const transfers: MissingTransfer[] = []
  const closings: ClosedMonth[] = []
  const keepings: MonthToKeep[] = []
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
  const lasting = foldMonths(plans, counted)
  const holds = assignHolds(position, books, lasting)
  // A month's own grant says how the month was closed.
  const closed = new Map<string | null, { expired: number; written_off: number }>()
  for (const { month, used, left, debt, is_last } of lasting.values()) {
    const grant = month.grant_id === null ? undefined : grants.get(month.grant_id)
    if (grant) post(grant, 'returned', -(counted.get(month)?.returned ?? 0))
    if (!month.is_over) continue
    const { stripe_subscription_id, starts_at } = month
    const held = holds.get(nameOf(month))
    // What open holds may still take does not expire.
    let kept = 0
    if (month.kept && month.kept.held > 0) {
      kept = month.kept.kept
    } else if (!month.is_closed && !month.kept && held) {
      kept = Math.min(Math.max(0, left), held.credits)
      keepings.push({ stripe_subscription_id, starts_at, used, kept, hold_ids: held.ids })
    } else if (!month.is_closed) {
      closings.push({ stripe_subscription_id, starts_at, used })
    }
    closed.set(month.grant_id, {
      expired: -Math.max(0, left - kept),
      written_off: is_last ? debt : 0,
    })
  }
  for (const [id, grant] of grants) {
    const want = closed.get(id)
    const have = posted.get(id)
    post(grant, 'expired', (want?.expired ?? 0) - (have?.expired ?? 0))
    post(grant, 'written_off', (want?.written_off ?? 0) - (have?.written_off ?? 0))
  }
  return { transfers, closings, keepings }

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

interface PlanMonth extends Omit<MonthDue, 'usage_from' | 'usage_until'> {
  readonly is_closed: boolean
  /** Set while it is over, but open for its holds. */
  readonly kept: KeptMonth | null
  /** Today, of all the month's grants. */
  readonly due: number
  /** As recorded when the month was closed; for the open month and a kept one, until now. */
  readonly used: number
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
  const closed = new Map(books.closed_months.map((month) => [nameOf(month), month]))
  const kept = new Map(books.kept_months.map((month) => [nameOf(month), month]))
  const inBooks = books.grants.flatMap((grant) => monthOf(grant) ?? [])
  const known = new Map<string, Omit<MonthDue, 'usage_from' | 'usage_until'>>()
  for (const { stripe_subscription_id, starts_at } of [...inBooks, ...closed.values(), ...kept.values()]) {
    const month = { stripe_subscription_id, starts_at, is_over: true }
    known.set(nameOf(month), month)
  }
  for (const month of position.months) known.set(nameOf(month), month)

  const dueOf = Map.groupBy(position.grants, (grant) => nameOf(monthOf(grant)))
  const bookedOf = Map.groupBy(books.grants, (grant) => nameOf(monthOf(grant)))
  // The latest month with a grant that is not closed: all usage of the plan account counts as its usage.
  const open = inBooks
    .filter((month) => !closed.has(nameOf(month)) && !kept.has(nameOf(month)))
    .toSorted(byStart)
    .at(-1)
  const months = [...known].map(([name, month]): PlanMonth => {
    const due = dueOf.get(name) ?? []
    const own = [...due, ...(bookedOf.get(name) ?? [])].find((grant) => grant.kind === 'month')
    const isOpenInBooks = open !== undefined && nameOf(open) === name
    return {
      ...month,
      is_closed: closed.has(name),
      kept: kept.get(name) ?? null,
      due: due.reduce((sum, grant) => sum + grant.gross - grant.refunded - grant.disputed, 0),
      used: (closed.get(name) ?? kept.get(name))?.used ?? (isOpenInBooks ? books.used_open : 0),
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
  /** Those of them that purchased credits had stood in for. */
  readonly returned: number
}

/**
 * Usage belongs to the month in which it occurred (rule 9). When a month begins in the books, it takes over
 * what was used since its start, as far as it covers that: first from the purchased credits, then from its
 * subscription's month that was open meanwhile. It covers what it is due less the debt that it has to pay, so
 * that taking over makes no debt.
 */
function countUsage(
  plans: readonly Plan[],
  books: BooksInScope,
  usage: readonly UsageInMonth[],
): Map<PlanMonth, CountedUsage> {
  const taken = new Map(usage.map((month) => [nameOf(month), month]))
  const open = plans.flatMap(({ months }) => months).find((month) => month.is_open_in_books)
  // What is left in the month that closes now. While none closes, the latest month has all of it.
  let left = open?.is_over ? books.used_open : 0
  const staying = books.used_open - left
  const counted = new Map<PlanMonth, CountedUsage>()
  for (const { months } of plans) {
    let debt = 0
    for (const month of months) {
      let { used } = month
      const since = taken.get(nameOf(month))
      if (since) {
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

/** Rule 8: what is left of each month, by its name. */
function foldMonths(
  plans: readonly Plan[],
  counted: ReadonlyMap<PlanMonth, CountedUsage>,
): Map<string, FoldedMonth> {
  const folded = plans.flatMap(({ months, is_superseded }) => {
    let debt = 0
    return months.map((month, index): FoldedMonth => {
      const used = counted.get(month)?.used ?? month.used
      const left = month.due - used - debt
      debt = Math.max(0, -left)
      return { month, used, left, debt, is_last: is_superseded && index === months.length - 1 }
    })
  })
  return new Map(folded.map((one) => [nameOf(one.month), one]))
}

interface KeepingHolds {
  readonly ids: readonly string[]
  /** What they may take of the month. */
  readonly credits: number
}

/**
 * The holds that keep a month open, by its name: those that were opened in it. A hold is usage that may come,
 * so rule 9 is true of it: what was held in the gap of a renewal belongs to the new month, as far as that
 * covers it beside what was used, and the rest stays with the month that was open meanwhile.
 */
function assignHolds(
  position: Position,
  books: BooksInScope,
  folded: ReadonlyMap<string, FoldedMonth>,
): Map<string, KeepingHolds> {
  const assigned = new Map<string, KeepingHolds>()
  const months = position.months.toSorted((a, b) => a.usage_from.getTime() - b.usage_from.getTime())
  const open = [...folded.values()].find(({ month }) => month.is_open_in_books)?.month
  const room = new Map([...folded].map(([name, { left }]) => [name, Math.max(0, left)]))
  for (const { id, opened_at, credits } of books.open_holds) {
    const own = months.findLast(({ usage_from }) => usage_from <= opened_at)
    const name = nameOf(own ?? null)
    const month = folded.get(name)?.month
    // What was opened after its end was heard belongs to no month.
    if (!month || month.is_closed || month.kept) continue
    const covered = open && nameOf(open) === name ? credits : Math.min(credits, room.get(name) ?? 0)
    room.set(name, (room.get(name) ?? 0) - covered)
    if (covered === credits) assign(name, id, credits)
    else if (open) assign(nameOf(open), id, credits - covered)
  }
  return assigned

  function assign(name: string, id: string, credits: number): void {
    const holds = assigned.get(name) ?? { ids: [], credits: 0 }
    assigned.set(name, { ids: [...holds.ids, id], credits: holds.credits + credits })
  }
}

type MonthKey = Pick<ClosedMonth, 'stripe_subscription_id' | 'starts_at'>

/** The billing month whose credits a grant is part of. */
function monthOf({ stripe_subscription_id, month_starts_at }: Grant): MonthKey | null {
  return stripe_subscription_id && month_starts_at
    ? { stripe_subscription_id, starts_at: month_starts_at }
    : null
}

function nameOf(month: MonthKey | null): string {
  return month ? `${month.stripe_subscription_id}/${month.starts_at.getTime()}` : ''
}

function byStart(a: MonthKey | undefined, b: MonthKey | undefined): number {
  return (a?.starts_at.getTime() ?? 0) - (b?.starts_at.getTime() ?? 0)
}
