import { but, lived, type Regression } from './lived.ts'
import type { OwnerHistory, OwnerStep, PlannedPage, PlannedPlan, Proration } from './owner-history.ts'
import { holdRegressions, usualHolds } from './regressions-holds.ts'

const monthly: PlannedPlan = { do: 'plan', frequency: 'monthly', seats: 5, trial_days: 0, card: 'pays' }
const yearly: PlannedPlan = { ...monthly, frequency: 'yearly' }
const failing: PlannedPlan = { ...monthly, card: 'fails_later' }
const trial: PlannedPlan = { ...monthly, trial_days: 14 }

const use = (percent: number) => ({ do: 'use', percent, reports: 1 }) as const
const all = use(100)
const half = use(50)
const days = (number: number) => ({ do: 'days', days: number }) as const
const month = days(31)
const week = days(7)
const day = days(1)
const purchase = { do: 'purchase', credits: 700 } as const
const cancel = { do: 'cancel', when: 'now' } as const
const join = { do: 'join_team' } as const
const leave = { do: 'leave_team' } as const
const refused: PlannedPlan = { ...monthly, card: 'refused' }
const page: PlannedPage = { do: 'page', frequency: 'monthly', seats: 1, lost: null }
const killed: PlannedPage = { ...page, lost: page }
const drop = { do: 'drop', share: 1, late: false } as const
const lost = { do: 'close_dispute', outcome: 'lost' } as const
const outage = { do: 'outage', hours: 20 } as const
const won = { do: 'close_dispute', outcome: 'won' } as const

/** Money of the nth payment from the latest. */
const refund = (percent: number, payment = 0) => ({ do: 'refund', payment, percent }) as const
const refundByUs = (percent: number, payment = 0) => ({ ...refund(percent, payment), by: 'support' }) as const
const dispute = (payment = 0, percent = 100) =>
  ({ do: 'dispute', payment, percent, answered: true, is_inquiry: false }) as const
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
const pay = { do: 'pay_invoice' } as const
const toTeams = { do: 'to_teams' } as const
const deleteCustomer = { do: 'delete_customer' } as const
const loseMetadata = { do: 'lose_metadata' } as const
const frequency = { do: 'frequency' } as const
/** A coupon of 100 %. */
const free = { do: 'coupon' } as const
const card = (card: 'pays' | 'fails_later') => ({ do: 'card', card }) as const
const pause = (behavior: 'void' | 'keep_as_draft' | 'mark_uncollectible' | null) =>
  ({ do: 'pause', behavior }) as const

/** A person, or a team, who begins with this plan. */
const owner =
  (kind: OwnerHistory['owner'], plan: PlannedPlan) =>
  (title: string, ...turns: (OwnerStep | readonly OwnerStep[])[]) =>
    lived(title, kind, plan, ...turns)
const user = owner('user', monthly)
const team = owner('team', monthly)
const yearlyUser = owner('user', yearly)
const yearlyTeam = owner('team', yearly)
const failingUser = owner('user', failing)
const failingTeam = owner('team', failing)
const trialUser = owner('user', trial)

/** The same, and then the owner is deleted at Clerk. */
function deleted(...life: Parameters<typeof lived>): Regression {
  return but(lived(...life), { is_deleted: true })
}
/** The same, and Clerk tells us days later. */
function deletedLate(...life: Parameters<typeof lived>): Regression {
  return but(deleted(...life), { heard_late_s: 3 * 86_400 })
}

