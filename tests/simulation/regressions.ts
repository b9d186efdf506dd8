import type { Kind, OwnerHistory, OwnerStep, PlannedPage, PlannedPlan, Proration } from './owner-history.ts'

export interface Regression {
  readonly title: string
  readonly needs: readonly Kind[]
  readonly history: OwnerHistory
}

const monthly: PlannedPlan = { do: 'plan', frequency: 'monthly', seats: 5, trial_days: 0, card: 'pays' }
const yearly: PlannedPlan = { ...monthly, frequency: 'yearly' }
const failing: PlannedPlan = { ...monthly, card: 'fails_later' }
const trial: PlannedPlan = { ...monthly, trial_days: 14 }

const all = { do: 'use', percent: 100, reports: 1 } as const
const half = { do: 'use', percent: 50, reports: 1 } as const
const month = { do: 'days', days: 31 } as const
const week = { do: 'days', days: 7 } as const
const purchase = { do: 'purchase', credits: 700 } as const
const cancel = { do: 'cancel', when: 'now' } as const
const join = { do: 'join_team' } as const
const leave = { do: 'leave_team' } as const
const day = { do: 'days', days: 1 } as const
const refused: PlannedPlan = { ...monthly, card: 'refused' }
const page: PlannedPage = { do: 'page', frequency: 'monthly', seats: 1, lost: null }
const killed: PlannedPage = { ...page, lost: page }
const drop = { do: 'drop', share: 1, late: false } as const
const lost = { do: 'close_dispute', outcome: 'lost' } as const
const outage = { do: 'outage', hours: 20 } as const
const won = { do: 'close_dispute', outcome: 'won' } as const

/** Money of the nth payment from the latest. */
const refund = (percent: number, payment = 0) => ({ do: 'refund', payment, percent }) as const
const dispute = (payment = 0) =>
  ({ do: 'dispute', payment, percent: 100, answered: true, is_inquiry: false }) as const
const inquiry = { ...dispute(), is_inquiry: true } as const
/** To the end of the period: its renewal is a draft for an hour from then on, or until we hear of it. */
const renewal = (after_s = 0) => ({ do: 'period_end', after_s }) as const
const clock = (ahead_s: number) => ({ do: 'set_clock', ahead_s }) as const
const hold = (of: 'subscription' | 'charge') => ({ do: 'hold_answer', of }) as const
const adjust = (credits: number) => ({ do: 'support', act: 'adjust', credits }) as const
const resync = { do: 'support', act: 'resync', credits: 0 } as const
const replay = { ...resync, act: 'replay' } as const
const anew = (with_metadata: boolean) => ({ do: 'make_anew', with_metadata }) as const
const dying = { do: 'crash_worker', statement: 6, moment: 'after' } as const
const seats = (...numbers: number[]) => ({ do: 'seats', numbers, proration: 'always_invoice' }) as const
const later = (...numbers: number[]) => ({ ...seats(...numbers), proration: 'create_prorations' }) as const
const unbilled = (...numbers: number[]) => ({ ...seats(...numbers), proration: 'none' }) as const
const moved = (days: number, proration: Proration) => ({ do: 'move_by_trial', days, proration }) as const
const anchored = (proration: Proration) => ({ do: 'anchor', proration }) as const
const extra = { do: 'add_on', quantity: 50 } as const

/** The books are compared after every turn; a step that stands alone is one. */
function lived(
  title: string,
  owner: OwnerHistory['owner'],
  ...turns: (OwnerStep | readonly OwnerStep[])[]
): Regression {
  const steps = turns.map((turn) => ('do' in turn ? [turn] : turn))
  return {
    title,
    needs: [...new Set(steps.flat().map(({ do: kind }) => kind))],
    history: {
      owner,
      turns: steps.map((turn) => ({ steps: turn, order: 'sent', times: 1 })),
      is_deleted: false,
    },
  }
}

