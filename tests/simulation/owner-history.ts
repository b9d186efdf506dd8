import * as fc from 'fast-check'
import { type Mishap, mishap } from './mishaps.ts'
import type { Budget } from './model.ts'

export interface PlannedPlan {
  readonly do: 'plan'
  readonly frequency: 'monthly' | 'yearly'
  readonly seats: number
  /** For an owner who never had a plan and is no team; 0 for none. */
  readonly trial_days: number
  /** `fails_later` fails at renewals; `refused` passes Checkout, and the first payment fails. */
  readonly card: 'pays' | 'fails_later' | 'refused'
}

type PlanTerms = Pick<PlannedPlan, 'frequency' | 'seats'>

export interface PlannedPage extends PlanTerms {
  readonly do: 'page'
  /** A request just before, to a server that was killed before it answered. */
  readonly lost: PlanTerms | null
}

/** Acts on money at Stripe, which Stripe may refuse by then. */
export const planActs = ['end_plan', 'end_plan_later', 'pay_invoice', 'void_invoice'] as const
export type PlanAct = (typeof planActs)[number]

export interface PlannedAct {
  readonly do: 'support'
  readonly act: 'adjust' | 'resync' | 'replay' | PlanAct
  readonly credits: number
}

export type Currency = 'EUR' | 'USD' | 'GBP'

/** Whether Stripe invoices a change at once, later, or not at all. */
export type Proration = 'always_invoice' | 'create_prorations' | 'none'

/** Credits, or a share of what is available; of a settlement, of what is held. */
export type Amount = number | { readonly percent: number }

/** What an editor asks; `times` is 2 where its answer is lost. `hold` counts from the latest one. */
export type HoldStep =
  | {
      readonly do: 'hold'
      readonly amount: Amount
      /** Percent of it that are enough. */
      readonly at_least?: number | null
      readonly minutes: number
      readonly parallel?: number
      readonly editor: number
      /** Which of the operator's keys asks for the person. */
      readonly key?: number | null
      /** One of a few, and its limit. */
      readonly run?: { readonly id: number; readonly limit: Amount } | null
      readonly times: number
    }
  | {
      readonly do: 'settle'
      readonly hold: number
      readonly amount: Amount
      /** By tokens: beside the amount. */
      readonly thousandths?: number | null
      readonly failed: boolean
      readonly times: number
      readonly by?: Asker
    }
  | { readonly do: 'release'; readonly hold: number; readonly times: number; readonly by?: Asker }
  | {
      readonly do: 'extend'
      readonly hold: number
      readonly minutes: number
      readonly times: number
      readonly by?: Asker
    }
  /** Sets a limit, or removes it. A person's is `own`, whatever it says. `for_period` raises it for that alone. */
  | {
      readonly do: 'budget'
      readonly scope: 'organization' | 'member_default' | 'member'
      readonly editor: number
      readonly limit: Amount | null
      readonly period: Budget['period']
      readonly for_period?: boolean
    }
  /** A request that cost nothing. */
  | { readonly do: 'fail'; readonly editor: number; readonly times: number }

/** Who asks about a hold: who opened it, or one of the operator's keys, its person without one, or a stranger. */
export type Asker = 'opener' | 'person' | 'stranger' | number

export function isHoldStep(step: OwnerStep): step is HoldStep {
  return ['hold', 'settle', 'release', 'extend', 'fail', 'budget'].includes(step.do)
}

