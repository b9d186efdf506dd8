import { describe, expect, test } from 'vitest'
import { belongings, type Hold, type Life, nothingReserved, type Period, type Usage } from './model.ts'
import { answerTo, type HoldAsk, outliving, reserve, sumsOf } from './model-holds.ts'

const day = 86_400
/** 1 June, a month of thirty days, and the month after it. */
const june = Date.UTC(2026, 5, 1) / 1000
const july = june + 30 * day
const now = july + 3600

function month(id: string, starts_at: number, days: number): Period {
  const money = { taken_back: 0, disputed: 0, given_for_unused: 0, refunded_before: 0, charged: 2000 }
  const payment = { id, total: 2000, paid_at: starts_at, ...money }
  return {
    kind: 'month',
    starts_at,
    ends_at: starts_at + days * day,
    given_back_from: null,
    seats: 1,
    payment,
  }
}

function held(id: string, credits: number, fields: Partial<Hold> = {}): Hold {
  const opened_at = july - 600
  const open = { expires_at: opened_at + day, state: 'open' as const, outlives: null }
  return { id, credits, plan: credits, opened_at, ...open, ...fields }
}

/** A plan of 500 credits a month, with bought credits. */
function life(
  holds: readonly Hold[],
  {
    bought = 0,
    usages = [],
    months = 2,
  }: { bought?: number; usages?: readonly Usage[]; months?: number } = {},
): Life {
  const plan = {
    session: 'cs_1',
    plan_type: 'pro' as const,
    seats_now: 1,
    ended_at: null,
    lapses_at: null,
    periods: [month('june', june, 30), month('july', july, 31)].slice(0, months),
    seat_changes: [],
  }
  return {
    purchases: [],
    subscriptions: [plan],
    usages,
    adjustments: [bought],
    reserved: { ...nothingReserved, holds },
    colleagues: null,
    teams: [],
  }
}

const used = (plan: number): Usage => ({ at: null, month: 'june/0', plan, purchased: 0 })
const closed = (lived: Life): Life => ({ ...lived, reserved: outliving(lived, now) })

function ask(lived: Life, nth: number, asked: HoldAsk, at = now) {
  const hold = lived.reserved.holds[nth]
  if (!hold) throw new Error('There is no such hold')
  return answerTo(lived, { hold, settled: undefined, ask: asked, now: at })
}
const settle = (credits: number): HoldAsk => ({ do: 'settle', credits, failed: false })

/** Worked out by hand from the issue of holds. */
describe('the model of holds', () => {
  test('the model lets only what is left above three open holds expire at a month’s end', () => {
    const lived = life([held('a', 75), held('b', 75), held('c', 75)], { bought: 100, usages: [used(200)] })
    const over = closed(lived)
    // 300 are left, of which 225 are held.
    expect(belongings(over, now)).toMatchObject({
      plan: 500 + 225,
      purchased: 100,
      held: 225,
      plan_held: 225,
    })
    const first = ask(over, 0, settle(75))
    expect(first).toMatchObject({ outcome: 'posted', charged: 75 })
    expect(belongings(first.life, now)).toMatchObject({ plan: 500 + 150, purchased: 100, held: 150 })
    const second = ask(first.life, 1, { do: 'release' })
    expect(belongings(second.life, now)).toMatchObject({ plan: 500 + 75, held: 75, plan_held: 75 })
    const third = ask(second.life, 2, settle(30))
    expect(belongings(third.life, now)).toMatchObject({ plan: 500, purchased: 100, held: 0, plan_held: 0 })
  })

  test('the model takes of each account what a usage would have taken when the hold was opened', () => {
    const over = closed(life([held('a', 80, { plan: 30 })], { bought: 90, usages: [used(470)] }))
    expect(belongings(over, now)).toMatchObject({ plan: 530, purchased: 90, held: 80, plan_held: 30 })
    const { life: after, charged } = ask(over, 0, settle(80))
    expect(charged).toBe(80)
    expect(belongings(after, now)).toMatchObject({ plan: 500, purchased: 40 })
  })

  test('the model pays with what is left of a month what bought credits paid of it beside a hold', () => {
    const beside = { at: july - 300, month: 'june/0', plan: 0, purchased: 40 }
    const over = closed(life([held('a', 40)], { bought: 100, usages: [used(460), beside] }))
    expect(belongings(over, now)).toMatchObject({ plan: 540, purchased: 60 })
    // Ten are the hold's, and the other thirty come back.
    const { life: after } = ask(over, 0, settle(10))
    expect(belongings(after, now)).toMatchObject({ plan: 500, purchased: 90 })
  })

  test('the model takes what is above a hold as far as it is available, and nothing else when it is late', () => {
    const before = july - 300
    const lived = life([held('a', 75), held('b', 400)], { months: 1 })
    expect(ask(lived, 0, settle(110), before)).toMatchObject({ charged: 100 })
    const expired = life([held('a', 75, { expires_at: before })], { usages: [used(450)], months: 1 })
    expect(ask(expired, 0, settle(75), before)).toMatchObject({ charged: 50, reserved: null })
    expect(ask(expired, 0, settle(75), before + day + 1)).toMatchObject({ outcome: 'expired', charged: 0 })
  })

  test('the model charges what was reserved when all credits have gone back', () => {
    const lived = life([held('a', 75)], { bought: -400, usages: [used(100)], months: 1 })
    const { charged, life: after } = ask(lived, 0, settle(80), july - 300)
    expect(charged).toBe(75)
    expect(belongings(after, july - 300)).toMatchObject({ plan: 325, purchased: -400, held: 0 })
  })

  test('the model counts a hold in the gap of a renewal to the new month', () => {
    const gap = { opened_at: july + 60, expires_at: july + day }
    const covered = closed(life([held('a', 300, gap)], { usages: [used(100)] }))
    expect(belongings(covered, now)).toMatchObject({ plan: 500, held: 300 })
    expect(belongings(ask(covered, 0, settle(300)).life, now)).toMatchObject({ plan: 200, held: 0 })
  })

  test('the model reserves no more than is available, and not less than is enough', () => {
    const lived = life([held('a', 440)], { months: 1 })
    expect(reserve(lived, july - 300, { credits: 60, at_least: 60 })).toEqual({ credits: 60, plan: 60 })
    expect(reserve(lived, july - 300, { credits: 75, at_least: 75 })).toBeNull()
    expect(reserve(lived, july - 300, { credits: 75, at_least: 60 })).toEqual({ credits: 60, plan: 60 })
    expect(reserve(lived, july + day - 600, { credits: 500, at_least: 500 })).toEqual({
      credits: 500,
      plan: 500,
    })
  })

  test('the model sums usage by day, editor and model', () => {
    const report = { at: june, editor: 'editor 0', model: 'large', requests: 1, failed: 0, credits: 5 }
    const failed = { ...report, at: june + 60, failed: 1, credits: 0 }
    expect(sumsOf([report, failed, { ...report, at: june + day, model: null }])).toEqual([
      '2026-06-01 editor 0 large: 2 requests, 1 failed, 5 credits',
      '2026-06-02 editor 0 -: 1 requests, 0 failed, 5 credits',
    ])
  })
})
