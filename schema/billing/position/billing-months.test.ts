import { expect, test } from 'vitest'
import { cut, day, period, seats, subscription } from '../../../tests/support/facts.ts'
import { type BillingMonth, billingMonths, latePayments, nextMonthEdge } from './billing-months.ts'
import type { PaidLine, SubscriptionFact } from './facts.ts'

const at = (date: Date) => date.toISOString().slice(0, 10)
const starts = (months: readonly BillingMonth[]) => months.map(({ starts_at }) => at(starts_at))
const monthsOf = (lines: readonly PaidLine[], now: string, fields?: Partial<SubscriptionFact>) =>
  billingMonths(subscription(lines, fields), day(now))
const lateOf = (lines: readonly PaidLine[], now: string, fields?: Partial<SubscriptionFact>) =>
  latePayments(subscription(lines, fields), day(now)).map((late) => [
    late.invoice_id,
    Math.floor(late.credits),
  ])
const credits = (months: readonly BillingMonth[]) =>
  months.map(({ shares }) =>
    Object.fromEntries(shares.map((share) => [share.invoice_id, Math.floor(share.credits)])),
  )

const year = period('in_1', '2026-01-01', '2027-01-01', { seats: 5 })
const january = period('in_1', '2026-01-01', '2026-02-01', { seats: 5 })
const february = period('in_2', '2026-02-01', '2026-03-01')

test('billing months are one for each paid month that has begun', () => {
  const early = { paid_at: day('2026-02-26') }
  const paid = [period('in_1', '2026-01-31', '2026-02-28'), period('in_2', '2026-02-28', '2026-03-31', early)]
  expect(starts(monthsOf(paid, '2026-02-27'))).toEqual(['2026-01-31'])
  expect(starts(monthsOf(paid, '2026-02-28'))).toEqual(['2026-01-31', '2026-02-28'])
})

test('a year has twelve billing months, each granted when it begins', () => {
  expect(starts(monthsOf([year], '2026-03-31'))).toEqual(['2026-01-01', '2026-02-01', '2026-03-01'])
  expect(monthsOf([year], '2028-01-01')).toHaveLength(12)
  expect(credits(monthsOf([year], '2028-01-01'))).toEqual(Array.from({ length: 12 }, () => ({ in_1: 2500 })))
})

test('billing months that begin at the subscription’s end or after it grant nothing', () => {
  expect(starts(monthsOf([year], '2027-01-01', { ended_at: day('2026-03-01') }))).toEqual([
    '2026-01-01',
    '2026-02-01',
  ])
})

test('billing months are over when the next one has begun, not while its payment is open', () => {
  const over = (lines: PaidLine[], now: string) => monthsOf(lines, now).map(({ is_over }) => is_over)
  expect(over([january], '2026-02-20')).toEqual([false])
  expect(over([january, february], '2026-02-01')).toEqual([true, false])
})

test('billing months are all over when the subscription has ended, also when our clock is behind Stripe’s', () => {
  const over = (now: string, fields: Partial<SubscriptionFact>) =>
    monthsOf([january], now, fields).map(({ is_over }) => is_over)
  expect(over('2026-01-19', { ended_at: null })).toEqual([false])
  expect(over('2026-01-20', { ended_at: day('2026-01-20') })).toEqual([true])
  expect(over('2026-01-19', { ended_at: day('2026-01-20') })).toEqual([true])
})

test('a month begins when it is paid, where our clock is behind Stripe’s', () => {
  expect(credits(monthsOf([january], '2025-12-31T23:59:59'))).toEqual([{ in_1: 2500 }])
  const renewed = monthsOf([january, february], '2026-01-31T23:59:59')
  expect(renewed.map(({ is_over }) => is_over)).toEqual([true, false])
})

test('a later month of a year still begins by our clock, where that is behind Stripe’s', () => {
  expect(starts(monthsOf([year], '2026-01-31T23:59:59'))).toEqual(['2026-01-01'])
})

test('a subscription that has ended has had what it would have had by Stripe’s clock, where ours is behind', () => {
  const ended = { ended_at: day('2026-03-15') }
  expect(monthsOf([year], '2025-12-31', ended)).toEqual(monthsOf([year], '2026-04-01', ended))
  const late = period('in_2', '2026-03-01', '2026-04-01', { paid_at: day('2026-03-20') })
  expect(lateOf([january, late], '2026-01-01', ended)).toEqual([['in_2', 500]])
})