/** One thing that happens. `payment` counts the owner's payments from the latest one, modulo their number. */
export type OwnerStep =
  | Mishap
  | PlannedPlan
  | PlannedPage
  | PlannedAct
  | { readonly do: 'purchase'; readonly credits: number }
  | { readonly do: 'use'; readonly percent: number; readonly reports: number }
  | HoldStep
  | { readonly do: 'days'; readonly days: number }
  | { readonly do: 'minutes'; readonly minutes: number }
  /**
   * To the second in which the period ends, or a little later: then its renewal may be a draft. Below zero it
   * is before that, so that holds are open at the end.
   */
  | { readonly do: 'period_end'; readonly after_s: number }
  /** One change after the other, in one second as a rule. */
  | { readonly do: 'seats'; readonly numbers: readonly number[]; readonly proration: Proration }
  /** At Stripe's dashboard, or in our console. */
  | {
      readonly do: 'refund'
      readonly payment: number
      readonly percent: number
      readonly by?: 'dashboard' | 'support'
    }
  /** Lost when we do not answer in time. An inquiry takes no money yet. */
  | {
      readonly do: 'dispute'
      readonly payment: number
      readonly percent: number
      readonly answered: boolean
      readonly is_inquiry: boolean
    }
  /** An inquiry that is lost becomes a dispute. */
  | { readonly do: 'close_dispute'; readonly outcome: 'won' | 'lost' }
  | { readonly do: 'appeal' }
  /** `later` is a day within the period or after it. */
  | { readonly do: 'cancel'; readonly when: 'now' | 'period_end' | 'later' }
  | { readonly do: 'card'; readonly card: 'pays' | 'fails_later' }
  /** An invoice that is open is paid after all, with a card that pays. */
  | { readonly do: 'pay_invoice'; readonly outside_stripe?: boolean }
  /**
   * A part of it, or of a renewal that the card refuses, with a payment of its own; the rest is paid at once,
   * or stays open.
   */
  | { readonly do: 'pay_part'; readonly percent: number; readonly rest: boolean }
  /** Support forgives a part of what is open, with a credit note. */
  | { readonly do: 'forgive'; readonly percent: number }
  /** The bank sends the latest refund back. */
  | { readonly do: 'fail_refund' }
  /** Support voids an invoice that is open, at Stripe's dashboard. */
  | { readonly do: 'void_invoice' }
  /** A customer does it on Stripe's page, where a change to monthly waits; support at once. */
  | { readonly do: 'frequency'; readonly by?: 'customer' | 'support' }
  | { readonly do: 'end_trial' }
  | { readonly do: 'extend_trial'; readonly days: number }
  | { readonly do: 'anchor'; readonly proration: Proration }
  /** A trial in the middle of a plan that is paid for. */
  | { readonly do: 'move_by_trial'; readonly days: number; readonly proration: Proration }
  /** Another item beside the plan, or its removal. */
  | { readonly do: 'add_on'; readonly quantity: number }
  | { readonly do: 'coupon'; readonly percent?: number; readonly duration?: 'once' | 'repeating' }
  | { readonly do: 'credit_balance'; readonly amount: number }
  | { readonly do: 'manual_items'; readonly count: number; readonly amount: number }
  | { readonly do: 'pause'; readonly behavior: 'void' | 'keep_as_draft' | 'mark_uncollectible' | null }
  | { readonly do: 'delete_customer' }
  /** A person at Stripe's dashboard removes the metadata of the latest subscription. */
  | { readonly do: 'lose_metadata' }
  /** They cancel it, and make another one by hand, with its metadata or without. */
  | { readonly do: 'make_anew'; readonly with_metadata: boolean; readonly at_other_price?: boolean }
  | { readonly do: 'join_team' }
  | { readonly do: 'leave_team' }
  | { readonly do: 'return' }
  /** A person buys Teams in place of their own plan, and ends it again when that is over. */
  | { readonly do: 'to_teams' }
  /** Our clock is so far ahead of Stripe's from then on; below zero it is behind. */
  | { readonly do: 'set_clock'; readonly ahead_s: number }
  /** Pending events arrive while Stripe does not answer. */
  | { readonly do: 'outage'; readonly hours: number }
  /** Pending events arrive, and for so long each try dies with its worker, or its job is lost. */
  | { readonly do: 'lose_jobs'; readonly hours: number }
  /** The worker's fetch is answered now, but its answer arrives after the rest of the turn. */
  | { readonly do: 'hold_answer'; readonly of: 'subscription' | 'charge' }
  /** Pending events arrive in a form that cannot be stored. */
  | { readonly do: 'damage' }
  /** A caller who has our webhook's secret claims that a purchase was free. */
  | { readonly do: 'claim_free' }
  /** Some of the events that have not arrived yet do. */
  | { readonly do: 'deliver'; readonly share: number }
  /** Earlier events arrive again. */
  | { readonly do: 'redeliver'; readonly share: number }
  /** Drops some undelivered events for good; when `late`, Stripe's list lacks them at first too. */
  | { readonly do: 'drop'; readonly share: number; readonly late: boolean }

