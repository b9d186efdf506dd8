import { type Grant, monthGrant, purchaseGrant } from '../../ledger/grants.ts'
import type { GrantInBooks } from '../../ledger/post/books.ts'
import { billingMonths, latePayments } from './billing-months.ts'
import { earlier } from './calendar.ts'
import type { MoneyBack, OwnerFacts, SubscriptionFact } from './facts.ts'

export interface Position {
  readonly grants: readonly GrantDue[]
  /** Every billing month that has begun. */
  readonly months: readonly MonthDue[]
}

/** A grant and its credits due today: `gross − refunded − disputed`, in whole credits. */
export interface GrantDue extends Grant {
  readonly gross: number
  readonly refunded: number
  readonly disputed: number
}

export interface MonthDue {
  readonly stripe_subscription_id: string
  /** Names the month, as the books do. */
  readonly starts_at: Date
  readonly usage_from: Date
  /** From when usage belongs to the next month, or to none. */
  readonly usage_until: Date
  readonly is_over: boolean
}

interface BegunMonths {
  readonly grants: readonly Pick<GrantInBooks, 'id' | 'month_starts_at' | 'starts_at'>[]
}

/**
 * The target state of an owner's books at the time of our clock (decision 061); independent of the order of
 * facts and entries. Beside books it is no earlier than what they have begun: a month that has begun stays
 * begun when a clock is set back or the next worker's is behind, because it would be closed, and used credits
 * would be taken once more; and it keeps its name when an earlier one that is joined to it becomes known
 * later.
 */
export function positionOf(
  { owner_id, purchases, ...facts }: OwnerFacts,
  clock: Date,
  books: BegunMonths = { grants: [] },
): Position {
  const now = books.grants.reduce(
    // One that is joined to an earlier month began itself later.
    (latest, { month_starts_at, starts_at }) =>
      month_starts_at && starts_at && starts_at > latest ? starts_at : latest,
    clock,
  )
  const named = new Map(books.grants.map(({ id, month_starts_at }) => [id, month_starts_at]))
  const plans = facts.subscriptions.map((subscription) => ({
    subscription,
    months: billingMonths(subscription, now).map((month) => {
      const grants = month.shares.map(
        ({ kind, invoice_id, month_starts_at, starts_at, credits }): GrantDue => {
          const span = { month_starts_at, starts_at, ends_at: month.ends_at }
          return {
            ...monthGrant(kind, owner_id, { ...sourceOf(subscription, invoice_id), ...span }),
            ...due(credits, facts.invoice_money.get(invoice_id)),
          }
        },
      )
      // Months that were joined may part again, each with its own name.
      const begins = new Set(month.shares.map((share) => share.month_starts_at.getTime()))
      const name = grants.map(({ id }) => named.get(id)).find((start) => start && begins.has(start.getTime()))
      const starts_at = name ?? month.starts_at
      return {
        grants: grants.map((grant) => ({ ...grant, month_starts_at: starts_at })),
        due: { ...month, starts_at, usage_from: month.starts_at },
      }
    }),
  }))
  return {
    grants: [
      ...purchases.map(
        ({ intent_id, credits, money }): GrantDue => ({
          ...purchaseGrant(owner_id, { intent_id, starts_at: now }),
          ...due(credits, money),
        }),
      ),
      ...plans.flatMap(({ subscription, months }) => [
        ...months.flatMap(({ grants }) => grants),
        ...latePayments(subscription, now).map(({ invoice_id, starts_at, ends_at, credits }): GrantDue => {
          const span = { month_starts_at: null, starts_at, ends_at }
          return {
            ...monthGrant('late_month', owner_id, { ...sourceOf(subscription, invoice_id), ...span }),
            ...due(credits, facts.invoice_money.get(invoice_id)),
          }
        }),
      ]),
    ],
    months: plans.flatMap(({ subscription, months }) =>
      months.map(({ due: { starts_at, usage_from, ends_at, is_over } }, index) => ({
        stripe_subscription_id: subscription.id,
        starts_at,
        usage_from,
        usage_until: earlier(ends_at, months[index + 1]?.due.usage_from ?? subscription.ended_at ?? ends_at),
        is_over,
      })),
    ),
  }
}

function sourceOf({ id, intent_id }: SubscriptionFact, stripe_invoice_id: string) {
  return { intent_id, stripe_subscription_id: id, stripe_invoice_id }
}

/**
 * How many of the granted credits are clawed back because money was returned: in proportion, rounded down so
 * that no paid credit is lost; all of them when all the money is returned, and never more.
 */
function due(
  credits: number,
  money: MoneyBack | undefined,
): Pick<GrantDue, 'gross' | 'refunded' | 'disputed'> {
  const gross = Math.floor(credits)
  if (!money || money.total_minor <= 0) return { gross, refunded: 0, disputed: 0 }
  const { refunded_minor, disputed_minor } = money
  const takenFor = (minor: number) => creditsFor(gross, minor, money)
  const refunded = takenFor(refunded_minor)
  return { gross, refunded, disputed: takenFor(refunded_minor + disputed_minor) - refunded }
}

/**
 * The share of the credits for so much of the money. What was given back for an unused part takes none,
 * because those credits have expired; what goes back later is a share of the lower price that it left.
 */
function creditsFor(gross: number, minor: number, { total_minor, unused }: MoneyBack): number {
  if (!unused) return Math.floor((gross * Math.min(minor, total_minor)) / total_minor)
  const before = Math.min(unused.refunded_before_minor, minor)
  const price = total_minor - unused.amount_minor - unused.refunded_before_minor
  const remaining = gross * (total_minor - before)
  const later = price > 0 ? Math.min(1, (minor - before) / price) : 0
  return Math.floor((gross * before + remaining * later) / total_minor)
}
