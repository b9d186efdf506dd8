import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clawbackTargets } from './decide-clawback.ts'

const charge = (refunded_minor: number, disputed_minor = 0) => ({
  amount_minor: 700,
  refunded_minor,
  disputed_minor,
})

describe('what is taken back', () => {
  test.each([
    [0, 0, 0, 0],
    [700, 0, 500, 0],
    [350, 0, 250, 0],
    [1, 0, 0, 0],
    [0, 700, 0, 500],
    [350, 350, 250, 250],
    [350, 700, 250, 250],
  ])('of 500 credits for 7.00 with %i refunded and %i disputed is %i and %i', (refunded, disputed, a, b) => {
    expect(clawbackTargets(charge(refunded, disputed), 500)).toEqual({
      credits_refunded: a,
      credits_disputed: b,
    })
  })

  test('is never negative and never more than was granted', () => {
    const amounts = fc.record({
      amount_minor: fc.integer({ min: 1, max: 100_000 }),
      refunded_minor: fc.nat(200_000),
      disputed_minor: fc.nat(200_000),
    })
    fc.assert(
      fc.property(amounts, fc.nat(71_428), (money, granted) => {
        const { credits_refunded, credits_disputed } = clawbackTargets(money, granted)
        expect(credits_refunded).toBeGreaterThanOrEqual(0)
        expect(credits_disputed).toBeGreaterThanOrEqual(0)
        expect(credits_refunded + credits_disputed).toBeLessThanOrEqual(granted)
      }),
    )
  })
})