export type Kind = OwnerStep['do']

/** What happens before the owner's books are compared, and how its events arrive. */
export interface Turn {
  readonly steps: readonly OwnerStep[]
  readonly order: 'sent' | 'reversed' | 'shuffled'
  readonly times: number
}

export interface OwnerHistory {
  readonly owner: 'user' | 'team'
  /** In which they buy; euros when it is not said. */
  readonly currency?: Currency
  /** At first a person at Stripe's dashboard sells their open page by hand: see `sellWrongly`. */
  readonly is_sold_wrongly?: boolean
  readonly turns: readonly Turn[]
  /** After the last turn the person closes their account, or deletes the team's organization. */
  readonly is_deleted: boolean
  /** Seconds until we hear of that; 0 when it is not said. */
  readonly heard_late_s?: number
}

const percent = fc.integer({ min: 1, max: 100 })
const payment = fc.nat({ max: 5 })
const share = fc.double({ min: 0.1, max: 1, noNaN: true })
const seats = fc.integer({ min: 1, max: 20 })
const card = fc.constantFrom('pays' as const, 'pays' as const, 'fails_later' as const)

const frequency = fc.constantFrom('monthly' as const, 'monthly', 'yearly')
const firstPlan: fc.Arbitrary<PlannedPlan> = fc.record({
  do: fc.constant('plan'),
  frequency,
  seats,
  trial_days: fc.constantFrom(0, 0, 14, 45),
  card,
})
const plan: fc.Arbitrary<PlannedPlan> = fc.record({
  do: fc.constant('plan'),
  frequency,
  seats,
  trial_days: fc.constant(0),
  card: fc.oneof({ weight: 3, arbitrary: card }, { weight: 1, arbitrary: fc.constant('refused') }),
})

function step<const K extends Kind, F extends object>(kind: K, weight: number, fields: fc.Arbitrary<F>) {
  return { kind, weight, arbitrary: fields.map((made) => ({ do: kind, ...made })) }
}

const nothing = fc.constant({})
const editor = fc.nat({ max: 1 })
const times = fc.constantFrom(1, 1, 2)
const by = fc.constantFrom<Asker[]>(...Array<Asker>(16).fill('opener'), 'person', 'stranger', 0, 1)
const proration = fc.constantFrom<Proration[]>(
  'always_invoice',
  'always_invoice',
  'create_prorations',
  'none',
)
const planTerms = { frequency, seats: fc.constantFrom(1, 5) }