const trial = (ends: string, fields: Partial<PaidLine> = {}) =>
  period('in_0', '2026-01-01', ends, { amount_minor: 0, ...fields })

test('a trial is one month of its own length, however long', () => {
  const [month, ...others] = monthsOf([trial('2026-03-17')], '2026-03-16', { trial_end: day('2026-03-17') })
  expect(month).toMatchObject({ starts_at: day('2026-01-01'), ends_at: day('2026-03-17') })
  expect(credits([month as BillingMonth])).toEqual([{ in_0: 500 }])
  expect(others).toEqual([])
})

test('an extended trial stays one month', () => {
  const longer = period('in_9', '2026-01-10', '2026-02-20', { amount_minor: 0 })
  const months = monthsOf([trial('2026-01-15'), longer], '2026-02-19', { trial_end: day('2026-02-20') })
  expect(credits(months)).toEqual([{ in_0: 500 }])
  expect(months[0]).toMatchObject({ ends_at: day('2026-02-20'), is_over: false })
})

test('a trial that ends early is over when the first paid month begins, which is whole; it is never cut', () => {
  const paid = period('in_1', '2026-01-05', '2026-02-05')
  const months = monthsOf([trial('2026-01-15'), paid], '2026-01-05', { trial_end: day('2026-01-05') })
  expect(credits(months)).toEqual([{ in_0: 500 }, { in_1: 500 }])
  expect(months.map(({ is_over }) => is_over)).toEqual([true, false])
})

test('a trial was never paid for, so its payment is never late', () => {
  const lines = [trial('2026-01-15', { paid_at: day('2026-01-16') })]
  const fields = { trial_end: day('2026-01-15'), ended_at: day('2026-01-15') }
  expect(credits(monthsOf(lines, '2026-01-17', fields))).toEqual([{ in_0: 500 }])
  expect(lateOf(lines, '2026-01-17', fields)).toEqual([])
})

test('a trial in the middle of a subscription takes the place of the months whose money went back', () => {
  const again = period('in_2', '2026-01-11', '2026-01-25', { amount_minor: 0 })
  const paid = [period('in_1', '2026-01-01', '2026-02-01'), again, cut('in_2', '2026-01-11', '2026-02-01')]
  expect(credits(monthsOf(paid, '2026-01-12', { trial_end: day('2026-01-25') }))).toEqual([
    { in_1: Math.floor((500 * 10) / 31) },
    { in_2: 500 },
  ])
})

test('a trial in the middle of a year whose money did not go back brings nothing before the year is over', () => {
  const again = period('in_2', '2026-03-10', '2027-02-10', { amount_minor: 0 })
  const fields = { trial_end: day('2027-02-10') }
  const all = monthsOf([year, again], '2026-12-31', fields)
  expect(credits(all)).toEqual(Array.from({ length: 12 }, () => ({ in_1: 2500 })))
  const afterwards = monthsOf([year, again], '2027-01-02', fields).at(-1)
  expect(afterwards).toMatchObject({
    starts_at: day('2027-01-01'),
    shares: [{ invoice_id: 'in_2', credits: 500 }],
  })
})

test('a trial in the middle of a month that was paid for, and that ends within it, brings nothing', () => {
  const again = period('in_2', '2026-01-11', '2026-01-25', { amount_minor: 0 })
  const next = period('in_3', '2026-01-25', '2026-02-25')
  const months = monthsOf([january, again, next], '2026-01-26', { trial_end: day('2026-01-25') })
  expect(credits(months)).toEqual([{ in_1: 2500, in_3: 500 }])
})

test.each(['2026-01-01', '2026-01-01T00:00:01'])(
  'a trial that ends in the second in which it began grants nothing: %s',
  (end) => {
    const lines = [trial('2026-01-15'), period('in_1', '2026-01-01', '2026-02-01')]
    const fields = { trial_end: day(end) }
    expect(credits(monthsOf(lines, '2026-01-02', fields))).toEqual([{ in_1: 500 }])
    expect(lateOf(lines, '2026-01-02', fields)).toEqual([])
  },
)

