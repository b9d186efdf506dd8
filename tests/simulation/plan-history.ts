import * as fc from 'fast-check'
import { type Mishap, mishap } from './mishaps.ts'

/** What is bought: Pro, or Teams with the organization that comes with it. */
export interface PlannedPlan {
  readonly plan: 'pro' | 'teams'
  readonly frequency: 'monthly' | 'yearly'
  readonly seats: number
  /** `fails_later` pays the first time and at no renewal. */
  readonly card: 'pays' | 'fails_later'
}

export type PlanStep =
  | Mishap
  /** Some of the events that have not arrived yet do: `share` of them, in this order, so often. */
  | {
      readonly do: 'deliver'
      readonly share: number
      readonly order: 'sent' | 'reversed' | 'shuffled'
      readonly times: number
    }
  | { readonly do: 'return' }
  | { readonly do: 'days'; readonly days: number }
  | { readonly do: 'seats'; readonly seats: number }
  | { readonly do: 'refund'; readonly percent: number }
  | { readonly do: 'dispute' }
  | { readonly do: 'close_dispute'; readonly outcome: 'won' | 'lost' }
  | { readonly do: 'cancel'; readonly when: 'now' | 'period_end' }

export interface PlanHistory {
  readonly plan: PlannedPlan
  readonly steps: readonly PlanStep[]
}

const plan: fc.Arbitrary<PlannedPlan> = fc
  .record({
    plan: fc.constantFrom('pro' as const, 'teams' as const),
    frequency: fc.constantFrom('monthly' as const, 'monthly' as const, 'yearly' as const),
    seats: fc.integer({ min: 1, max: 20 }),
    card: fc.constantFrom('pays' as const, 'pays' as const, 'fails_later' as const),
  })
  .map((made) => (made.plan === 'pro' ? { ...made, seats: 1 } : made))

const step: fc.Arbitrary<PlanStep> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('deliver'),
      share: fc.double({ min: 0.1, max: 1, noNaN: true }),
      order: fc.constantFrom('sent', 'reversed', 'shuffled'),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('days'), days: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('seats'), seats: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('return') }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('refund'), percent: fc.integer({ min: 1, max: 100 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('dispute') }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('close_dispute'), outcome: fc.constantFrom('won', 'lost') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('cancel'), when: fc.constantFrom('now', 'period_end') }),
  },
  { weight: 3, arbitrary: mishap },
)

/** One plan from its purchase through whatever happens to it. */
export const planHistory: fc.Arbitrary<PlanHistory> = fc.record({
  plan,
  steps: fc.array(step, { minLength: 2, maxLength: 12 }),
})