const steps = [
  { kind: 'plan', weight: 3, arbitrary: plan },
  step('purchase', 2, fc.record({ credits: fc.integer({ min: 71, max: 2000 }) })),
  step('use', 6, fc.record({ percent: fc.integer({ min: 1, max: 120 }), reports: fc.constantFrom(1, 1, 2) })),
  step(
    'days',
    7,
    fc.record({
      days: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: 1, max: 40 }) },
        { weight: 1, arbitrary: fc.integer({ min: 100, max: 400 }) },
      ),
    }),
  ),
  step('period_end', 2, fc.record({ after_s: fc.constantFrom(0, 0, 20, 1800, 3660, 7200, -600) })),
  step(
    'hold',
    4,
    fc.record({
      amount: fc.record({ percent: fc.integer({ min: 1, max: 110 }) }),
      at_least: fc.constantFrom(null, null, 1, 80),
      minutes: fc.constantFrom(1, 15, 60, 24 * 60, 24 * 60),
      editor,
      key: fc.constantFrom(null, null, 0, 1),
      run: fc.option(
        fc.record({ id: fc.nat({ max: 1 }), limit: fc.record({ percent: fc.integer({ min: 1, max: 60 }) }) }),
        { freq: 3, nil: null },
      ),
      times,
    }),
  ),
  step(
    'settle',
    8,
    fc.record({
      hold: fc.nat({ max: 4 }),
      amount: fc.record({ percent: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constantFrom(0, 100)) }),
      thousandths: fc.constantFrom(null, 0, 500, 999, 999),
      failed: fc.constantFrom(false, false, false, true),
      times,
      by,
    }),
  ),
  step(
    'budget',
    8,
    fc.record({
      scope: fc.constantFrom('organization' as const, 'member_default', 'member'),
      editor,
      limit: fc.option(fc.record({ percent: fc.integer({ min: 0, max: 100 }) }), { freq: 6, nil: null }),
      period: fc.constantFrom('day' as const, 'day', 'month', 'billing_month'),
      for_period: fc.constantFrom(false, false, true),
    }),
  ),
  step('release', 1, fc.record({ hold: fc.nat({ max: 4 }), times, by })),
  step(
    'extend',
    1,
    fc.record({ hold: fc.nat({ max: 4 }), minutes: fc.constantFrom(15, 60, 24 * 60), times, by }),
  ),
  step('fail', 1, fc.record({ editor, times })),
  step('minutes', 2, fc.record({ minutes: fc.constantFrom(1, 14, 16, 90, 600) })),
  step('seats', 4, fc.record({ numbers: fc.array(seats, { minLength: 1, maxLength: 3 }), proration })),
  step(
    'refund',
    4,
    fc.record({
      payment,
      percent: fc.oneof(percent, fc.constant(100)),
      by: fc.constantFrom('dashboard' as const, 'support'),
    }),
  ),
  step(
    'dispute',
    2,
    fc.record({
      payment,
      percent: fc.oneof(percent, fc.constant(100)),
      answered: fc.boolean(),
      is_inquiry: fc.constantFrom(false, false, true),
    }),
  ),
  step('close_dispute', 2, fc.record({ outcome: fc.constantFrom('won' as const, 'won', 'lost') })),
  step('appeal', 1, nothing),
  step('cancel', 2, fc.record({ when: fc.constantFrom('now' as const, 'period_end', 'later') })),
  step('card', 1, fc.record({ card })),
  step('pay_invoice', 2, fc.record({ outside_stripe: fc.constantFrom(false, false, true) })),
  step('pay_part', 4, fc.record({ percent, rest: fc.boolean() })),
  step('forgive', 1, fc.record({ percent })),
  step('fail_refund', 1, nothing),
  step('void_invoice', 1, nothing),
  step('frequency', 1, fc.record({ by: fc.constantFrom('customer' as const, 'customer', 'support') })),
  step('to_teams', 1, nothing),
  step('end_trial', 1, nothing),
  step('extend_trial', 1, fc.record({ days: fc.integer({ min: 1, max: 60 }) })),
  step('anchor', 1, fc.record({ proration })),
  step('move_by_trial', 1, fc.record({ days: fc.integer({ min: 1, max: 400 }), proration })),
  step('add_on', 1, fc.record({ quantity: fc.constantFrom(1, 50) })),
  step(
    'coupon',
    1,
    fc.record({
      percent: fc.constantFrom(100, 100, 30),
      duration: fc.constantFrom('once' as const, 'repeating'),
    }),
  ),
  step('credit_balance', 1, fc.record({ amount: fc.integer({ min: 1, max: 50_000 }) })),
  step(
    'manual_items',
    1,
    fc.record({ count: fc.constantFrom(1, 2, 12), amount: fc.integer({ min: 50, max: 5000 }) }),
  ),
  step(
    'pause',
    1,
    fc.record({ behavior: fc.constantFrom('void' as const, 'keep_as_draft', 'mark_uncollectible', null) }),
  ),
  step('delete_customer', 1, nothing),
  step('lose_metadata', 1, nothing),
  step('make_anew', 1, fc.record({ with_metadata: fc.boolean(), at_other_price: fc.boolean() })),
  step('join_team', 2, nothing),
  step('leave_team', 1, nothing),
  step('page', 2, fc.record({ ...planTerms, lost: fc.option(fc.record(planTerms), { freq: 2, nil: null }) })),
  step('hold_answer', 2, fc.record({ of: fc.constantFrom('subscription' as const, 'charge') })),
  step('lose_jobs', 1, fc.record({ hours: fc.integer({ min: 4, max: 6 }) })),
  step('outage', 1, fc.record({ hours: fc.integer({ min: 2, max: 20 }) })),
  step(
    'set_clock',
    5,
    fc.record({
      ahead_s: fc.oneof(fc.integer({ min: -600, max: 600 }), fc.constantFrom(-60, -5, -1, 0, 1)),
    }),
  ),
  step('return', 1, nothing),
  step('claim_free', 1, nothing),
  step(
    'support',
    2,
    fc.record({
      act: fc.constantFrom('adjust' as const, 'adjust', 'resync', 'replay', ...planActs),
      credits: fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: -600, max: -1 })),
    }),
  ),
  step('deliver', 3, fc.record({ share })),
  step('redeliver', 2, fc.record({ share })),
  step('drop', 2, fc.record({ share, late: fc.boolean() })),
  step('damage', 1, nothing),
] satisfies readonly { kind: Kind; weight: number; arbitrary: fc.Arbitrary<OwnerStep> }[]