test('a period that begins early replaces the months that had not begun', () => {
  const paid = [
    period('in_1', '2026-01-01', '2027-01-01'),
    cut('in_2', '2026-02-10', '2027-01-01'),
    period('in_2', '2026-02-10', '2026-03-10'),
  ]
  expect(starts(monthsOf(paid, '2026-03-09'))).toEqual(['2026-01-01', '2026-02-01', '2026-02-10'])
})

test('a period that begins early cuts the month in progress to the time that had passed, so that nothing can be had twice', () => {
  const paid = [
    period('in_1', '2026-01-01', '2026-02-01'),
    cut('in_2', '2026-01-03', '2026-02-01'),
    period('in_2', '2026-01-03', '2027-01-03'),
  ]
  expect(credits(monthsOf(paid, '2026-01-03'))).toEqual([{ in_1: Math.floor((500 * 2) / 31) }, { in_2: 500 }])
})

test('a period that begins early takes nothing of a month whose money did not go back: the two are one billing month', () => {
  const paid = [
    january,
    period('in_2', '2026-01-11', '2026-02-11'),
    period('in_3', '2026-02-11', '2026-03-11'),
  ]
  expect(credits(monthsOf(paid.slice(0, 2), '2026-01-11'))).toEqual([{ in_1: 2500, in_2: 500 }])
  expect(monthsOf(paid.slice(0, 2), '2026-02-10')).toMatchObject([
    { starts_at: day('2026-01-01'), ends_at: day('2026-02-11'), is_over: false },
  ])
  expect(credits(monthsOf(paid, '2026-02-11'))).toEqual([{ in_1: 2500, in_2: 500 }, { in_3: 500 }])
})

test('a period within a year whose money did not go back brings its credits beside those of the year', () => {
  const paid = [period('in_1', '2026-01-01', '2027-01-01'), period('in_2', '2026-02-10', '2026-03-10')]
  const [first, joined] = monthsOf(paid, '2026-03-01')
  expect(first?.shares).toMatchObject([{ invoice_id: 'in_1', credits: 500 }])
  expect(joined?.shares).toMatchObject([
    { invoice_id: 'in_1', credits: 500 },
    { invoice_id: 'in_2', credits: 500 },
    { invoice_id: 'in_1', credits: 500, month_starts_at: day('2026-03-01') },
  ])
  expect(credits(monthsOf(paid, '2026-04-01')).at(-1)).toEqual({ in_1: 500 })
})

test('a period is cut alone when its own money goes back', () => {
  const paid = [
    january,
    period('in_2', '2026-01-11', '2026-02-11'),
    cut('in_3', '2026-01-21', '2026-02-11'),
    period('in_3', '2026-01-21', '2026-02-21'),
  ]
  expect(credits(monthsOf(paid, '2026-01-21'))).toEqual([
    { in_1: 2500, in_2: Math.floor((500 * 10) / 31), in_3: 500 },
  ])
})

test('a credit for a period that is not paid for yet takes nothing from another one', () => {
  // The renewal until 2027-03-01 was a draft when a new period began and credited it.
  const next = period('in_3', '2026-03-11', '2026-04-11')
  const paid = [year, next, cut('in_3', '2026-03-11', '2027-03-01')]
  expect(monthsOf(paid, '2026-03-15')).toEqual(monthsOf([year, next], '2026-03-15'))
  const renewal = period('in_2', '2026-03-01', '2027-03-01', { seats: 5 })
  expect(monthsOf([...paid, renewal], '2026-03-15')).not.toEqual(
    monthsOf([year, next, renewal], '2026-03-15'),
  )
})

test('a cut that waits for its invoice counts, and its months return when it is deleted', () => {
  const waiting = { ...cut('in_2', '2026-02-10', '2027-01-01'), invoice_id: null }
  expect(starts(monthsOf([year, waiting], '2026-04-01'))).toEqual(['2026-01-01', '2026-02-01'])
  expect(starts(monthsOf([year], '2026-04-01'))).toHaveLength(4)
})

test('a period that begins in the same second leaves nothing of the one before it', () => {
  const paid = [
    period('in_9', '2026-01-01', '2026-02-01'),
    cut('in_1', '2026-01-01', '2026-02-01'),
    period('in_1', '2026-01-01', '2027-01-01', { paid_at: day('2026-01-01T00:00:01') }),
  ]
  expect(credits(monthsOf(paid, '2026-01-02'))).toEqual([{ in_1: 500 }])
  expect(lateOf(paid, '2026-01-02')).toEqual([])
})

