import * as fc from 'fast-check'
import { type Mishap, mishap } from './mishaps.ts'

/** How a buyer behaves. `pending` and `abandoned` never come to an end by themselves. */
export type Buyer =
  | 'card'
  | 'declined'
  | 'delayed_succeeds'
  | 'delayed_fails'
  | 'pending'
  | 'abandoned'
  | 'expires'

export interface PlannedPurchase {
  readonly credits: number
  readonly buyer: Buyer
}

/** One thing that happens; `purchase` is an index, taken modulo the number of purchases. */
export type Step =
  | { readonly do: 'start'; readonly purchase: number }
  | { readonly do: 'pay'; readonly purchase: number }
  | { readonly do: 'conclude'; readonly purchase: number }
  | { readonly do: 'deliver'; readonly purchase: number; readonly times: number; readonly reversed: boolean }
  | { readonly do: 'return'; readonly purchase: number }
  | { readonly do: 'poll'; readonly purchase: number }
  | Mishap
  | { readonly do: 'wait'; readonly minutes: number }

export interface History {
  readonly purchases: readonly PlannedPurchase[]
  /** Steps of one group happen at the same time. */
  readonly groups: readonly (readonly Step[])[]
}

const purchase = fc.nat({ max: 3 })

const ordinaryStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('start'), purchase }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('pay'), purchase }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('conclude'), purchase }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('deliver'),
      purchase,
      times: fc.integer({ min: 1, max: 10 }),
      reversed: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('return'), purchase }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('poll'), purchase }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait'), minutes: fc.integer({ min: 1, max: 90 }) }) },
)

const step = fc.oneof({ weight: 6, arbitrary: ordinaryStep }, { weight: 1, arbitrary: mishap })

const plannedPurchase: fc.Arbitrary<PlannedPurchase> = fc.record({
  credits: fc.integer({ min: 71, max: 71_428 }),
  buyer: fc.oneof(
    { weight: 5, arbitrary: fc.constant('card') },
    { weight: 2, arbitrary: fc.constant('delayed_succeeds') },
    {
      weight: 4,
      arbitrary: fc.constantFrom('declined', 'delayed_fails', 'pending', 'abandoned', 'expires'),
    },
  ),
})

/** A few purchases of one person in up to about twenty steps, several at a time, all started. */
export const history: fc.Arbitrary<History> = fc
  .record({
    purchases: fc.array(plannedPurchase, { minLength: 1, maxLength: 4 }),
    groups: fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 8 }),
  })
  .map(({ purchases, groups }) => ({
    purchases,
    groups: [purchases.map((_, index) => ({ do: 'start', purchase: index }) as const), ...groups],
  }))
