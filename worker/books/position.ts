import { monthGrantId, purchaseGrantId } from '../../schema/ledger/keys.ts'
import { billingMonths, isPaidTooLate, lateCredits } from './billing-months.ts'
import type { MoneyBack, OwnerFacts, PaidLine, SubscriptionFact } from './facts.ts'

/** What should be there for one owner at one moment. */
export interface Position {
  readonly grants: readonly GrantDue[]
  /** Every billing month that has begun, by subscription and in order. */
  readonly months: readonly MonthDue[]
}

/** Something that brought credits, and what of them is due today: `gross − refunded − disputed`. */
export interface GrantDue {
  /** The ledger's, e.g. `purchase/<intent>` or `month/<invoice>/<start in seconds>`. */
  readonly id: string
  readonly kind: 'purchase' | 'month' | 'seats' | 'late_month'
  readonly intent_id: string
  readonly stripe_subscription_id: string | null
  readonly stripe_invoice_id: string | null
  /** The billing month that its credits end with; null when they do not end. */
  readonly month_starts_at: Date | null
  readonly starts_at: Date
  readonly ends_at: Date | null
  /** Whole credits. */
  readonly gross: number
  readonly refunded: number
  readonly disputed: number
}

export interface MonthDue {
  readonly stripe_subscription_id: string
  readonly starts_at: Date
  readonly ends_at: Date
  readonly is_over: boolean
  /** A later subscription of the owner has begun, which starts without this one's debts. */
  readonly is_superseded: boolean
}

/**
 * Says from all facts of one owner what should be in the books at `now`: see decision 061 for the rules. The order in which facts
 * became known, and what was posted before, make no difference.
 */
export function positionOf(facts: OwnerFacts, now: Date): Position {
  const plans = facts.subscriptions
    .map((subscription) => ({ subscription, months: billingMonths(subscription, now) }))
    .toSorted((a, b) => startOf(a) - startOf(b))
  return {
    grants: [
      ...facts.purchases.map(purchaseGrant),
      ...plans.flatMap(({ subscription, months }) => [
        ...months.flatMap((month) =>
          month.shares.map(
            (share): GrantDue => ({
              id: monthGrantId(share.kind, share.invoice_id, month.starts_at),
              kind: share.kind,
              ...sourceOf(subscription, share.invoice_id),
              month_starts_at: month.starts_at,
              starts_at: share.starts_at,
              ends_at: month.ends_at,
              ...afterMoneyBack(share.credits, facts.invoice_money.get(share.invoice_id)),
            }),
          ),
        ),
        ...lateGrants(subscription, facts),
      ]),
    ],
    months: plans.flatMap(({ subscription, months }, index) =>
      months.map(({ starts_at, ends_at, is_over }) => ({
        stripe_subscription_id: subscription.id,
        starts_at,
        ends_at,
        is_over,
        is_superseded: plans.slice(index + 1).some((later) => later.months.length > 0),
      })),
    ),
  }
}

function startOf({ months }: { months: readonly { starts_at: Date }[] }): number {
  return months[0]?.starts_at.getTime() ?? Number.POSITIVE_INFINITY
}

function purchaseGrant({ intent_id, credits, paid_at, money }: OwnerFacts['purchases'][number]): GrantDue {
  return {
    id: purchaseGrantId(intent_id),
    kind: 'purchase',
    intent_id,
    stripe_subscription_id: null,
    stripe_invoice_id: null,
    month_starts_at: null,
    starts_at: paid_at,
    ends_at: null,
    ...afterMoneyBack(credits, money),
  }
}

/** One grant for each moment that an invoice paid for too late. */
function lateGrants(subscription: SubscriptionFact, facts: OwnerFacts): GrantDue[] {
  const late = subscription.lines.filter((line) => isPaidTooLate(line, subscription))
  const idOf = (line: PaidLine) => monthGrantId('late_month', line.invoice_id, line.starts_at)
  return [...Map.groupBy(late, idOf)].flatMap(([id, lines]) => {
    const [line] = lines
    if (!line) return []
    const credits = lines.reduce((sum, one) => sum + lateCredits(one, subscription), 0)
    return {
      id,
      kind: 'late_month',
      ...sourceOf(subscription, line.invoice_id),
      month_starts_at: null,
      starts_at: line.starts_at,
      ends_at: line.ends_at,
      ...afterMoneyBack(credits, facts.invoice_money.get(line.invoice_id)),
    }
  })
}

function sourceOf({ id, intent_id }: SubscriptionFact, stripe_invoice_id: string) {
  return { intent_id, stripe_subscription_id: id, stripe_invoice_id }
}

/**
 * What of a grant is to be gone because money went back: in proportion, rounded down so that nobody loses a credit that was
 * paid for; all of it when all the money is gone, and never more.
 */
function afterMoneyBack(
  gross: number,
  money: MoneyBack | undefined,
): Pick<GrantDue, 'gross' | 'refunded' | 'disputed'> {
  if (!money || money.total_minor <= 0) return { gross, refunded: 0, disputed: 0 }
  const { total_minor, refunded_minor, disputed_minor } = money
  const shareOf = (minor: number) => Math.floor((gross * Math.min(minor, total_minor)) / total_minor)
  const refunded = shareOf(refunded_minor)
  return { gross, refunded, disputed: shareOf(refunded_minor + disputed_minor) - refunded }
}