test.each([
  ['in_1', 'in_2'],
  ['in_2', 'in_1'],
])(
  'a bill that charges for the same time anew cuts what another one charged for, not its own period: %s, %s',
  (kept, cancelled) => {
    const paid = [
      period(kept, '2026-01-01', '2026-02-01'),
      cut(kept, '2026-01-01', '2026-02-01'),
      period(cancelled, '2026-01-01', '2026-02-01', { paid_at: day('2026-01-01T01:00:00') }),
    ]
    expect(credits(monthsOf(paid, '2026-01-02'))).toEqual([{ [kept]: 500 }])
  },
)

test('a bill that takes back an unpaid period does not cut the one that it charges for', () => {
  const paid = [
    january,
    cut('in_3', '2026-02-01T00:00:50', '2026-03-01'),
    period('in_3', '2026-02-01T00:00:50', '2026-03-01T00:00:50'),
  ]
  expect(credits(monthsOf(paid, '2026-02-02'))).toEqual([{ in_1: 2500 }, { in_3: 500 }])
})

test('a period that begins early cuts added seats as well', () => {
  const paid = [
    january,
    seats('in_2', ['2026-01-11', '2026-02-01'], [5, 8]),
    cut('in_3', '2026-01-21', '2026-02-01', { seats: 8 }),
    period('in_3', '2026-01-21', '2026-02-21', { seats: 8 }),
  ]
  expect(credits(monthsOf(paid, '2026-01-21'))).toEqual([
    { in_1: Math.floor((2500 * 20) / 31), in_2: Math.floor((1500 * 10) / 31) },
    { in_3: 4000 },
  ])
})

const inJanuary = (...changes: PaidLine[]) => credits(monthsOf([january, ...changes], '2026-01-31'))[0]
const add = (invoice: string, moment: string, before: number | null, after: number) =>
  seats(invoice, [moment, '2026-02-01'], [before, after])

/** Of January, so many days before its end. */
const share = (seats: number, days: number) => Math.floor((seats * 500 * days) / 31)

test.each<[string, PaidLine[], Record<string, number>]>([
  ['come for the rest of the month, rounded down', [add('in_2', '2026-01-22', 5, 8)], { in_2: share(3, 10) }],
  [
    'come for a whole month in the second in which it begins',
    [add('in_2', '2026-01-01', 5, 8)],
    { in_2: 1500 },
  ],
  ['do not come when seats are given up', [add('in_2', '2026-01-22', 5, 2)], {}],
  ['do not come when seats are given up as the month begins', [add('in_2', '2026-01-01', 5, 2)], {}],
  [
    'do not come again when seats were given up and taken back',
    [add('in_2', '2026-01-02', 5, 1), add('in_3', '2026-01-03', 1, 5)],
    {},
  ],
  [
    'do not come again when added ones were given up and taken back',
    [add('in_2', '2026-01-11', 5, 6), add('in_3', '2026-01-12', 6, 5), add('in_4', '2026-01-13', 5, 6)],
    { in_2: share(1, 21) },
  ],
  [
    'are counted from the seats that were there when the invoice does not say',
    [add('in_2', '2026-01-22', null, 8)],
    { in_2: share(3, 10) },
  ],
  // From 5 to 7 was not paid; from 7 to 8 was.
  [
    'do not include seats whose own payment is not known',
    [add('in_2', '2026-01-22', 7, 8)],
    { in_2: share(1, 10) },
  ],
  ['do not come from a change outside the period', [add('in_2', '2025-12-31', 5, 8)], {}],
])('credits of added seats %s', (_, changes, added) => {
  expect(inJanuary(...changes)).toEqual({ in_1: 2500, ...added })
})

test('credits of added seats never shrink when another change becomes known', () => {
  const all = [
    add('in_2', '2026-01-11', 5, 10),
    add('in_3', '2026-01-15', 10, 5),
    add('in_4', '2026-01-20', 5, 10),
  ]
  const sum = (lines: readonly PaidLine[]) =>
    Object.values(inJanuary(...lines) ?? {}).reduce((total, one) => total + one, 0)
  for (const known of [[2], [2, 1], [2, 0], [0, 1, 2]]) {
    expect(sum(known.flatMap((index) => all[index] ?? []))).toBeLessThanOrEqual(sum(all))
  }
})