function but({ history, ...regression }: Regression, changed: Partial<OwnerHistory>): Regression {
  return { ...regression, history: { ...history, ...changed } }
}

/** The same, and then the owner is deleted at Clerk. */
function deleted(...life: Parameters<typeof lived>): Regression {
  return but(lived(...life), { is_deleted: true })
}

/** Histories that once failed, or that were suspected to fail; they are always played. */
export const regressions: readonly Regression[] = [
  // The renewal's events are under way while credits are used, first with a rest of the old month, then without.
  lived('usage between a renewal and its event', 'user', monthly, purchase, half, [month, half, half], all),
  lived(
    'usage before a renewal is heard, of all that there is',
    'user',
    monthly,
    purchase,
    [month, all],
    [month, all],
  ),
  ...[monthly, yearly, trial].flatMap((order) => [
    lived(
      `usage while the renewal of a ${order.trial_days ? 'trial' : order.frequency} plan is a draft`,
      'user',
      order,
      purchase,
      half,
      [renewal(20), half, half],
      half,
      day,
    ),
    lived(
      `usage before the renewal of a ${order.trial_days ? 'trial' : order.frequency} plan is found by the reader`,
      'user',
      order,
      purchase,
      half,
      [drop, renewal(7200), all, drop],
      half,
      day,
    ),
    lived(
      `usage before a renewal of a ${order.trial_days ? 'trial' : order.frequency} plan that fails and is paid`,
      'user',
      { ...order, card: 'fails_later' },
      purchase,
      half,
      [renewal(20), half],
      day,
      half,
      { do: 'pay_invoice' },
      half,
    ),
  ]),
  lived(
    'a renewal that support voids, and the next one',
    'user',
    failing,
    purchase,
    half,
    [renewal(7200), half],
    { do: 'void_invoice' },
    { do: 'card', card: 'pays' },
    month,
    half,
  ),
  lived(
    'seats added and given up in one second, on one bill that is paid too late',
    'team',
    { ...monthly, seats: 4 },
    later(10, 6),
    [week, extra, month, half],
  ),
  lived('old plan refunded under a new one', 'user', monthly, all, cancel, monthly, refund(100, 1), half),
  lived('old plan disputed under a new one', 'user', monthly, all, cancel, monthly, dispute(1), won),
  lived(
    'a charge that is disputed twice',
    'user',
    monthly,
    half,
    { ...dispute(), percent: 40 },
    { ...dispute(), percent: 30 },
    won,
    lost,
  ),
  lived('old team plan refunded under a new one', 'team', monthly, all, cancel, monthly, refund(50, 1)),
  lived(
    'debt of an ended plan before and after a new one',
    'user',
    monthly,
    purchase,
    half,
    cancel,
    refund(100, 1),
    monthly,
    half,
  ),
  lived(
    'a year disputed over two months and won',
    'user',
    yearly,
    half,
    dispute(),
    month,
    week,
    month,
    won,
    month,
  ),
  lived('a year disputed over a month and lost', 'team', yearly, dispute(), month, lost),
  lived(
    'a used year refunded in parts, months apart',
    'user',
    yearly,
    all,
    month,
    half,
    refund(30),
    month,
    month,
    refund(30),
    month,
  ),
  lived('seats added to a year and refunded', 'team', yearly, week, seats(8), refund(50), month, month),
  lived('seats given up and taken again in a year', 'team', yearly, seats(8, 3), month, seats(6), month),
  lived('seats added, given up and added again in one second', 'team', monthly, week, seats(9, 5, 7), month),
  lived('three seat changes in one second', 'team', monthly, week, seats(8, 6, 9), week, seats(7, 12)),
  lived(
    'seats added in a month, refunded, renewed',
    'team',
    monthly,
    week,
    seats(9),
    half,
    refund(100),
    month,
  ),
  lived(
    'seats added twice and given up at once',
    'team',
    monthly,
    week,
    seats(8),
    week,
    seats(10),
    week,
    seats(3),
    month,
  ),
  lived(
    'a renewal of more than ten lines',
    'user',
    monthly,
    week,
    { do: 'manual_items', count: 12, amount: 99 },
    month,
  ),
  lived(
    'one manual item',
    'team',
    monthly,
    { do: 'manual_items', count: 1, amount: 3000 },
    month,
    refund(50),
  ),
  lived(
    'a plan paid from a credit balance',
    'user',
    purchase,
    { do: 'credit_balance', amount: 1500 },
    monthly,
    refund(100),
  ),
  lived(
    'a renewal paid from a credit balance',
    'team',
    monthly,
    { do: 'credit_balance', amount: 50_000 },
    month,
    half,
  ),
  lived(
    'bought credits that stood in for a disputed plan',
    'user',
    monthly,
    half,
    dispute(),
    purchase,
    half,
    won,
  ),
  lived(
    'a plan disputed beside bought credits',
    'user',
    monthly,
    purchase,
    all,
    dispute(1),
    half,
    won,
    month,
  ),
  lived(
    'usage up to a debt and beyond it',
    'user',
    monthly,
    all,
    purchase,
    refund(100, 1),
    { do: 'use', percent: 120, reports: 1 },
    all,
  ),
  lived('a purchase refunded after use', 'user', monthly, purchase, all, refund(100), month, half),
  lived('a trial ended early', 'user', trial, half, { do: 'end_trial' }, half, month),
  lived(
    'a trial of 45 days',
    'user',
    { ...trial, trial_days: 45 },
    half,
    month,
    half,
    { do: 'days', days: 15 },
    all,
  ),
  lived('a trial extended', 'user', trial, half, { do: 'extend_trial', days: 40 }, month, half, month),
  lived('a trial that runs out unpaid', 'user', { ...trial, card: 'fails_later' }, half, month, month),
  lived(
    'paid after Stripe gave up, unused',
    'user',
    failing,
    month,
    { do: 'days', days: 20 },
    { do: 'pay_invoice' },
    half,
    refund(50),
  ),
  lived(
    'paid after Stripe gave up, all used',
    'team',
    failing,
    all,
    month,
    { do: 'days', days: 20 },
    { do: 'pay_invoice' },
    monthly,
  ),
  lived('a renewal paid days late', 'team', failing, half, month, half, { do: 'pay_invoice' }, half),
  lived(
    'added seats paid late',
    'team',
    monthly,
    week,
    { do: 'card', card: 'fails_later' },
    seats(9),
    week,
    { do: 'pay_invoice' },
    month,
  ),
  lived(
    'an invoice paid in two parts, which are refunded one after the other',
    'user',
    failing,
    month,
    day,
    { do: 'pay_part', percent: 40, rest: true },
    half,
    refund(100, 1),
    half,
    refund(100),
  ),
  lived(
    'a part of an invoice forgiven before the payment, and what was paid refunded',
    'user',
    failing,
    month,
    day,
    { do: 'forgive', percent: 75 },
    { do: 'pay_invoice' },
    half,
    refund(100),
  ),
  lived(
    'a renewal paid outside Stripe',
    'user',
    failing,
    month,
    day,
    { do: 'pay_invoice', outside_stripe: true },
    half,
  ),
  lived('a refund that the bank sends back', 'user', monthly, half, refund(60), { do: 'fail_refund' }, half),
  lived(
    'a coupon for three months, refunds and added seats',
    'team',
    monthly,
    { do: 'coupon', percent: 30, duration: 'repeating' },
    month,
    seats(9),
    refund(50),
    half,
    month,
    month,
    refund(100),
    month,
  ),
  lived(
    'a plan that ends on a day within its period',
    'user',
    monthly,
    half,
    { do: 'cancel', when: 'later' },
    month,
  ),
  but(
    lived('plans, seats and credits in pounds', 'team', monthly, seats(7), purchase, half, month, refund(50)),
    { currency: 'GBP' },
  ),
  but(lived('a plan sold by hand for an open page, in another currency', 'user', monthly, half, month), {
    is_sold_wrongly: true,
  }),
  lived(
    'seats added unpaid, given up and added again in one second',
    'team',
    yearly,
    week,
    { do: 'card', card: 'fails_later' },
    seats(11, 3, 11),
    month,
    half,
  ),
  lived('seats added under a coupon of 100 %', 'team', yearly, week, { do: 'coupon' }, seats(8), month),
  lived('a coupon of 100 %', 'user', monthly, { do: 'coupon' }, month, half, month),
  lived(
    'a paused collection',
    'user',
    monthly,
    { do: 'pause', behavior: 'void' },
    half,
    month,
    half,
    { do: 'pause', behavior: null },
    month,
  ),
  lived(
    'a changed billing anchor',
    'team',
    monthly,
    half,
    { do: 'days', days: 10 },
    anchored('always_invoice'),
    half,
    month,
  ),
  lived(
    'a month becomes a year',
    'team',
    monthly,
    all,
    { do: 'days', days: 10 },
    { do: 'frequency' },
    month,
    half,
  ),
  lived('a year becomes a month', 'team', yearly, { do: 'days', days: 40 }, half, { do: 'frequency' }, month),
  lived('the second in which the period ends', 'team', monthly, half, renewal(), seats(8), half),
  lived('ended in the second of the renewal', 'user', monthly, half, [renewal(), cancel], monthly),
  lived(
    'a plan whose metadata was removed',
    'user',
    yearly,
    half,
    { do: 'lose_metadata' },
    month,
    refund(50),
    half,
  ),
  lived('a plan that support made anew', 'team', monthly, half, anew(true), month, half, refund(100, 1)),
  lived('a plan that support made by hand', 'user', monthly, half, anew(false), seats(2), month, half),
  but(
    lived(
      'a plan in dollars that support made anew at another price',
      'team',
      monthly,
      half,
      { ...anew(false), at_other_price: true },
      seats(7),
      month,
      half,
      refund(40),
    ),
    { currency: 'USD' },
  ),
  deleted('a person who is deleted during a trial', 'user', trial, half),
  deleted('an organization that is deleted with an overdue renewal', 'team', failing, half, month),
  lived('a customer deleted at Stripe', 'user', monthly, half, { do: 'delete_customer' }, monthly, half),
  lived(
    'a used month refunded, and the months after',
    'user',
    monthly,
    all,
    refund(100),
    month,
    all,
    month,
    half,
  ),
  lived('a free purchase that Stripe never made', 'user', monthly, [{ do: 'claim_free' }], week, half),
  lived('Stripe away for 20 hours', 'user', monthly, [purchase, refund(100, 1), outage], half),
  lived('every job lost for five hours', 'user', monthly, [purchase, { do: 'lose_jobs', hours: 5 }], half),
  lived('a refund without an event', 'user', monthly, half, [refund(50), drop]),
  lived(
    'a refund without an event, and Stripe lists late',
    'user',
    monthly,
    half,
    [refund(50), { ...drop, late: true }, purchase],
    half,
  ),
  lived('a refund whose events cannot be stored', 'user', monthly, purchase, [refund(50), { do: 'damage' }]),
  lived('an end that was not seen', 'user', monthly, half, [hold('subscription'), cancel], monthly, half),
  lived('seats that were not seen', 'team', monthly, week, [hold('subscription'), seats(9)], week),
  lived('a refund that was not seen', 'user', monthly, purchase, [refund(30), hold('charge'), refund(30)]),
  lived('a first payment that fails', 'user', monthly, cancel, refused, day, monthly, half),
  lived('a first payment of a team that fails', 'team', monthly, cancel, [refused, day], monthly, half),
  lived(
    'a customer deleted before credits are bought',
    'user',
    monthly,
    cancel,
    { do: 'delete_customer' },
    purchase,
  ),
  lived('a page left for another', 'user', monthly, cancel, page, { ...page, frequency: 'yearly' }, monthly),
  lived('a page whose server was killed', 'user', monthly, cancel, killed, monthly),
  lived(
    'a page of a team whose server was killed',
    'team',
    monthly,
    cancel,
    killed,
    { ...killed, seats: 5 },
    monthly,
  ),
  lived('an inquiry, and the dispute that it becomes', 'user', monthly, inquiry, half, lost, half, won, half),
  lived('an appeal that is won', 'user', monthly, half, dispute(), lost, { do: 'appeal' }, half, won, half),
  lived(
    'colleagues whom Clerk does not announce',
    'team',
    monthly,
    join,
    [join, leave],
    leave,
    cancel,
    monthly,
  ),
  lived(
    'seats added while a renewal is unpaid',
    'team',
    failing,
    month,
    seats(9),
    week,
    { do: 'pay_invoice' },
    { do: 'pay_invoice' },
    half,
    month,
  ),
  lived(
    'seats given up while a renewal is unpaid',
    'team',
    failing,
    month,
    seats(2),
    { do: 'pay_invoice' },
    half,
  ),
  lived(
    'another page than that of a killed server',
    'user',
    monthly,
    cancel,
    { ...page, lost: { ...page, frequency: 'yearly' } },
    monthly,
  ),
  lived(
    'the second of two seat changes in one second refunded, twice',
    'team',
    monthly,
    [day, seats(6, 9)],
    refund(100),
    [day, seats(10, 14)],
    refund(100),
  ),
  lived('ended while our clock is behind', 'user', monthly, half, [clock(-30), cancel], monthly, half, month),
  lived('bought while our clock is behind', 'user', monthly, cancel, clock(-300), monthly, half, month),
  lived('bought and ended while our clock is behind', 'user', monthly, cancel, [
    clock(-300),
    monthly,
    cancel,
  ]),
  lived('a renewal while our clock is ahead', 'user', monthly, half, clock(300), renewal(), half, [
    clock(0),
    refund(50),
  ]),
  lived(
    'a year’s month while our clock is behind',
    'team',
    yearly,
    clock(-600),
    month,
    half,
    month,
    seats(8),
  ),
  lived(
    'acts of support around a refund, and a worker that dies in one of them',
    'user',
    monthly,
    [purchase, adjust(2000)],
    [dying, adjust(4000)],
    [refund(50), replay],
    resync,
    all,
    adjust(-500),
    [month, resync],
  ),
  lived(
    'a year moved by a trial for which nothing is given back',
    'user',
    yearly,
    month,
    month,
    moved(330, 'none'),
    half,
    month,
    half,
    month,
    { do: 'days', days: 300 },
  ),
  lived(
    'a month moved by a trial that is given back',
    'user',
    monthly,
    half,
    week,
    moved(20, 'create_prorations'),
    month,
  ),
  lived(
    'a billing anchor moved without giving back',
    'user',
    monthly,
    half,
    week,
    anchored('none'),
    all,
    month,
    month,
  ),
  lived(
    'seats given up that are billed later',
    'team',
    yearly,
    month,
    later(2),
    month,
    all,
    month,
    { do: 'days', days: 330 },
    all,
  ),
  lived('seats added that are billed later', 'team', yearly, month, later(8), month, all, {
    do: 'days',
    days: 330,
  }),
  lived(
    'seats given up and taken back that are billed later',
    'team',
    yearly,
    later(2, 5),
    month,
    later(7),
    month,
    seats(3),
    { do: 'days', days: 330 },
  ),
  lived('seats that change without a bill', 'team', yearly, month, unbilled(2), month, seats(6), month),
  lived('an add-on beside the seats', 'team', monthly, extra, month, seats(8), month, extra, month),
]
