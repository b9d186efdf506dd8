import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { seed } from '../../../tests/simulation/seed.ts'
import { lives } from '../../../tests/support/lives.ts'
import { isLong } from '../../../tests/support/long.ts'
import { PaperBooks } from '../../../tests/support/paper-books.ts'
import { nextMonthEdge } from './billing-months.ts'
import type { OwnerFacts, PaidLine } from './facts.ts'
import { positionOf } from './position.ts'

/** Always the same lives by default, and other ones in each long run. */
const runs = { numRuns: isLong ? 1000 : 200, seed }
const dayMs = 86_400_000
const afterAll = new Date(Date.UTC(2030, 0, 1))
const days = fc.integer({ min: 0, max: 500 }).map((count) => new Date(Date.UTC(2026, 0, 31) + count * dayMs))

/** The facts known at a moment: paid lines, past ends, and money returned by then. */
function knownAt({ subscriptions, invoice_money, ...facts }: OwnerFacts, moment: Date): OwnerFacts {
  const isBack = (index: number) => (index * 37) % 300 <= (moment.getTime() - Date.UTC(2026, 0, 31)) / dayMs
  return {
    ...facts,
    subscriptions: subscriptions.map((subscription) => ({
      ...subscription,
      ended_at: subscription.ended_at && subscription.ended_at <= moment ? subscription.ended_at : null,
      lines: subscription.lines.filter(({ paid_at }) => paid_at <= moment),
    })),
    invoice_money: new Map([...invoice_money].filter((_, index) => isBack(index))),
  }
}

/** Plays a history: at each moment reads the known facts, reconciles, and uses credits. */
function live(facts: OwnerFacts, moments: readonly Date[], uses: readonly number[]): PaperBooks {
  const books = new PaperBooks()
  for (const [index, moment] of moments.toSorted((a, b) => a.getTime() - b.getTime()).entries()) {
    books.reconcile(knownAt(facts, moment), moment)
    const credits = uses[index]
    if (credits) books.use(credits, moment)
  }
  return books
}

const moments = fc.array(days, { maxLength: 12 })
const uses = fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 12 })

test('posting the difference leaves none', () => {
  fc.assert(
    fc.property(lives, moments, uses, (facts, when, used) => {
      const books = live(facts, when, used)
      books.reconcile(facts, afterAll)
      expect(books.reconcile(facts, afterAll)).toEqual({ transfers: [], closings: [] })
    }),
    runs,
  )
})

test('facts that become known one by one, in any order, end in the same books as all at once', () => {
  fc.assert(
    fc.property(lives, fc.infiniteStream(fc.nat(1000)), days, (facts, random, now) => {
      const all = new PaperBooks()
      all.reconcile(facts, now)
      const books = new PaperBooks()
      for (const partial of oneByOne(facts, random)) books.reconcile(partial, now)
      expect(books.balances()).toEqual(all.balances())
    }),
    runs,
  )
})

/** The facts of a life with one more each time, in the order that `random` gives. */
function* oneByOne(facts: OwnerFacts, random: Iterator<number>): Generator<OwnerFacts> {
  type News = { line: PaidLine } | { ended: string } | { invoice: string }
  const news: News[] = [
    ...facts.subscriptions.flatMap(({ lines }) => lines.map((line) => ({ line }))),
    ...facts.subscriptions.map(({ id }) => ({ ended: id })),
    ...[...facts.invoice_money.keys()].map((invoice) => ({ invoice })),
  ]
  const shuffled = news.map((one) => ({ one, rank: random.next().value })).toSorted((a, b) => a.rank - b.rank)
  for (let count = 1; count <= shuffled.length; count++) {
    const known = shuffled.slice(0, count).map(({ one }) => one)
    yield {
      ...facts,
      subscriptions: facts.subscriptions.map((subscription) => ({
        ...subscription,
        ended_at: known.some((one) => 'ended' in one && one.ended === subscription.id)
          ? subscription.ended_at
          : null,
        lines: subscription.lines.filter((line) => known.some((one) => 'line' in one && one.line === line)),
      })),
      invoice_money: new Map(
        [...facts.invoice_money].filter(([id]) =>
          known.some((one) => 'invoice' in one && one.invoice === id),
        ),
      ),
    }
  }
}

test('no more is ever taken back than was granted', () => {
  fc.assert(
    fc.property(lives, days, (facts, now) => {
      for (const { gross, refunded, disputed } of positionOf(facts, now).grants) {
        expect(gross).toBeGreaterThanOrEqual(0)
        expect(refunded).toBeGreaterThanOrEqual(0)
        expect(disputed).toBeGreaterThanOrEqual(0)
        expect(refunded + disputed).toBeLessThanOrEqual(gross)
      }
    }),
    runs,
  )
})