/** Each found a fault that was planted, and that no other history found: `npm test` plays them. */
const usual: readonly Regression[] = [
  user('usage between a renewal and its event', purchase, half, [month, half, half], all),
  user('old plan refunded under a new one', all, cancel, monthly, refund(100, 1), half),
  user('a charge that is disputed twice', half, dispute(0, 40), dispute(0, 30), won, lost),
  user(
    'debt of an ended plan before and after a new one',
    purchase,
    half,
    cancel,
    refund(100, 1),
    monthly,
    half,
  ),
  yearlyUser(
    'a used year refunded in parts, months apart',
    all,
    month,
    half,
    refund(30),
    month,
    month,
    refund(30),
    month,
  ),
  yearlyTeam('seats added to a year and refunded', week, seats(8), refund(50), month, month),
  team('seats added, given up and added again in one second', week, seats(9, 5, 7), month),
  team('three seat changes in one second', week, seats(8, 6, 9), week, seats(7, 12)),
  team('seats added twice and given up at once', week, seats(8), week, seats(10), week, seats(3), month),
  user('a renewal of more than ten lines', week, { do: 'manual_items', count: 12, amount: 99 }, month),
  team('one manual item', { do: 'manual_items', count: 1, amount: 3000 }, month, refund(50)),
  lived(
    'a plan paid from a credit balance',
    'user',
    purchase,
    { do: 'credit_balance', amount: 1500 },
    monthly,
    refund(100),
  ),
  user('bought credits that stood in for a disputed plan', half, dispute(), purchase, half, won),
  user('usage up to a debt and beyond it', all, purchase, refund(100, 1), use(120), all),
  trialUser('a trial ended early', half, { do: 'end_trial' }, half, month),
  failingUser('paid after Stripe gave up, unused', month, days(20), pay, half, refund(50)),
  failingUser(
    'an invoice paid in two parts, which are refunded one after the other',
    month,
    day,
    { do: 'pay_part', percent: 40, rest: true },
    half,
    refund(100, 1),
    half,
    refund(100),
  ),
  failingUser(
    'a part of an invoice forgiven before the payment, and what was paid refunded',
    month,
    day,
    { do: 'forgive', percent: 75 },
    pay,
    half,
    refund(100),
  ),
  user('a month of Pro whose place Teams takes', week, use(10), week, toTeams),
  yearlyUser('a year of Pro whose place Teams takes', all, month, all, month, month, half, toTeams),
  yearlyUser(
    'a year of Pro whose place Teams takes after a part was refunded',
    week,
    refund(10),
    all,
    month,
    all,
    month,
    toTeams,
  ),
  user('a refund that the bank sends back', half, refund(60), { do: 'fail_refund' }, half),
  but(user('a plan sold by hand for an open page, in another currency', half, month), {
    is_sold_wrongly: true,
  }),
  yearlyTeam(
    'seats added unpaid, given up and added again in one second',
    week,
    card('fails_later'),
    seats(11, 3, 11),
    month,
    half,
  ),
  user('a coupon of 100 %', free, month, half, month),
  team('a changed billing anchor', half, days(10), anchored('always_invoice'), half, month),
  user('a used month refunded, and the months after', all, refund(100), month, all, month, half),
  user('Stripe away for 20 hours', [purchase, refund(100, 1), outage], half),
  user('every job lost for five hours', [purchase, { do: 'lose_jobs', hours: 5 }], half),
  user('a refund without an event', half, [refund(50), drop]),
  user(
    'a refund without an event, and Stripe lists late',
    half,
    [refund(50), { ...drop, late: true }, purchase],
    half,
  ),
  user('an end that was not seen', half, [hold('subscription'), cancel], monthly, half),
  user('a refund that was not seen', purchase, [refund(30), hold('charge'), refund(30)]),
  user('a first payment that fails', cancel, refused, day, monthly, half),
  team('a first payment of a team that fails', cancel, [refused, day], monthly, half),
  user('a customer deleted before credits are bought', cancel, deleteCustomer, purchase),
  user('a page left for another', cancel, page, { ...page, frequency: 'yearly' }, monthly),
  user('a page whose server was killed', cancel, killed, monthly),
  team('colleagues whom Clerk does not announce', join, [join, leave], leave, cancel, monthly),
  user(
    'another page than that of a killed server',
    cancel,
    { ...page, lost: { ...page, frequency: 'yearly' } },
    monthly,
  ),
  team(
    'the second of two seat changes in one second refunded, twice',
    [day, seats(6, 9)],
    refund(100),
    [day, seats(10, 14)],
    refund(100),
  ),
  user('ended while our clock is behind', half, [clock(-30), cancel], monthly, half, month),
  user(
    'acts of support around a refund, and a worker that dies in one of them',
    [purchase, adjust(2000)],
    [dying, adjust(4000)],
    [refund(50), replay],
    resync,
    all,
    adjust(-500),
    [month, resync],
  ),
  user(
    'refunds by support of credits that were used and of a plan’s month, with workers that die in them',
    [purchase, half],
    [dying, refundByUs(40)],
    [refund(10), refundByUs(30)],
    [dying, refundByUs(100, 1)],
    [refundByUs(100), drop],
    [dispute(), refundByUs(10)],
    [month, half],
    refundByUs(50),
  ),
  yearlyUser(
    'a year moved by a trial for which nothing is given back',
    month,
    month,
    moved(330, 'none'),
    half,
    month,
    half,
    month,
    days(300),
  ),
]