test('credits of added seats follow the chain of numbers when several changes fall into one second, in whatever order they are known', () => {
  const chain = [add('in_3', '2026-01-11', 5, 7), add('in_2', '2026-01-11', 7, 8)]
  const expected = { in_1: 2500, in_2: Math.floor((500 * 21) / 31), in_3: Math.floor((1000 * 21) / 31) }
  expect(inJanuary(...chain)).toEqual(expected)
  expect(inJanuary(...chain.toReversed())).toEqual(expected)
})

test.each([
  ['in_2', 'in_3', 'in_4'],
  ['in_3', 'in_4', 'in_2'],
  ['in_4', 'in_3', 'in_2'],
])(
  'changes of seats follow the chain through all of them when a number comes twice: %s, %s, %s',
  (added, gone, again) => {
    const chain = [
      add(added, '2026-01-11', 5, 9),
      add(gone, '2026-01-11', 9, 5),
      add(again, '2026-01-11', 5, 7),
    ]
    expect(inJanuary(...chain)).toEqual({ in_1: 2500, [added]: Math.floor((2000 * 21) / 31) })
  },
)

test.each([
  ['in_2', 'in_3'],
  ['in_3', 'in_2'],
])(
  'credits of added seats end with the last change when one takes effect before another: %s, then %s',
  (first, second) => {
    // From 5 to 7 on the 11th; in the same second, with effect from the 5th, to 9.
    const changes = [
      seats(first, ['2026-01-11', '2027-01-01'], [5, 7]),
      seats(second, ['2026-01-05', '2027-01-01'], [5, 9]),
      seats(second, ['2026-01-11', '2027-01-01'], [7, 9]),
    ]
    const inFebruary = credits(monthsOf([year, ...changes], '2026-02-15'))[1] ?? {}
    expect(Object.values(inFebruary).reduce((sum, credit) => sum + credit, 0)).toBe(9 * 500)
  },
)

test.each([
  [[10, 1, 10], 10],
  [[10, 10, 1], 10],
  [[12, 5, 18], 18],
])(
  'credits of seats added in one second end with the present seats when no invoice says where it begins: %j, %i',
  (to, now) => {
    const changes = to.map((after, index) =>
      seats(`in_${index + 2}`, ['2026-01-11', '2027-01-01'], [null, after]),
    )
    const inFebruary = credits(monthsOf([year, ...changes], '2026-02-15', { seats: now }))[1] ?? {}
    expect(Object.values(inFebruary).reduce((sum, credit) => sum + credit, 0)).toBe(now * 500)
  },
)

test.each([
  ['in_2', 'in_3'],
  ['in_3', 'in_2'],
])(
  'credits of seats given up and added in one second, after seats that were not paid, end with the present seats: %s, then %s',
  (gone, again) => {
    // From 5 to 11 was not paid, in the same second.
    const changes = [
      seats(gone, ['2026-01-11', '2027-01-01'], [11, 3]),
      seats(again, ['2026-01-11', '2027-01-01'], [3, 11]),
    ]
    const [january, february] = credits(monthsOf([year, ...changes], '2026-02-15', { seats: 11 }))
    expect(january).toEqual({ in_1: 2500 })
    expect(february).toEqual({ in_1: 1500, [again]: 4000 })
  },
)

const change = (invoice: string, moment: string, before: number, after: number) =>
  seats(invoice, [moment, '2027-01-01'], [before, after])

test('seats that change within a year are paid for by their own invoice in every later month', () => {
  expect(credits(monthsOf([year, change('in_2', '2026-01-16', 5, 8)], '2026-03-01'))).toEqual([
    { in_1: 2500, in_2: Math.floor((1500 * 16) / 31) },
    { in_1: 2500, in_2: 1500 },
    { in_1: 2500, in_2: 1500 },
  ])
})

test('seats that change within a year are given up in reverse order: those that were added last go first', () => {
  const changes = [
    change('in_2', '2026-01-16', 5, 8),
    change('in_3', '2026-01-20', 8, 9),
    change('in_4', '2026-01-25', 9, 7),
  ]
  expect(credits(monthsOf([year, ...changes], '2026-02-01')).at(-1)).toEqual({ in_1: 2500, in_2: 1000 })
  const more = [...changes, change('in_5', '2026-02-10', 7, 3)]
  expect(credits(monthsOf([year, ...more], '2026-03-01')).at(-1)).toEqual({ in_1: 1500 })
})

