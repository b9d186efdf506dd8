import * as fc from 'fast-check'
import { addMonths, earlier } from '../../schema/billing/position/calendar.ts'
import type {
  MoneyBack,
  OwnerFacts,
  PaidLine,
  SubscriptionFact,
} from '../../schema/billing/position/facts.ts'
import { ownerFacts } from './facts.ts'

const dayMs = 86_400_000
const beginning = Date.UTC(2026, 0, 31)

const delay_days = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 60 }) },
)

const planArbitrary = fc.record({
  trial_days: fc.constantFrom(0, 0, 14, 45),
  seats: fc.integer({ min: 1, max: 4 }),
  periods: fc.array(
    fc.record({
      is_yearly: fc.boolean(),
      cut_days: fc.option(fc.integer({ min: 0, max: 70 }), { freq: 3 }),
      gives_back: fc.constantFrom(true, true, false),
      delay_days,
    }),
    { minLength: 1, maxLength: 4 },
  ),
  changes: fc.array(
    fc.record({ day: fc.integer({ min: 0, max: 150 }), seats: fc.integer({ min: 1, max: 6 }), delay_days }),
    {
      maxLength: 5,
    },
  ),
  ends_after_days: fc.option(fc.integer({ min: 1, max: 200 })),
  gap_days: fc.integer({ min: 1, max: 40 }),
})
type PlanSpec = typeof planArbitrary extends fc.Arbitrary<infer Spec> ? Spec : never

/** The facts of an owner with one or two plans, one after the other, and money that went back. */
export const lives: fc.Arbitrary<OwnerFacts> = fc
  .record({
    plans: fc.array(planArbitrary, { minLength: 1, maxLength: 2 }),
    money: fc.array(
      fc.record({
        refunded_minor: fc.constantFrom(0, 0, 700, 2000),
        disputed_minor: fc.constantFrom(0, 0, 2000),
      }),
      {
        maxLength: 8,
      },
    ),
  })
  .map(({ plans, money }) => {
    const subscriptions: SubscriptionFact[] = []
    let start = beginning
    for (const [index, plan] of plans.entries()) {
      const made = subscriptionOf(`sub_${index}`, start, plan)
      subscriptions.push(made)
      if (!made.ended_at) break
      start = made.ended_at.getTime() + plan.gap_days * dayMs
    }
    // A trial has no payment that could be returned.
    const paid = subscriptions.flatMap(({ lines }) => lines.filter(({ amount_minor }) => amount_minor > 0))
    const back: Record<string, Partial<MoneyBack>> = {}
    for (const [index, { invoice_id }] of paid.entries()) back[String(invoice_id)] = money[index] ?? {}
    return ownerFacts(subscriptions, back)
  })

function subscriptionOf(id: string, start: number, plan: PlanSpec): SubscriptionFact {
  const trialEnd = plan.trial_days > 0 ? new Date(start + plan.trial_days * dayMs) : null
  const lines: PaidLine[] = []
  const add = (line: Partial<PaidLine> & Pick<PaidLine, 'starts_at' | 'ends_at' | 'seats'>, days: number) => {
    lines.push({
      invoice_id: `${id}_in_${lines.length}`,
      kind: 'period',
      seats_before: null,
      amount_minor: 2000,
      paid_at: new Date(line.starts_at.getTime() + days * dayMs),
      ...line,
    })
  }
  const { seats } = plan
  if (trialEnd) add({ starts_at: new Date(start), ends_at: trialEnd, seats, amount_minor: 0 }, 0)
  const given_back: Pick<PaidLine, 'starts_at' | 'ends_at' | 'seats'>[] = []
  let at = trialEnd ?? new Date(start)
  let held = seats
  for (const period of plan.periods) {
    const ends_at = addMonths(at, period.is_yearly ? 12 : 1)
    const cut = period.cut_days === null ? ends_at : new Date(at.getTime() + period.cut_days * dayMs)
    const over = earlier(cut, ends_at)
    for (const rest of given_back.splice(0)) add({ ...rest, kind: 'cut' }, period.delay_days)
    add({ starts_at: at, ends_at, seats: held }, period.delay_days)
    const changes = plan.changes.map((change) => ({ ...change, at: new Date(start + change.day * dayMs) }))
    for (const change of changes.toSorted((a, b) => a.day - b.day)) {
      if (change.at < at || change.at >= over || change.seats === held) continue
      const line = {
        starts_at: change.at,
        ends_at,
        seats: change.seats,
        seats_before: held,
        kind: 'seats' as const,
      }
      add(line, change.seats > held ? change.delay_days : 0)
      held = change.seats
    }
    // The invoice of the next period has the credit for the rest of this one.
    if (over < ends_at && period.gives_back) given_back.push({ starts_at: over, ends_at, seats: held })
    at = over
  }
  const ended = plan.ends_after_days === null ? null : new Date(start + plan.ends_after_days * dayMs)
  return {
    id,
    intent_id: id,
    plan_type: 'pro',
    credits_per_seat: 500,
    trial_end: trialEnd,
    ended_at: ended,
    lapses_at: null,
    seats: held,
    lines: lines.filter((line) => !ended || line.starts_at < ended),
  }
}
