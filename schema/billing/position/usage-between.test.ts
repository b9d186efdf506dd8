import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seed } from '../../../tests/simulation/seed.ts'
import { day, ownerFacts, period, subscription } from '../../../tests/support/facts.ts'
import { PaperBooks } from '../../../tests/support/paper-books.ts'
import type { OwnerFacts, PaidLine, SubscriptionFact } from './facts.ts'

const january = period('in_1', '2026-01-01', '2026-02-01')
const february = period('in_2', '2026-02-01', '2026-03-01')
const march = period('in_3', '2026-03-01', '2026-04-01')
const year = period('in_1', '2026-01-01', '2027-01-01')
const trial = period('in_1', '2026-01-18', '2026-02-01', { amount_minor: 0 })
const trialEnd = { trial_end: day('2026-02-01') }

type Fields = Partial<SubscriptionFact>
const planOf = (lines: readonly PaidLine[], fields?: Fields, money?: Parameters<typeof ownerFacts>[1]) =>
  ownerFacts([subscription(lines, fields)], money)

/** Books with some bought credits, and what is then heard and used, in this order. */
class Story {
  readonly #books = new PaperBooks()

  constructor(bought: number) {
    const money = { total_minor: 100, refunded_minor: 0, disputed_minor: 0 }
    const purchases = bought > 0 ? [{ intent_id: 'bought', credits: bought, money }] : []
    this.#books.reconcile({ ...ownerFacts([]), purchases }, day('2025-12-01'))
    this.#purchases = purchases
  }

  readonly #purchases: OwnerFacts['purchases']

  hear(at: string, facts: OwnerFacts): this {
    this.#books.reconcile({ ...facts, purchases: this.#purchases }, day(at))
    return this
  }

