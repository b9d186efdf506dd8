import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readOwnerBalanceSheet } from '../../schema/billing/position/read-owner.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import type { Hold, SpendRequest } from '../../schema/ledger/spend/usage.ts'
import { booksEndRight } from '../../tests/support/database/right-books.ts'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { PaidPlans } from '../../tests/support/factories/paid-months.ts'
import { giveCredits, spendOne } from '../../tests/support/factories/transfers.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { isLong } from '../../tests/support/long.ts'
import { postPlanDifference } from '../books/post-difference.ts'
import { endHolds } from './end-holds.ts'

/**
 * A hold that is settled ends the books as if its credits had been used when it was opened, whatever happens in
 * between. One person reserves and settles later; another one, who lives through the same, uses then what the
 * first one will have settled.
 */

const database = testDatabase()
booksEndRight(database)

const minute = 60_000
const day = 24 * 60 * minute
const month = 30 * day

const percent = fc.integer({ min: 0, max: 100 })
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('use' as const), percent }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('hold' as const),
      percent,
      /** Of what is reserved; with nothing it is released. */
      settled: fc.oneof(percent, fc.constant(100)),
      /** After how many steps. */
      after: fc.nat(6),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('minutes' as const), minutes: fc.nat(200) }) },
  /** To the end of the month, or close to it. */
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('to_end' as const), minutes: fc.integer({ min: -30, max: 60 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('renew' as const) }) },
  fc.record({ do: fc.constant('end_plan' as const) }),
  fc.record({ do: fc.constant('task' as const) }),
  /** So much of the money of a month, counted from the latest, has gone back by now: a dispute. */
  { weight: 2, arbitrary: fc.record({ do: fc.constant('money' as const), month: fc.nat(1), percent }) },
  fc.record({ do: fc.constant('credits' as const), credits: fc.integer({ min: -40, max: 60 }) }),
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** One person with a plan of 60 credits a month. */
class Life {
  readonly owner_id: string
  readonly plans: PaidPlans

  constructor(user_id: string) {
    this.owner_id = user_id
    this.plans = new PaidPlans(database, { owner_id: this.owner_id, user_id })
  }

  ask(now: number, request: Record<string, unknown>) {
    const asked = {
      owner_id: this.owner_id,
      actor: this.owner_id,
      occurred_at: new Date(now),
      reason: 'Chat',
    }
    return spendOne(database.server, {
      ...asked,
      idempotency_key: randomUUID(),
      ...request,
    } as unknown as SpendRequest)
  }

  async compare(now: number): Promise<void> {
    const cause = { event_id: null, actor: 'stripe', now: new Date(now) }
    await database.worker.transaction().execute((trx) => postPlanDifference(trx, this.owner_id, cause))
    expect(await this.missing(now)).toEqual({ transfers: [], closings: [] })
  }

  async missing(now: number) {
    const sheet = await database.owner
      .transaction()
      .execute((trx) => readOwnerBalanceSheet(trx, this.owner_id, new Date(now)))
    return sheet.difference
  }

  async books() {
    const { plan, purchased, held } = await findBalance(database.server, this.owner_id)
    const closed = await database.worker
      .selectFrom('ledger_months_used')
      .select('used')
      .where('owner_id', '=', this.owner_id)
      .orderBy('month_starts_at')
      .execute()
    return { plan, purchased, held, used: closed.map(({ used }) => used) }
  }
}

/**
 * With `isMoneyBack` holds are settled in full. What a hold keeps from other usage and does not take is given back
 * when its month closes, as far as the month still has it then: money that goes back before that leaves less.
 */