const mishapKinds = [
  'crash_worker',
  'crash_server',
  'lose_enqueues',
  'lose_queues',
  'break_stripe',
] as const satisfies readonly Kind[]
const allKinds: readonly Kind[] = [...steps.map(({ kind }) => kind), ...mishapKinds]

/** The kinds of steps, or those in SIMULATION_KINDS, or all but those with a minus (`-drop,-anchor`). */
export function enabledKinds(wish = process.env.SIMULATION_KINDS ?? ''): ReadonlySet<Kind> {
  const named = wish.split(',').filter(Boolean)
  const unknown = named.filter((name) => !allKinds.some((kind) => kind === name.replace(/^-/, '')))
  if (unknown.length > 0) throw new Error(`SIMULATION_KINDS: unknown ${unknown}, known ${allKinds}`)
  const only = named.filter((name) => !name.startsWith('-'))
  return new Set(
    allKinds.filter(
      (kind) => !named.includes(`-${kind}`) && (only.length === 0 || only.includes(kind) || kind === 'plan'),
    ),
  )
}

/** Themes limit the kinds in a history, so that related kinds meet; mishaps and clocks belong to all. */
const themes: readonly (readonly Kind[])[] = [
  allKinds,
  ['plan', 'purchase', 'use', 'cancel', 'refund', 'dispute', 'close_dispute', 'appeal'],
  ['plan', 'page', 'cancel', 'days', 'purchase', 'delete_customer', 'outage', 'lose_jobs'],
  ['seats', 'days', 'use', 'refund', 'dispute', 'close_dispute', 'hold_answer'],
  ['seats', 'days', 'use', 'join_team', 'leave_team', 'cancel', 'plan'],
  [
    'days',
    'use',
    'frequency',
    'anchor',
    'move_by_trial',
    'end_trial',
    'extend_trial',
    'period_end',
    'refund',
  ],
  ['frequency', 'period_end', 'days', 'use', 'seats', 'purchase', 'cancel', 'card', 'to_teams'],
  ['to_teams', 'plan', 'use', 'days', 'frequency', 'refund', 'dispute', 'close_dispute', 'fail_refund'],
  ['days', 'use', 'seats', 'anchor', 'move_by_trial', 'add_on', 'period_end', 'refund'],
  [
    'days',
    'period_end',
    'use',
    'card',
    'pay_invoice',
    'pay_part',
    'forgive',
    'void_invoice',
    'seats',
    'pause',
    'cancel',
    'plan',
    'refund',
  ],
  ['period_end', 'use', 'purchase', 'card', 'pay_invoice', 'deliver', 'drop', 'refund', 'cancel'],
  ['period_end', 'use', 'card', 'pay_part', 'forgive', 'refund', 'fail_refund', 'dispute', 'close_dispute'],
  ['pay_part', 'use', 'refund'],
  ['days', 'use', 'coupon', 'credit_balance', 'manual_items', 'seats', 'refund', 'delete_customer', 'plan'],
  ['purchase', 'refund', 'fail_refund', 'use', 'claim_free', 'return', 'deliver', 'redeliver', 'drop'],
  ['purchase', 'refund', 'cancel', 'plan', 'hold_answer', 'outage', 'lose_jobs', 'damage'],
  ['lose_metadata', 'make_anew', 'days', 'use', 'seats', 'refund', 'cancel', 'plan', 'support', 'drop'],
  ['support', 'purchase', 'refund', 'use', 'days', 'cancel', 'plan', 'deliver'],
  ['hold', 'settle', 'release', 'extend', 'fail', 'minutes', 'use', 'purchase', 'period_end'],
  ['budget', 'hold', 'settle', 'release', 'minutes', 'use', 'purchase'],
  ['budget', 'hold', 'settle', 'use', 'days', 'anchor', 'cancel', 'plan', 'period_end'],
  [
    'hold',
    'settle',
    'minutes',
    'period_end',
    'purchase',
    'refund',
    'dispute',
    'close_dispute',
    'cancel',
    'plan',
  ],
]
const everywhere: readonly Kind[] = ['deliver', 'redeliver', 'drop', 'damage', 'hold_answer', 'set_clock']

