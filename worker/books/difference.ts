import type { ClosedMonth, GrantInBooks } from '../../schema/ledger/books.ts'
import type { GrantDue, Position } from './position.ts'

/** What the ledger has of the grants that a position speaks of; see `readBooks` for the figures. */
export interface BooksInScope {
  readonly grants: readonly GrantInBooks[]
  readonly closed_months: readonly ClosedMonth[]
  readonly used_open: number
}

export type Component = 'gross' | 'refunded' | 'disputed' | 'expired' | 'written_off'

/** One transfer that is missing: `credits` is what it adds to the owner's account, never zero. */
export interface MissingTransfer {
  readonly grant_id: string
  readonly component: Component
  readonly credits: number
  /** Numbers the transfers of a grant, from 1. */
  readonly ordinal: number
}

export interface Difference {
  readonly transfers: readonly MissingTransfer[]
  /** Months that are over and were not closed yet. */
  readonly closings: readonly ClosedMonth[]
}

/**
 * Says what is to be posted so that the ledger has what the position says. Nothing is missing when it is posted. A grant that the
 * position does not know (any more) is due nothing; adjustments are nobody's to correct.
 */
export function differenceOf(position: Position, books: BooksInScope): Difference {
  const due = new Map(position.grants.map((grant) => [grant.id, grant]))
  const posted = new Map(books.grants.map((grant) => [grant.id, grant]))
  const counts = new Map<string, number>()
  const transfers: MissingTransfer[] = []
  const post = (grant_id: string, component: Component, credits: number) => {
    if (credits === 0) return
    const ordinal = (counts.get(grant_id) ?? posted.get(grant_id)?.transfers ?? 0) + 1
    counts.set(grant_id, ordinal)
    transfers.push({ grant_id, component, credits, ordinal })
  }

  const ids = new Set([...due.keys(), ...books.grants.filter(isOurs).map((grant) => grant.id)])
  for (const id of ids) {
    const want = due.get(id)
    const have = posted.get(id)
    post(id, 'gross', (want?.gross ?? 0) - (have?.gross ?? 0))
    post(id, 'refunded', (have?.refunded ?? 0) - (want?.refunded ?? 0))
    post(id, 'disputed', (have?.disputed ?? 0) - (want?.disputed ?? 0))
  }

  const closings: ClosedMonth[] = []
  for (const plan of plansOf(position, books)) {
    let debt = 0
    for (const [index, month] of plan.months.entries()) {
      if (!month.is_over) continue
      if (month.used === null) closings.push({ ...keyOf(month), used: month.used_now })
      const left = month.due - (month.used ?? month.used_now) - debt
      debt = Math.max(0, -left)
      const isLast = index === plan.months.length - 1
      close(month, {
        expired: -Math.max(0, left),
        written_off: isLast && plan.is_superseded ? debt : 0,
      })
    }
  }
  return { transfers, closings }

  function close(month: PlanMonth, want: { expired: number; written_off: number }): void {
    const grant = month.grant_id
    if (grant === null) return
    const have = posted.get(grant)
    post(grant, 'expired', want.expired - (have?.expired ?? 0))
    post(grant, 'written_off', want.written_off - (have?.written_off ?? 0))
  }
}

function isOurs(grant: GrantInBooks): boolean {
  return grant.kind !== 'adjustment' && grant.kind !== 'legacy'
}

type MonthKey = Pick<ClosedMonth, 'stripe_subscription_id' | 'starts_at'>

interface PlanMonth extends MonthKey {
  readonly is_over: boolean
  /** Today, of all the month's grants. */
  readonly due: number
  /** When it was closed; null while it is not. */
  readonly used: number | null
  /** What was used of it until now, if it is the month that the books have open. */
  readonly used_now: number
  /** The month's own grant; null for a month that never brought anything. */
  readonly grant_id: string | null
}

interface Plan {
  readonly is_superseded: boolean
  readonly months: readonly PlanMonth[]
}

/** The months of each subscription in their order: those of the position, and those that only the books (still) have. */
function plansOf(position: Position, books: BooksInScope): Plan[] {
  const months = new Map<string, MonthKey & { is_over: boolean; is_superseded: boolean }>()
  const supersededIds = new Set(
    position.months.filter((month) => month.is_superseded).map((month) => month.stripe_subscription_id),
  )
  const inBooks = books.grants.flatMap((grant) => monthOf(grant) ?? [])
  for (const key of [...inBooks, ...books.closed_months]) {
    const is_superseded = supersededIds.has(key.stripe_subscription_id)
    months.set(nameOf(key), { ...keyOf(key), is_over: true, is_superseded })
  }
  for (const month of position.months) {
    const is_closed = books.closed_months.some((closed) => nameOf(closed) === nameOf(month))
    months.set(nameOf(month), { ...month, is_over: month.is_over || is_closed })
  }
  const openInBooks = findOpenMonth(inBooks, books.closed_months)
  const planMonths = [...months.values()]
    .toSorted((a, b) => a.starts_at.getTime() - b.starts_at.getTime())
    .map((month) => ({
      ...month,
      due: position.grants
        .filter((grant) => belongsTo(grant, month))
        .reduce((sum, grant) => sum + grant.gross - grant.refunded - grant.disputed, 0),
      used: books.closed_months.find((closed) => nameOf(closed) === nameOf(month))?.used ?? null,
      used_now: openInBooks === nameOf(month) ? books.used_open : 0,
      grant_id:
        [...position.grants, ...books.grants].find(
          (grant) => grant.kind === 'month' && belongsTo(grant, month),
        )?.id ?? null,
    }))
  return [...Map.groupBy(planMonths, (month) => month.stripe_subscription_id).values()].map((plan) => ({
    is_superseded: plan.some((month) => month.is_superseded),
    months: plan,
  }))
}

/** The latest month that has a grant and is not closed: whatever is used of the plan account is used of it. */
function findOpenMonth(inBooks: readonly MonthKey[], closed: readonly ClosedMonth[]): string | undefined {
  const closedNames = new Set(closed.map(nameOf))
  const open = inBooks
    .filter((month) => !closedNames.has(nameOf(month)))
    .toSorted((a, b) => a.starts_at.getTime() - b.starts_at.getTime())
    .at(-1)
  return open && nameOf(open)
}

/** The billing month whose credits a grant is part of. */
function monthOf(grant: GrantDue | GrantInBooks): MonthKey | null {
  const { kind, stripe_subscription_id, month_starts_at } = grant
  if ((kind !== 'month' && kind !== 'seats') || !stripe_subscription_id || !month_starts_at) return null
  return { stripe_subscription_id, starts_at: month_starts_at }
}

function belongsTo(grant: GrantDue | GrantInBooks, month: MonthKey): boolean {
  const own = monthOf(grant)
  return own !== null && nameOf(own) === nameOf(month)
}

function keyOf({ stripe_subscription_id, starts_at }: MonthKey): MonthKey {
  return { stripe_subscription_id, starts_at }
}

function nameOf({ stripe_subscription_id, starts_at }: MonthKey): string {
  return `${stripe_subscription_id}/${starts_at.getTime()}`
}
