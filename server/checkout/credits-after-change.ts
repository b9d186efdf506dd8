import { addMonths } from '../../schema/billing/position/calendar.ts'
import type { OwnerFacts, PaidLine } from '../../schema/billing/position/facts.ts'
import { readOwnerBalanceSheet } from '../../schema/billing/position/read-owner.ts'
import { type Database, inSnapshot } from '../../schema/database/connect.ts'

interface YearlyChange {
  readonly owner_id: string
  readonly subscription_id: string
  readonly seats: number
  /** Of all seats, for the year. */
  readonly price_minor: number
  /** Of the present period, at Stripe. */
  readonly period_end: Date
  readonly now: Date
}

/** Stands for the invoice that Stripe would make. */
const invoice_id = 'preview'

/**
 * The included credits after a change to yearly billing at this moment: what the position (decision 061)
 * posts when the present month is cut and a year begins. Null where the year would bring nothing yet.
 */
export async function creditsAfterChange(
  db: Database,
  { owner_id, now, ...change }: YearlyChange,
): Promise<{ granted: number; left: number } | null> {
  const { position, books, difference } = await inSnapshot(db, (trx) =>
    readOwnerBalanceSheet(trx, owner_id, now, (facts) => withYear(facts, { ...change, now })),
  )
  const begun = position.grants.find((grant) => grant.stripe_invoice_id === invoice_id)
  if (!begun) return null
  const posted = difference.transfers
    .filter(({ grant }) => grant.account === 'plan')
    .reduce((sum, { credits }) => sum + credits, 0)
  return { granted: begun.gross, left: books.plan.balance + posted }
}

function withYear(facts: OwnerFacts, change: Omit<YearlyChange, 'owner_id'>): OwnerFacts {
  return {
    ...facts,
    subscriptions: facts.subscriptions.map((subscription) =>
      subscription.id === change.subscription_id
        ? { ...subscription, lines: [...subscription.lines, ...linesOf(change)] }
        : subscription,
    ),
  }
}

/** Of the invoice that Stripe would make: the rest of the present period goes back, and a year begins. */
function linesOf({ seats, price_minor, period_end, now }: Omit<YearlyChange, 'owner_id'>): PaidLine[] {
  const bill = { invoice_id, starts_at: now, paid_at: now, seats, seats_before: null }
  return [
    { ...bill, kind: 'cut', ends_at: period_end, amount_minor: -1 },
    { ...bill, kind: 'period', ends_at: addMonths(now, 12), amount_minor: price_minor },
  ]
}
