import { describe, expect, test } from 'vitest'
import { decideGrants, type GrantedMonth, type GrantsInput } from './decide-grants.ts'
import type { PaidPeriod } from './paid-facts.ts'

const day = (text: string) => new Date(`${text}T00:00:00Z`)

function period(invoice_id: string, starts: string, ends: string): PaidPeriod {
  return {
    kind: 'period',
    invoice_id,
    starts_at: day(starts),
    ends_at: day(ends),
    seats: 1,
    amount_paid_minor: 2000,
    paid_at: day(starts),
  }
}

const january = period('in_1', '2026-01-01', '2026-02-01')
const february = period('in_2', '2026-02-01', '2026-03-01')
const grantedJanuary: GrantedMonth = { ...january, credits: 500, seat_credits: 0 }

function decide(input: Partial<GrantsInput>) {
  return decideGrants({
    paid: [january, february],
    granted: [],
    credits_per_seat: 500,
    kept_share: () => 1,
    until: day('2026-01-15'),
    ...input,
  })
}

describe('grants', () => {
  test('come once a month that was paid for', () => {
    expect(decide({})).toMatchObject([{ step: 'month', credits: 500, expires_rest: true }])
    expect(decide({ granted: [grantedJanuary] })).toEqual([])
  })

  test('that were missed are made up for in order', () => {
    const steps = decide({ until: day('2026-02-15') })
    expect(steps).toMatchObject([{ month: { invoice_id: 'in_1' } }, { month: { invoice_id: 'in_2' } }])
  })

  test('of an older month do not come after those of a later one', () => {
    const grantedFebruary = { ...february, credits: 500, seat_credits: 0 }
    expect(decide({ granted: [grantedFebruary], until: day('2026-02-15') })).toEqual([])
  })

  test('of a month that was not paid for do not come', () => {
    expect(decide({ paid: [january], granted: [grantedJanuary], until: day('2026-02-15') })).toEqual([])
  })

  test('shrink with the money that went back', () => {
    expect(decide({ kept_share: () => 0.5 })).toMatchObject([{ credits: 250 }])
    expect(decide({ kept_share: () => 0 })).toMatchObject([{ credits: 0 }])
  })

  test('cannot be had twice by changing the billing frequency', () => {
    const year = period('in_3', '2026-01-03', '2027-01-03')
    const [step] = decide({ paid: [january, year], granted: [grantedJanuary], until: day('2026-01-03') })
    // 29 of January's 31 days were granted already.
    expect(step).toMatchObject({ credits: 500 - Math.floor((500 * 29) / 31), expires_rest: false })
  })
})
