import { lived, type Regression } from './lived.ts'
import type { Amount, OwnerStep, PlannedPlan } from './owner-history.ts'

const monthly: PlannedPlan = { do: 'plan', frequency: 'monthly', seats: 1, trial_days: 0, card: 'pays' }
const buy = (credits: number) => ({ do: 'purchase', credits }) as const
const purchase = buy(300)
const use = (percent: number) => ({ do: 'use', percent, reports: 1 }) as const
const days = (number: number) => ({ do: 'days', days: number }) as const
const month = days(31)
const cancel = (when: 'now' | 'period_end' = 'now') => ({ do: 'cancel', when }) as const
const refund = (payment = 0) => ({ do: 'refund', payment, percent: 100 }) as const
const dispute = { do: 'dispute', payment: 0, percent: 100, answered: true, is_inquiry: false } as const
const won = { do: 'close_dispute', outcome: 'won' } as const

/** Our clock from then on, against Stripe's. */
const clock = (ahead_s: number) => ({ do: 'set_clock', ahead_s }) as const

const minutes = (number: number) => ({ do: 'minutes', minutes: number }) as const
const day_min = 24 * 60
/** Seconds after the period's end; its renewal is paid after an hour. */
const end = (after_s = 7200) => ({ do: 'period_end', after_s }) as const
const nearEnd = end(-600)

const hold = (
  amount: Amount,
  more: { minutes?: number; times?: number; parallel?: number; editor?: number } = {},
) => ({ do: 'hold', amount, minutes: 15, editor: 0, times: 1, ...more }) as const
/** Open over a month's end. */
const long = (amount: Amount) => hold(amount, { minutes: day_min })
/** Of the nth hold from the latest. */
const settle = (amount: Amount, nth = 0, times = 1) =>
  ({ do: 'settle', amount, hold: nth, failed: false, times }) as const
const failed = (nth = 0) => ({ do: 'settle', amount: 0, hold: nth, failed: true, times: 2 }) as const
const release = (nth = 0) => ({ do: 'release', hold: nth, times: 2 }) as const
const extend = (to: number) => ({ do: 'extend', hold: 0, minutes: to, times: 1 }) as const
const fail = (editor = 0) => ({ do: 'fail', editor, times: 2 }) as const

/** A personal plan has 500 credits a month. */
const user = (title: string, ...turns: (OwnerStep | readonly OwnerStep[])[]) =>
  lived(title, 'user', monthly, ...turns)