test('invoice lines without a known payment neither grant nor claw back credits', () => {
  // From 5 to 6 is not paid; those seats go first when there are fewer again.
  expect(credits(monthsOf([year, change('in_2', '2026-01-16', 6, 5)], '2026-02-01'))).toEqual([
    { in_1: 2500 },
    { in_1: 2500 },
  ])
  const again = [change('in_2', '2026-01-16', 6, 5), change('in_3', '2026-01-20', 5, 6)]
  expect(credits(monthsOf([year, ...again], '2026-02-01'))).toEqual([
    { in_1: 2500 },
    { in_1: 2500, in_3: 500 },
  ])
  // From 5 to 7 is not paid either; only the eighth seat is this invoice's.
  expect(credits(monthsOf([year, change('in_2', '2026-01-16', 7, 8)], '2026-02-01')).at(-1)).toEqual({
    in_1: 2500,
    in_2: 500,
  })
  // From 5 to 3 was not told; the seats of the first invoice are three now.
  expect(credits(monthsOf([year, change('in_2', '2026-01-16', 3, 4)], '2026-02-01')).at(-1)).toEqual({
    in_1: 1500,
    in_2: 500,
  })
})

test('seats that are all given up and added anew within a year are the new invoice’s', () => {
  const changes = [change('in_2', '2026-01-16', 5, 1), change('in_3', '2026-01-20', 1, 5)]
  expect(credits(monthsOf([year, ...changes], '2026-02-01')).at(-1)).toEqual({ in_1: 500, in_3: 2000 })
})

test('a late payment for a period that is over grants all of its credits at once, and no month', () => {
  const late = { ...february, paid_at: day('2026-03-01') }
  expect(starts(monthsOf([january, late], '2026-03-02'))).toEqual(['2026-01-01'])
  expect(lateOf([january, late], '2026-03-02')).toEqual([['in_2', 500]])
})

test('a payment one second before the period’s end is in time, and one in the second of its end is late', () => {
  const paidAt = (text: string) => [{ ...february, paid_at: day(text) }]
  expect(monthsOf(paidAt('2026-02-28T23:59:59'), '2026-03-02')).toHaveLength(1)
  expect(lateOf(paidAt('2026-02-28T23:59:59'), '2026-03-02')).toEqual([])
  expect(monthsOf(paidAt('2026-03-01T00:00:00'), '2026-03-02')).toEqual([])
  expect(lateOf(paidAt('2026-03-01T00:00:00'), '2026-03-02')).toEqual([['in_2', 500]])
})

test('payments after the subscription’s end are late, and one in the second of its end is not', () => {
  const ended_at = day('2026-02-20')
  const paidAt = (text: string) => [january, { ...february, paid_at: day(text) }]
  expect(lateOf(paidAt('2026-02-20T00:00:00'), '2026-03-02', { ended_at })).toEqual([])
  expect(lateOf(paidAt('2026-02-20T00:00:01'), '2026-03-02', { ended_at })).toEqual([['in_2', 500]])
  expect(monthsOf(paidAt('2026-02-20T00:00:01'), '2026-03-02', { ended_at })).toHaveLength(1)
})

test('a late payment for a year grants its twelve months', () => {
  const ended_at = day('2026-01-20')
  const late = { ...year, paid_at: day('2026-01-21') }
  expect(lateOf([late], '2026-01-21', { ended_at })).toEqual([['in_1', 30_000]])
})

test('a late payment for seats grants the rest of their month and the months after it', () => {
  const late = seats('in_2', ['2026-11-16', '2027-01-01'], [5, 8], { paid_at: day('2027-01-01') })
  expect(lateOf([year, late], '2027-01-02')).toEqual([['in_2', 1500 / 2 + 1500]])
  expect(credits(monthsOf([year, late], '2027-01-02')).at(-1)).toEqual({ in_1: 2500 })
})

test('seats that were given up and taken back grant nothing twice, late or not', () => {
  // Prorations that wait for the next invoice are all paid when their period is over.
  const paid_at = day('2026-02-01')
  const waiting = [
    seats('in_2', ['2026-01-02', '2026-02-01'], [5, 1], { paid_at }),
    seats('in_2', ['2026-01-03', '2026-02-01'], [1, 5], { paid_at }),
  ]
  expect(lateOf([january, ...waiting, { ...february, seats: 5 }], '2026-02-02')).toEqual([])
})