  use(at: string, credits: number): this {
    expect(this.#books.use(credits, day(at))).toBe(true)
    return this
  }

  /** The months that the books have begun. */
  get months(): Date[] {
    const starts = this.#books.read().grants.flatMap(({ month_starts_at }) => month_starts_at ?? [])
    return [...new Map(starts.map((start) => [start.getTime(), start])).values()]
  }

  get balances(): [plan: number, purchased: number] {
    const { plan, purchased } = this.#books.balances()
    return [plan, purchased]
  }
}

/** January is used but for `rest`, and 300 credits were bought. */
const beforeRenewal = (rest: number, lines: readonly PaidLine[] = [january], fields?: Fields) =>
  new Story(300).hear('2026-01-20', planOf(lines, fields)).use('2026-01-21', 500 - rest)

test('a new subscription is not charged what an older one paid for, whichever of the two is heard first', () => {
  const old = (ended_at: Date | null) => subscription([january], { id: 'sub_old', ended_at })
  const over = old(day('2026-01-22'))
  const both = ownerFacts([
    over,
    subscription([period('in_9', '2026-01-22', '2026-02-22')], { id: 'sub_new' }),
  ])
  const used = () =>
    new Story(300).hear('2026-01-20', ownerFacts([old(null)])).use('2026-01-22T01:00:00', 200)
  expect(used().hear('2026-01-22T02:00:00', both).balances).toEqual([500, 300])
  const apart = used()
    .hear('2026-01-22T02:00:00', ownerFacts([over]))
    .hear('2026-01-22T03:00:00', both)
  expect(apart.balances).toEqual([500, 300])
})

test('usage after the end of a month that is heard too late counts to the month that follows, once', () => {
  const story = new Story(1000)
    .hear('2026-01-20', planOf([january]))
    .use('2026-01-21', 500)
    .use('2026-03-01T01:00:00', 450)
  expect(story.hear('2026-03-01T02:00:00', planOf([january, february])).balances).toEqual([500, 550])
  story.use('2026-03-01T03:00:00', 100)
  expect(story.hear('2026-03-01T04:00:00', planOf([january, february, march])).balances).toEqual([0, 1000])
})

const kinds: readonly (readonly [string, readonly PaidLine[], readonly PaidLine[], Fields])[] = [
  ['a monthly renewal', [january], [january, february], {}],
  ['a month of a yearly plan', [year], [year], {}],
  ['the first period after a trial', [trial], [trial, february], trialEnd],
]

describe.each(kinds)('usage after the start of %s', (_, before, after, fields) => {
  const renewed = planOf(after, fields)
  const at = (rest: number) => beforeRenewal(rest, before, fields)

  test('the old rest expires unspent and bought credits come back', () => {
    const story = at(60).use('2026-02-01T01:00:00', 100)
    expect(story.balances).toEqual([0, 260])
    expect(story.hear('2026-02-01T02:00:00', renewed).balances).toEqual([400, 300])
  })

  test('what the new month cannot cover stays with what paid for it', () => {
    const story = at(400).use('2026-02-01T01:00:00', 650)
    expect(story.balances).toEqual([0, 50])
    // 250 of 500 go back to the purchased credits, and the other 250 take over from the rest of 400.
    expect(story.hear('2026-02-01T02:00:00', renewed).balances).toEqual([0, 300])
  })

  test('usage before the month began stays with the month before', () => {
    const story = at(100).use('2026-01-31T23:59:59', 150).hear('2026-02-01T02:00:00', renewed)
    expect(story.balances).toEqual([500, 250])
  })
})

const used = (rest: number) => beforeRenewal(rest).use('2026-02-01T01:00:00', 100)
const paidLate = { ...february, paid_at: day('2026-02-09') }

test('usage takes the rest and then bought credits while a payment has failed, and moves when it is made', () => {
  const story = used(60)
    .hear('2026-02-01T02:00:00', planOf([january]))
    .use('2026-02-08', 100)
  expect(story.balances).toEqual([0, 160])
  expect(story.hear('2026-02-09', planOf([january, paidLate])).balances).toEqual([300, 300])
})

test('usage that was allowed is not charged again when the payment has failed for good', () => {
  const ended = planOf([january], { ended_at: day('2026-02-15') })
  expect(used(160).hear('2026-02-15', ended).balances).toEqual([0, 300])
  expect(used(60).hear('2026-02-15', ended).balances).toEqual([0, 260])
})

test('the next renewal brings a whole month after one that was heard late', () => {
  const story = used(0).hear('2026-02-01T02:00:00', planOf([january, february]))
  expect(story.hear('2026-03-01', planOf([january, february, march])).balances).toEqual([500, 300])
})

test('each month takes over its own usage when two are heard together', () => {
  const story = beforeRenewal(500).use('2026-02-10', 450).use('2026-03-02', 150)
  expect(story.balances).toEqual([0, 200])
  // February: 450 of January's rest. March: 50 of January's rest and 100 bought ones.
  expect(story.hear('2026-03-03', planOf([january, february, march])).balances).toEqual([350, 300])
})

test('usage after the end of a month that was heard with its end stays with what paid for it', () => {
  const story = used(0).use('2026-02-20', 30)
  const ended = planOf([january, february], { ended_at: day('2026-02-15') })
  expect(story.hear('2026-02-21', ended).balances).toEqual([0, 270])
})

test('a new month that has to pay a debt gives back what is left beside it', () => {
  const refunded = { in_1: { refunded_minor: 2000 } }
  const story = beforeRenewal(100).use('2026-02-01T01:00:00', 350)
  // 500 are owed of January, so that the new month is used up and nothing comes back.
  expect(story.hear('2026-02-01T02:00:00', planOf([january, february], {}, refunded)).balances).toEqual([
    0, 50,
  ])
  const half = { in_1: { refunded_minor: 1000 } }
  const other = beforeRenewal(100).use('2026-02-01T01:00:00', 350)
  expect(other.hear('2026-02-01T02:00:00', planOf([january, february], {}, half)).balances).toEqual([0, 300])
})

test('the first month of a subscription gives back bought credits that were used since its start', () => {
  const story = new Story(300).use('2025-12-31', 40).use('2026-01-01T01:00:00', 100)
  expect(story.hear('2026-01-01T02:00:00', planOf([january])).balances).toEqual([400, 260])
})

const gap = fc.record({
  bought: fc.nat(1000),
  dues: fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 })),
  used_before: fc.nat(3000),
  uses: fc.array(fc.record({ minutes: fc.nat(5000), credits: fc.integer({ min: 1, max: 900 }) }), {
    maxLength: 6,
  }),
  late_minutes: fc.nat(6000),
  kind: fc.constantFrom('monthly' as const, 'yearly', 'trial'),
})