/** `npm test` plays them: see `usual` in regressions.ts. */
export const usualHolds: readonly Regression[] = [
  user(
    'twenty parallel holds of 75 on 500 credits',
    hold(75, { parallel: 20 }),
    [use(100), settle(75, 5), settle(70, 4), use(100)],
    [settle(75, 3), settle(75, 2), settle(75, 1), settle(75, 0)],
  ),
  user('a hold and a settlement whose answers are lost', hold(75, { times: 3 }), settle(60, 0, 3), use(100)),
  user('a hold that is never settled', hold(500), [minutes(16), use(100)]),
  user('a hold that stands in the way of another, and expires', hold(500), [hold(1), minutes(16), hold(500)]),
  user('a hold that expires while its settlement waits', hold(400), [minutes(16), use(90), settle(400)]),
  user(
    'a hold that is extended over 106 minutes',
    [hold(75), ...Array.from({ length: 7 }, () => [minutes(14), extend(15)] as const).flat()],
    [minutes(8), extend(2 * day_min), settle(75)],
    [hold(75), extend(2 * day_min), minutes(day_min), extend(15), use(100)],
  ),
  user('a hold whose settlement comes after a day', hold(75), days(3), settle(75)),
  user('a settlement of 75, 75, then 76', [hold(100), settle(75), settle(75), settle(76)]),
  user(
    'a settlement above its hold, with little and with nothing available',
    [hold(75), hold(75), use(90), settle(200)],
    [settle(200, 1), use(1)],
  ),
  user('failures: a report, a settlement, and a late one', [fail(), hold(75), failed(), use(100)], purchase, [
    hold(75),
    minutes(16),
    failed(),
    settle(1),
  ]),
  user(
    'three holds that are open at a month’s end',
    purchase,
    use(40),
    [nearEnd, long(75), long(75), long(75)],
    end(),
    [use(20), settle(75, 2), release(1)],
    settle(30),
    use(100),
  ),
  user(
    'a hold of more than its month has left, settled in the next one',
    [use(94), nearEnd],
    [purchase],
    long({ percent: 24 }),
    end(),
    [use(1), settle({ percent: 100 }), use(10)],
    month,
  ),
  user(
    'a full refund while credits are held',
    use(20),
    buy(100),
    [hold(75), hold(50)],
    refund(1),
    [use(100), settle(80), settle(50, 1)],
    month,
  ),
  user('a dispute, a settlement, and the dispute won', use(20), long(75), dispute, settle(75), won, use(100)),
  user(
    'Pro whose place Teams takes while credits are held, which are released',
    days(10),
    [long(400), { do: 'to_teams' }],
    release(),
    days(1),
  ),
  user(
    'bought credits that paid beside a hold of which most is left at the month’s end',
    use(92),
    buy(100),
    [nearEnd, long(40), use(40), settle(10)],
    end(),
    month,
  ),
  user('a hold in the gap of a renewal', use(20), [end(20), long(300)], minutes(90), settle(300), use(100)),
  user(
    'a hold of the old month that is settled in the gap of a renewal',
    [use(20), nearEnd, long(75)],
    [end(), settle(75)],
    use(100),
  ),
  user(
    'a hold that is extended in the gap of a renewal',
    use(80),
    [nearEnd, long(75)],
    [end(20), extend(day_min)],
    minutes(90),
    settle(75),
    use(100),
  ),
  user(
    'usage of all of a new month beside a hold of the one before',
    use(80),
    purchase,
    [nearEnd, long(75)],
    end(),
    [use(90), settle(75)],
    use(100),
  ),
  user(
    'two editors of one person',
    [hold(75), hold(75, { editor: 1 }), fail(1), settle(80)],
    [settle(60, 1), failed(0), fail()],
  ),
]

export const holdRegressions: readonly Regression[] = [
  user('a hold that is settled late twice', [
    hold(75),
    minutes(16),
    settle(75),
    settle(75),
    settle(76),
    release(),
    extend(15),
  ]),
  user('a settlement after a release, and a release after a settlement', [
    hold(75),
    release(),
    settle(75),
    extend(15),
    hold(75),
    settle(10),
    release(),
    extend(15),
  ]),
  user(
    'a month’s end between reserving and settling, with bought credits, and not heard at once',
    purchase,
    [use(94), nearEnd, use(50), purchase, long(80)],
    [end(), settle(80)],
    use(50),
    month,
  ),
  user(
    'a plan that ends at the close of a held month',
    use(20),
    cancel('period_end'),
    [nearEnd, long(75), long(20)],
    end(20),
    [settle(10), use(100)],
    settle(50, 1),
    monthly,
    use(100),
  ),
  user(
    'two closes under one hold',
    use(80),
    [nearEnd, long(75)],
    end(),
    use(8),
    cancel(),
    settle(60),
    monthly,
  ),
  user(
    'a settlement of what a dispute has taken, which is won, and months after it',
    [long(100), dispute],
    settle(100),
    won,
    month,
    use(100),
  ),
  user(
    'usage in the gap of a renewal beside a hold of the old month',
    use(92),
    buy(100),
    [nearEnd, long(40)],
    [end(300), use(40), settle(40)],
    minutes(90),
    month,
  ),
  user(
    'a refund of a month that a hold outlives',
    use(20),
    purchase,
    [nearEnd, long(75)],
    end(),
    refund(2),
    settle(75),
    use(100),
    month,
  ),
  user(
    'a hold of a plan that has ended, and our clock set back before another plan begins',
    purchase,
    [use(60), cancel('period_end')],
    [end(-300), clock(600), long(75)],
    end(20),
    [clock(-218), monthly],
    settle(75),
    days(1),
    month,
  ),
  user(
    'overlapping holds that would keep old credits alive',
    use(20),
    [nearEnd, long(100), long(200)],
    end(),
    [long(500), hold(1), release(2), hold(1)],
    [minutes(day_min - 200), extend(day_min), minutes(200), hold(1)],
    [settle(500), use(100)],
  ),
]