/** An owner's life: a plan, then whatever happens, in turns after each of which the books must be right. */
export function ownerHistory(kinds: ReadonlySet<Kind>): fc.Arbitrary<OwnerHistory> {
  // Of a wish for some kinds, the themes that are about them.
  const wished = themes.filter((theme) => 2 * theme.filter((kind) => kinds.has(kind)).length >= theme.length)
  return fc.oneof(
    ...(wished.length > 0 ? wished : themes).map((theme) =>
      historyOf((kind) => kinds.has(kind) && theme.includes(kind), kinds),
    ),
  )
}

function historyOf(isInTheme: (kind: Kind) => boolean, kinds: ReadonlySet<Kind>): fc.Arbitrary<OwnerHistory> {
  const arbitrariesOf = (isChosen: (kind: Kind) => boolean) =>
    steps.filter(({ kind }) => isChosen(kind)) as { weight: number; arbitrary: fc.Arbitrary<OwnerStep> }[]
  const faults = arbitrariesOf((kind) => kinds.has(kind) && everywhere.includes(kind))
  if (mishapKinds.some((kind) => kinds.has(kind)))
    faults.push({ weight: 8, arbitrary: mishap.filter(({ do: kind }) => kinds.has(kind)) })
  const chosen = arbitrariesOf(isInTheme)
  const step = fc.oneof(
    ...(chosen.length > 0 ? [{ weight: 6, arbitrary: fc.oneof(...chosen) }] : []),
    ...(faults.length > 0 ? [{ weight: 1, arbitrary: fc.oneof(...faults) }] : []),
    { weight: chosen.length + faults.length > 0 ? 0 : 1, arbitrary: plan as fc.Arbitrary<OwnerStep> },
  )
  const arrival = {
    order: fc.constantFrom('sent' as const, 'reversed' as const, 'shuffled' as const),
    times: fc.integer({ min: 1, max: 3 }),
  }
  const turn: fc.Arbitrary<Turn> = fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
    ...arrival,
  })
  return fc
    .record({
      owner: fc.constantFrom('user' as const, 'team' as const),
      currency: fc.constantFrom<Currency[]>('EUR', 'EUR', 'USD', 'GBP'),
      first: fc.record({ steps: fc.tuple(firstPlan), ...arrival }),
      turns: fc.array(turn, { minLength: 2, maxLength: 8, size: 'large' }),
      is_deleted: fc.boolean(),
      heard_late_s: fc.constantFrom(0, 3600, 3 * 86_400),
      is_sold_wrongly: fc.constantFrom(...Array<boolean>(7).fill(false), true),
    })
    .map(({ first, turns, ...history }) => ({ ...history, turns: [first, ...turns] }))
}