test('plans that have all ended and kept their money leave nothing in the plan account, whenever credits were used', () => {
  fc.assert(
    fc.property(lives, moments, uses, (facts, when, used) => {
      const kept = { ...facts, invoice_money: new Map() }
      fc.pre(
        kept.subscriptions.every(({ ended_at, lines }) => ended_at !== null && !lines.some(isCut(lines))),
      )
      const books = live(kept, when, used)
      books.reconcile(kept, afterAll)
      expect(books.balance('plan')).toBe(0)
    }),
    runs,
  )
})

/** Another period takes its place before it is over; one that begins in the same second takes all of it. */
const isCut = (lines: readonly PaidLine[]) => (line: PaidLine) =>
  lines.some(
    (other) =>
      other !== line &&
      other.kind === 'period' &&
      other.starts_at < line.ends_at &&
      (other.starts_at > line.starts_at || (line.kind === 'period' && +other.starts_at === +line.starts_at)),
  )

test('an owner whose money all went back, and who had used nothing, has nothing', () => {
  fc.assert(
    fc.property(lives, moments, days, (facts, when, now) => {
      fc.pre(!facts.subscriptions.some(({ trial_end }) => trial_end))
      const books = live(facts, when, [])
      const gone = { total_minor: 2000, refunded_minor: 1500, disputed_minor: 500 }
      const invoices = facts.subscriptions.flatMap(({ lines }) =>
        lines.flatMap(({ invoice_id }) => invoice_id ?? []),
      )
      books.reconcile({ ...facts, invoice_money: new Map(invoices.map((id) => [id, gone])) }, now)
      expect(books.balances()).toEqual({ plan: 0, purchased: 0 })
    }),
    runs,
  )
})

test('the plan account never holds more than the open month is due, and nothing when none is open', () => {
  fc.assert(
    fc.property(lives, moments, uses, (facts, when, used) => {
      const books = live(facts, when, used)
      books.reconcile(facts, afterAll)
      const { grants, months } = positionOf(facts, afterAll)
      const open = months.filter(({ is_over }) => !is_over)
      const due = grants
        .filter(({ kind }) => kind === 'month' || kind === 'seats')
        .filter(({ month_starts_at, stripe_subscription_id: id }) =>
          open.some(
            (month) =>
              month.stripe_subscription_id === id && month.starts_at.getTime() === month_starts_at?.getTime(),
          ),
        )
        .reduce((sum, { gross, refunded, disputed }) => sum + gross - refunded - disputed, 0)
      expect(books.balance('plan')).toBeLessThanOrEqual(due)
    }),
    runs,
  )
})

/** All that depends on the time. */
const planOf = (facts: OwnerFacts, now: Date) => {
  const { grants, months } = positionOf(facts, now)
  return { grants, months }
}

test('nothing changes by itself before the moment at which a live plan is looked at again, however far our clock is behind', () => {
  fc.assert(
    fc.property(lives, days, fc.nat(40), fc.integer({ min: 0, max: 999 }), (all, now, behind, part) => {
      const facts = knownAt(all, new Date(now.getTime() + behind * dayMs))
      const until = new Date(now.getTime() + 7 * dayMs)
      const looks = facts.subscriptions
        .filter(({ ended_at }) => ended_at === null)
        .map(({ lines }) => nextMonthEdge(lines, { after: now, until }) ?? until)
      // An ended subscription is not read again.
      const next = looks.length > 0 ? Math.min(...looks.map((look) => look.getTime())) : +afterAll
      const before = new Date(now.getTime() + Math.floor(((next - now.getTime()) * part) / 1000))
      expect(planOf(facts, before)).toEqual(planOf(facts, now))
    }),
    runs,
  )
})

test('a clock that is set back, or another one that is behind, posts and closes nothing', () => {
  fc.assert(
    fc.property(lives, moments, uses, days, fc.nat(400), (facts, when, used, now, back) => {
      const books = live(
        facts,
        when.filter((moment) => moment < now),
        used,
      )
      books.reconcile(knownAt(facts, now), now)
      books.use(100, now)
      const earlier = new Date(now.getTime() - back * dayMs)
      expect(books.reconcile(knownAt(facts, now), earlier)).toEqual({
        transfers: [],
        closings: [],
      })
    }),
    runs,
  )
})