const others: readonly Regression[] = [
  user('usage before a renewal is heard, of all that there is', purchase, [month, all], [month, all]),
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
      pay,
      half,
    ),
  ]),
  failingUser(
    'a renewal that support voids, and the next one',
    purchase,
    half,
    [renewal(7200), half],
    { do: 'void_invoice' },
    card('pays'),
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
  user('old plan disputed under a new one', all, cancel, monthly, dispute(1), won),
  team('old team plan refunded under a new one', all, cancel, monthly, refund(50, 1)),
  yearlyUser('a year disputed over two months and won', half, dispute(), month, week, month, won, month),
  yearlyTeam('a year disputed over a month and lost', dispute(), month, lost),
  yearlyTeam('seats given up and taken again in a year', seats(8, 3), month, seats(6), month),
  team('seats added in a month, refunded, renewed', week, seats(9), half, refund(100), month),
  team('a renewal paid from a credit balance', { do: 'credit_balance', amount: 50_000 }, month, half),
  user('a plan disputed beside bought credits', purchase, all, dispute(1), half, won, month),
  user('a purchase refunded after use', purchase, all, refund(100), month, half),
  lived('a trial of 45 days', 'user', { ...trial, trial_days: 45 }, half, month, half, days(15), all),
  trialUser('a trial extended', half, { do: 'extend_trial', days: 40 }, month, half, month),
  lived('a trial that runs out unpaid', 'user', { ...trial, card: 'fails_later' }, half, month, month),
  failingTeam('paid after Stripe gave up, all used', all, month, days(20), pay, monthly),
  failingTeam('a renewal paid days late', half, month, half, pay, half),
  team('added seats paid late', week, card('fails_later'), seats(9), week, pay, month),
  user(
    'Pro whose place Teams takes after a part was refunded, and Pro again',
    week,
    refund(30),
    half,
    toTeams,
    refund(100),
    monthly,
    half,
    week,
    toTeams,
  ),
  failingUser('a renewal paid outside Stripe', month, day, { ...pay, outside_stripe: true }, half),
  team(
    'a coupon for three months, refunds and added seats',
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
  user('a plan that ends on a day within its period', half, { ...cancel, when: 'later' }, month),
  but(team('plans, seats and credits in pounds', seats(7), purchase, half, month, refund(50)), {
    currency: 'GBP',
  }),
  but(
    lived(
      'a team’s plan sold by hand for an open page, in another currency, and two pages after it',
      'team',
      { ...monthly, seats: 2, trial_days: 14 },
      deleteCustomer,
      { do: 'page', frequency: 'monthly', seats: 5, lost: { frequency: 'yearly', seats: 5 } },
      page,
    ),
    { is_sold_wrongly: true },
  ),
  user(
    'a first payment that is refused, of a plan whose metadata was removed, and another plan after it',
    cancel,
    [{ ...yearly, card: 'refused' }, loseMetadata, days(15)],
    monthly,
  ),
  user(
    'the billing anchor moved in the second of a renewal, and that renewal refunded',
    refund(100),
    [renewal(), anchored('always_invoice'), anchored('none'), month],
    refund(100, 1),
  ),
  lived(
    'the billing anchor moved without proration while the renewal is a draft, with usage before and after',
    'user',
    purchase,
    monthly,
    all,
    [renewal(20), half, anchored('none'), half],
    half,
    month,
    half,
  ),
  lived(
    'seats given up that are billed later, with others taken back in the same bill, of a year partly refunded',
    'team',
    { ...yearly, seats: 16 },
    days(24),
    refund(26),
    later(8),
    days(36),
    seats(10),
  ),
  team(
    'a month moved by a trial without proration while its renewal is a draft',
    half,
    [renewal(20), moved(40, 'none')],
    half,
    month,
  ),
  yearlyUser(
    'a year moved by a trial while its renewal is a draft, and refunded',
    [renewal(20), moved(204, 'always_invoice')],
    [all, refund(100)],
  ),
  yearlyTeam('seats added under a coupon of 100 %', week, free, seats(8), month),
  user('a paused collection', pause('void'), half, month, half, pause(null), month),
  user(
    'drafts that are kept while collection is paused over two renewals, and a renewal afterwards',
    purchase,
    pause('keep_as_draft'),
    half,
    month,
    half,
    month,
    half,
    pause(null),
    month,
    half,
  ),
  team(
    'a renewal that is given up while collection is paused, and paid afterwards',
    purchase,
    pause('mark_uncollectible'),
    half,
    month,
    half,
    pause(null),
    pay,
    half,
    month,
    half,
  ),
  team('a month becomes a year', all, days(10), frequency, month, half),
  yearlyTeam('a year becomes a month', days(40), half, frequency, month),
  team('the second in which the period ends', half, renewal(), seats(8), half),
  user('ended in the second of the renewal', half, [renewal(), cancel], monthly),
  yearlyUser('a plan whose metadata was removed', half, loseMetadata, month, refund(50), half),
  team('a plan that support made anew', half, anew(true), month, half, refund(100, 1)),
  user('a plan that support made by hand', half, anew(false), seats(2), month, half),
  but(
    team(
      'a plan in dollars that support made anew at another price',
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
  deletedLate('a person who is deleted before a renewal', 'user', monthly, half, renewal(-600)),
  deleted('an organization that is deleted with an overdue renewal', 'team', failing, half, month),
  user('a customer deleted at Stripe', half, deleteCustomer, monthly, half),
  user('a free purchase that Stripe never made', [{ do: 'claim_free' }], week, half),
  user('a refund whose events cannot be stored', purchase, [refund(50), { do: 'damage' }]),
  team('seats that were not seen', week, [hold('subscription'), seats(9)], week),
  team('a page of a team whose server was killed', cancel, killed, { ...killed, seats: 5 }, monthly),
  user('an inquiry, and the dispute that it becomes', inquiry, half, lost, half, won, half),
  user('an appeal that is won', half, dispute(), lost, { do: 'appeal' }, half, won, half),
  failingTeam('seats added while a renewal is unpaid', month, seats(9), week, pay, pay, half, month),
  failingTeam('seats given up while a renewal is unpaid', month, seats(2), pay, half),
  user('bought while our clock is behind', cancel, clock(-300), monthly, half, month),
  user('bought and ended while our clock is behind', cancel, [clock(-300), monthly, cancel]),
  user('a renewal while our clock is ahead', half, clock(300), renewal(), half, [clock(0), refund(50)]),
  yearlyTeam('a year’s month while our clock is behind', clock(-600), month, half, month, seats(8)),
  user('a month moved by a trial that is given back', half, week, moved(20, 'create_prorations'), month),
  user('a billing anchor moved without giving back', half, week, anchored('none'), all, month, month),
  yearlyTeam('seats given up that are billed later', month, later(2), month, all, month, days(330), all),
  yearlyTeam('seats added that are billed later', month, later(8), month, all, days(330)),
  yearlyTeam(
    'seats given up and taken back that are billed later',
    later(2, 5),
    month,
    later(7),
    month,
    seats(3),
    days(330),
  ),
  yearlyTeam('seats that change without a bill', month, unbilled(2), month, seats(6), month),
  team('an add-on beside the seats', extra, month, seats(8), month, extra, month),
]

/** Histories that once failed, or that were suspected to fail; they are always played. */
export const regressions: readonly Regression[] = [
  ...[...usual, ...usualHolds].map((one) => ({ ...one, isUsual: true })),
  ...others,
  ...holdRegressions,
]