test('a month brings the same whenever it is heard if it covers what was used since its start, and otherwise never less', () => {
  fc.assert(
    fc.property(gap, ({ bought, dues, used_before, uses, late_minutes, kind }) => {
      const [seats, renewedSeats] = kind === 'yearly' ? [dues[0], dues[0]] : dues
      const first = kind === 'trial' ? trial : kind === 'yearly' ? year : january
      const lines = [
        { ...first, seats },
        ...(kind === 'yearly' ? [] : [{ ...february, seats: renewedSeats }]),
      ]
      const fields = kind === 'trial' ? trialEnd : {}
      const money = { total_minor: 100, refunded_minor: 0, disputed_minor: 0 }
      const start = february.starts_at.getTime()
      const purchases = bought > 0 ? [{ intent_id: 'bought', credits: bought, money }] : []
      const inOrder = uses.toSorted((a, b) => a.minutes - b.minutes)
      /** Balances, and what was used of the gap's usage: of `wanted`, by default as far as it is allowed. */
      const play = (late: number, wanted = inOrder) => {
        const books = new PaperBooks()
        const facts = { ...planOf(lines.slice(0, 1), fields), purchases }
        books.reconcile(facts, day('2026-01-20'))
        books.use(Math.min(used_before, 500 * seats + bought), day('2026-01-21'))
        const heard = { ...planOf(lines, fields), purchases }
        const atMinute = (minutes: number) => new Date(start + minutes * 60_000)
        const before = wanted.filter(({ minutes }) => minutes < late)
        const done = before.filter(({ minutes, credits }) => books.use(credits, atMinute(minutes)))
        books.reconcile(heard, atMinute(late))
        const after = wanted.filter(({ minutes }) => minutes >= late)
        done.push(...after.filter(({ minutes, credits }) => books.use(credits, atMinute(minutes))))
        expect(books.reconcile(heard, atMinute(7000))).toEqual({ transfers: [], closings: [] })
        return { ...books.balances(), done, used: done.reduce((sum, { credits }) => sum + credits, 0) }
      }
      const late = play(late_minutes)
      const inTime = play(0, late.done)
      if (late.used <= 500 * renewedSeats) {
        expect(late).toEqual(inTime)
        return
      }
      expect(late.plan).toBeGreaterThanOrEqual(0)
      expect(late.plan + late.purchased + late.used).toBeGreaterThanOrEqual(
        inTime.plan + inTime.purchased + inTime.used,
      )
      if (inTime.used === late.used) expect(late.purchased).toBeGreaterThanOrEqual(inTime.purchased)
    }),
    { numRuns: 2000, seed },
  )
})

describe('a period that begins while the renewal before it is a draft, of which nothing is given back', () => {
  const moved = period('in_3', '2026-02-01T00:10:00', '2026-03-01T00:10:00')
  const first = [january, moved]
  const both = [january, february, moved]
  const renewed = [...both, period('in_4', '2026-03-01T00:10:00', '2026-04-01T00:10:00')]

  test('the month keeps the name that the books have of it', () => {
    const story = new Story(300).hear('2026-02-01T00:20:00', planOf(first)).use('2026-02-01T01:00:00', 100)
    story.hear('2026-02-01T02:00:00', planOf(both))
    expect(story.balances).toEqual([900, 300])
    expect(story.months).toEqual([day('2026-01-01'), day('2026-02-01T00:10:00')])
    expect(story.hear('2026-03-02', planOf(renewed)).balances).toEqual([500, 300])
  })

  test('bought credits that were used since the renewal are given back once', () => {
    const story = beforeRenewal(0).use('2026-02-01T00:05:00', 40).use('2026-02-01T00:15:00', 60)
    expect(story.balances).toEqual([0, 200])
    expect(story.hear('2026-02-01T00:20:00', planOf(first)).balances).toEqual([440, 260])
    expect(story.hear('2026-02-01T02:00:00', planOf(both)).balances).toEqual([900, 300])
    expect(story.hear('2026-02-01T03:00:00', planOf(both)).balances).toEqual([900, 300])
    expect(story.hear('2026-03-02', planOf(renewed)).balances).toEqual([500, 300])
  })

  test('bought credits that were used since the renewal are given back when both are heard after the month', () => {
    const story = beforeRenewal(0).use('2026-02-01T00:05:00', 40).use('2026-02-01T00:15:00', 60)
    story.hear('2026-02-01T00:20:00', planOf(first))
    expect(story.hear('2026-03-02', planOf(renewed)).balances).toEqual([500, 300])
  })
})