async function live(steps: readonly Step[], { isMoneyBack }: { isMoneyBack: boolean }): Promise<void> {
  const [later, then] = [
    new Life(await buildUser(database.server)),
    new Life(await buildUser(database.server)),
  ]
  const both = [later, then]
  const open: { hold: Hold; cost: number; at: number }[] = []
  let now = Date.parse('2026-11-20T12:00:00Z')
  let ends = now
  let months = 0
  let sinceEnd = 0
  let isLive = false
  const runTask = () => endHolds({ db: database.worker, now: () => new Date(now) })
  const pay = async () => {
    const starts = isLive ? ends : now
    ends = starts + month
    for (const one of both) {
      if (!isLive) await one.plans.begin()
      await one.plans.payMonth({ starts, ends })
      await one.compare(now)
    }
    isLive = true
    months += 1
    sinceEnd = 0
  }
  const settle = async (isDue: (one: (typeof open)[number]) => boolean) => {
    for (const { hold, cost } of open.filter(isDue)) {
      const request =
        cost === 0 ? { action: 'release' } : { action: 'settle', may_spend: true, credits: cost }
      const settled = await later.ask(now, { ...request, hold_id: hold.id })
      expect(settled).toMatchObject({ outcome: 'posted', charged: cost })
    }
    open.splice(0, open.length, ...open.filter((one) => !isDue(one)))
  }
  await pay()
  for (const [index, one] of steps.entries()) {
    await settle(({ at }) => at <= index)
    switch (one.do) {
      case 'use':
      case 'hold': {
        // What a hold leaves of a month that is over can be used until the task runs, which is no aim.
        await runTask()
        const { available } = await findBalance(database.server, later.owner_id)
        const credits = Math.ceil((available * one.percent) / 100)
        if (credits <= 0) break
        if (now >= ends) sinceEnd += credits
        if (one.do === 'use') {
          for (const each of both)
            expect(await each.ask(now, { credits })).toMatchObject({ charged: credits })
          break
        }
        const { hold } = await later.ask(now, { action: 'reserve', credits, lasting_s: 86_400 })
        const cost = isMoneyBack ? credits : Math.floor((credits * one.settled) / 100)
        if (hold) open.push({ hold, cost, at: index + 1 + one.after })
        if (cost > 0) expect(await then.ask(now, { credits: cost })).toMatchObject({ charged: cost })
        break
      }
      case 'minutes':
        now += one.minutes * minute
        break
      case 'to_end':
        if (ends + one.minutes * minute - now < day - 60 * minute || open.length === 0)
          now = Math.max(now, ends + one.minutes * minute)
        break
      case 'renew':
        if (isLive && now < ends) break
        // Usage of a renewal's gap that the new month does not cover stays with the old one; a hold does not.
        if (isLive && (isMoneyBack || sinceEnd > 60))
          await settle(({ hold }) => hold.opened_at.getTime() >= ends)
        await pay()
        break
      case 'end_plan':
        // What was used in a renewal's gap, which no month covers then, stays with what paid for it.
        if (!isLive || (!isMoneyBack && now >= ends)) break
        isLive = false
        // A month that ends when it begins has no credits.
        now += minute
        for (const each of both) {
          await each.plans.end(now)
          await each.compare(now)
        }
        now += minute
        break
      case 'task':
        await runTask()
        break
      case 'money':
        if (!isMoneyBack || one.month >= months) break
        for (const each of both) {
          await each.plans.giveBack(months - 1 - one.month, one.percent)
          await each.compare(now)
        }
        break
      case 'credits':
        if (one.credits === 0) break
        for (const each of both) await giveCredits(database, each.owner_id, { purchased: one.credits })
        break
    }
    // A hold lasts a day.
    if (open.some(({ hold }) => hold.expires_at.getTime() - now < 200 * minute)) await settle(() => true)
  }
  await settle(() => true)
  await runTask()
  now = Math.max(now, ends)
  if (isLive) await pay()
  const sides = []
  for (const each of both) {
    await each.compare(now)
    sides.push(await each.books())
  }
  expect(sides[0]).toEqual(sides[1])
}

// One life takes half a second on a busy machine.
test.each([
  ['whatever it costs of what was reserved, over months that end', { isMoneyBack: false }],
  ['whatever refunds and disputes take and give back in between', { isMoneyBack: true }],
])(
  'a hold that is settled later ends the books as if it was used when it was opened, %s',
  {
    timeout: 600_000,
  },
  async (_, kind) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24, size: 'max' }), (steps) =>
        live(steps, kind),
      ),
      { numRuns: Number(process.env.LIVES ?? (isLong ? 200 : 25)), seed: Number(process.env.SEED ?? 25) },
    )
  },
)