test('a late payment for a shortened period grants its remaining credits', () => {
  const late = period('in_1', '2026-01-01', '2026-02-01', { paid_at: day('2026-01-20') })
  const next = [cut('in_2', '2026-01-11', '2026-02-01'), period('in_2', '2026-01-11', '2026-02-11')]
  expect(lateOf([late, ...next], '2026-01-21')).toEqual([['in_1', Math.floor((500 * 10) / 31)]])
  expect(credits(monthsOf([late, ...next], '2026-01-21'))).toEqual([{ in_2: 500 }])
})

test('a period that was paid after the end does not shorten another period', () => {
  const paid = { paid_at: day('2026-01-21') }
  const next = [
    cut('in_2', '2026-01-11', '2026-02-01', paid),
    period('in_2', '2026-01-11', '2026-02-11', paid),
  ]
  const fields = { ended_at: day('2026-01-20') }
  expect(credits(monthsOf([{ ...january, seats: 1 }, ...next], '2026-01-21', fields))).toEqual([
    { in_1: 500 },
  ])
  expect(lateOf([{ ...january, seats: 1 }, ...next], '2026-01-21', fields)).toEqual([['in_2', 500]])
})

test('seats that were paid in time in an unpaid period grant nothing without it', () => {
  const added = seats('in_2', ['2026-01-01', '2026-02-01'], [5, 6])
  const lines = [{ ...january, paid_at: day('2026-02-02') }, added]
  expect(lateOf(lines, '2026-02-02')).toEqual([
    ['in_1', 2500],
    ['in_2', 500],
  ])
  expect(monthsOf(lines, '2026-02-02')).toEqual([])
})

const waiting = (at: string, change: [number, number]) => ({
  ...seats('in_2', [at, '2027-01-01'], change),
  invoice_id: null,
})
const paid_at = day('2027-01-01')
const invoiced = (at: string, change: [number, number]) =>
  seats('in_2', [at, '2027-01-01'], change, { paid_at })
const own = (lines: readonly PaidLine[], now = '2026-12-31') =>
  credits(monthsOf(lines, now)).map((month) => month.in_1)

test('seats given up lower the months that follow at once, and their invoice changes nothing', () => {
  const lower = [2500, 2500, 2500, ...Array.from({ length: 9 }, () => 1000)]
  expect(own([year, waiting('2026-03-10', [5, 2])])).toEqual(lower)
  expect(own([year, invoiced('2026-03-10', [5, 2])], '2027-01-02')).toEqual(lower)
  expect(lateOf([year, invoiced('2026-03-10', [5, 2])], '2027-01-02')).toEqual([])
})

test('seats added bring nothing before they are paid for', () => {
  expect(credits(monthsOf([year, waiting('2026-03-10', [5, 8])], '2026-12-31'))).toEqual(
    Array.from({ length: 12 }, () => ({ in_1: 2500 })),
  )
})

test('seats given up and taken back on one bill stay those that were paid for', () => {
  const back = [2500, 2500, 2500, 1000, 2500]
  const changes = [waiting('2026-03-10', [5, 2]), waiting('2026-05-01', [2, 5])]
  expect(own([year, ...changes], '2026-05-02')).toEqual(back)
  const later = [invoiced('2026-03-10', [5, 2]), invoiced('2026-05-01', [2, 5])]
  expect(own([year, ...later], '2027-01-02').slice(0, 5)).toEqual(back)
  expect(lateOf([year, ...later], '2027-01-02')).toEqual([])
})

test.each([
  ['a month of a year begins', '2026-01-31', '2026-02-01', '2026-02-01'],
  ['the one after it begins', '2026-02-01', '2026-03-01', '2026-03-01'],
  ['the last period ends', '2026-12-31', '2027-01-01', '2027-01-01'],
  ['one is in that time, and else nowhere', '2026-02-01', '2026-02-02', undefined],
])('the next edge of a month is where %s', (_, after, until, expected) => {
  const edge = nextMonthEdge([year], { after: day(after), until: day(until) })
  expect(edge && at(edge)).toBe(expected)
})
