import type {
  MoneyBack,
  OwnerFacts,
  PaidLine,
  SubscriptionFact,
} from '../../schema/billing/position/facts.ts'

/** Midnight of a day, e.g. `2026-01-31`; a time may follow it. */
export function day(text: string): Date {
  return new Date(text.length > 10 ? `${text}Z` : `${text}T00:00:00Z`)
}

/** A period of a plan, paid when it began; `fields` make it another. */
export function period(
  invoice_id: string,
  starts: string,
  ends: string,
  fields: Partial<PaidLine> = {},
): PaidLine {
  return {
    invoice_id,
    kind: 'period',
    starts_at: day(starts),
    ends_at: day(ends),
    seats: 1,
    seats_before: null,
    amount_minor: 2000,
    paid_at: day(starts),
    ...fields,
  }
}

/** Seats that were added, or given up, until the period's end. */
export function seats(
  invoice_id: string,
  [at, ends]: [string, string],
  [before, after]: [number | null, number],
  fields: Partial<PaidLine> = {},
): PaidLine {
  return { ...period(invoice_id, at, ends), kind: 'seats', seats_before: before, seats: after, ...fields }
}

/** The money for the rest of a period that ends then went back from a moment on. */
export function cut(invoice_id: string, at: string, ends: string, fields: Partial<PaidLine> = {}): PaidLine {
  return { ...period(invoice_id, at, ends), kind: 'cut', ...fields }
}

export function subscription(
  lines: readonly PaidLine[],
  fields: Partial<SubscriptionFact> = {},
): SubscriptionFact {
  return {
    id: 'sub_1',
    intent_id: '0199f0a0-0000-7000-8000-000000000001',
    plan_type: 'pro',
    credits_per_seat: 500,
    trial_end: null,
    ended_at: null,
    lapses_at: null,
    seats: lines.at(-1)?.seats ?? 1,
    lines,
    ...fields,
  }
}

/** An owner with these subscriptions; `money` says by invoice what of 20.00 went back. */
export function ownerFacts(
  subscriptions: readonly SubscriptionFact[],
  money: Readonly<Record<string, Partial<MoneyBack>>> = {},
): OwnerFacts {
  return {
    owner_id: 'user_a',
    purchases: [],
    subscriptions,
    invoice_money: new Map(
      Object.entries(money).map(([id, back]) => [
        id,
        { total_minor: 2000, refunded_minor: 0, disputed_minor: 0, ...back },
      ]),
    ),
  }
}
