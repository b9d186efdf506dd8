import {
  availableOf,
  belongings,
  type Hold,
  type Life,
  leftOfMonths,
  openHolds,
  openMonth,
  type Reserved,
  spend,
  type Usage,
  type Used,
  usagesByMonth,
} from './model.ts'
import { leftByLimits } from './model-budgets.ts'

/** The rules of holds, like model.ts written only from the specification. Times are seconds since 1970. */

const day_s = 86_400
const openMax = 50

type Spender = Pick<Hold, 'by' | 'run'>

/** Why so many credits are refused: too little is available, or else a limit has too little left. */
export function refusalOf(
  life: Life,
  now: number,
  { credits, ...spender }: Spender & { credits: number },
): 'refused' | 'over_budget' | null {
  if (credits > availableOf(belongings(life, now))) return 'refused'
  return credits > leftByLimits(life, now, spender) ? 'over_budget' : null
}

/** What a reservation gets of what is available and its limits leave, and of the plan; or why it is refused. */
export function reserve(
  life: Life,
  now: number,
  asked: Spender & { credits: number; at_least: number },
): { credits: number; plan: number } | 'too_many' | 'refused' | 'over_budget' {
  if (openHolds(life, now).filter(({ by }) => by === asked.by).length >= openMax) return 'too_many'
  const refusal = refusalOf(life, now, { ...asked, credits: asked.at_least })
  if (refusal) return refusal
  const funds = belongings(life, now)
  const credits = Math.min(asked.credits, availableOf(funds), leftByLimits(life, now, asked))
  return { credits, plan: spend(funds, credits)?.plan ?? 0 }
}

/** A hold of an operator's key is that key's alone, which need not name the person; any other is its person's. */
export function isTheirs(hold: Hold, asker: Pick<Hold, 'by' | 'key'>): boolean {
  return hold.key === asker.key && (asker.key !== null || hold.by === asker.by)
}

export type HoldAsk =
  | {
      readonly do: 'settle'
      readonly credits: number
      /** Where it is told by tokens: in thousandths, in place of the credits. */
      readonly cost_thousandths: number | undefined
      readonly failed: boolean
    }
  | { readonly do: 'release' }
  | { readonly do: 'extend'; readonly lasting_s: number }

/** What was said when the hold was settled. */
export interface Settled {
  readonly credits: number
  readonly cost_thousandths: number | undefined
  readonly failed: boolean
  readonly charged: number
}

export interface HoldAnswer {
  /** Done, done before, or the state that does not allow it. */
  readonly outcome: 'posted' | 'replayed' | 'settled' | 'released' | 'expired' | 'not_found'
  readonly charged: number
  /** What it takes: up to what was reserved, and what is above that or late, as of now. */
  readonly reserved: Usage | null
  readonly now: Usage | null
  readonly life: Life
}

export function answerTo(
  life: Life,
  {
    hold,
    settled,
    ask,
    asker,
    now,
  }: {
    hold: Hold
    settled: Settled | undefined
    ask: HoldAsk
    asker: Pick<Hold, 'by' | 'key'>
    now: number
  },
): HoldAnswer {
  const state = hold.state === 'open' && now >= hold.expires_at ? 'expired' : hold.state
  const refusal = (outcome: HoldAnswer['outcome']) => ({
    outcome,
    charged: settled?.charged ?? 0,
    reserved: null,
    now: null,
    life,
  })
  if (!isTheirs(hold, asker)) return { ...refusal('not_found'), charged: 0 }
  if (ask.do === 'settle' && settled) {
    const costs = [settled, ask].map((one) => one.cost_thousandths ?? 1000 * one.credits)
    return refusal(costs[0] === costs[1] && settled.failed === ask.failed ? 'replayed' : 'settled')
  }
  const by_tokens = (ask.do === 'settle' && ask.cost_thousandths) || 0
  const credits = ask.do === 'settle' ? wholeOf(life, ask) : 0
  if (ask.do === 'release' && state === 'released') return refusal('replayed')
  if (ask.do === 'settle' && state === 'expired' && now <= hold.expires_at + day_s) {
    const taken = takeNow(life, { ...hold, credits, by_tokens }, now)
    const changed = withHold(taken.life, { ...hold, state: 'settled_late' })
    return { outcome: 'posted', charged: taken.charged, reserved: null, now: taken.usage, life: changed }
  }
  if (state !== 'open') return refusal(state === 'settled_late' ? 'settled' : state)
  if (ask.do === 'extend') {
    const until = Math.min(now + ask.lasting_s, hold.opened_at + day_s)
    const changed = withHold(life, { ...hold, expires_at: Math.max(hold.expires_at, until) })
    return { ...refusal('posted'), life: changed }
  }
  if (ask.do === 'release')
    return { ...refusal('posted'), life: withHold(life, { ...hold, state: 'released' }) }
  const reserved = takeReserved(life, { hold, credits, by_tokens, now })
  const above = takeNow(reserved.life, { ...hold, credits: credits - reserved.charged, by_tokens: 0 }, now)
  return {
    outcome: 'posted',
    charged: reserved.charged + above.charged,
    reserved: reserved.usage,
    now: above.usage,
    life: above.life,
  }
}

/** By how much what all that was told by tokens cost together, in whole credits, grows. */
function wholeOf(life: Life, { credits, cost_thousandths }: Pick<Settled, 'credits' | 'cost_thousandths'>) {
  if (cost_thousandths === undefined) return credits
  const before = costByTokens(life)
  return Math.floor((before + cost_thousandths) / 1000) - Math.floor(before / 1000)
}

/** In thousandths of a credit. */
export function costByTokens({ spending }: Life): number {
  return spending.used.reduce((sum, { by_tokens }) => sum + by_tokens, 0)
}

interface Taken {
  readonly charged: number
  readonly usage: Usage | null
  readonly life: Life
}

/**
 * What was reserved is never refused, and is what a usage would have taken when the hold was opened: usage of
 * that time, and of the month in which it was opened when that is over.
 */
function takeReserved(
  life: Life,
  { hold, credits, by_tokens, now }: { hold: Hold; credits: number; by_tokens: number; now: number },
): Taken {
  const charged = Math.min(credits, hold.credits)
  const freed = withHold(life, { ...hold, state: 'settled' })
  const plan = Math.min(charged, hold.plan)
  const usage = { ...whenHeld(hold, latestMonth(life, now)), plan, purchased: charged - plan }
  const used = withUsage(freed, { ...usage, at: hold.opened_at }, { ...hold, by_tokens })
  return { charged, usage: charged === 0 ? null : usage, life: used }
}

function withUsage(
  life: Life,
  usage: Usage & { readonly at: number },
  { by, run, by_tokens }: Spender & Pick<Used, 'by_tokens'>,
): Life {
  const credits = usage.plan + usage.purchased
  const used: Used = { at: usage.at, by, run: run?.id ?? null, credits, by_tokens }
  return {
    ...life,
    usages: credits === 0 ? life.usages : [...life.usages, usage],
    spending: { ...life.spending, used: [...life.spending.used, used] },
  }
}

/**
 * When a settlement occurred: when its hold was opened, like a usage of then. One that outlives its month is of
 * that month, also where the clock was ahead and another plan's month has begun at Stripe before it was opened.
 * `latest` is the latest month that was known.
 */
export function whenHeld({ opened_at, outlives }: Hold, latest: string | null) {
  return outlives === null
    ? { at: opened_at, month: latest }
    : { at: opened_at, of: outlives, month: outlives }
}

/** As far as it is available and its limits leave it. */
function takeNow(life: Life, asked: Spender & Pick<Used, 'credits' | 'by_tokens'>, now: number): Taken {
  const funds = belongings(life, now)
  const charged = Math.min(asked.credits, availableOf(funds), leftByLimits(life, now, asked))
  const taken = spend(funds, charged)
  if (charged <= 0 || !taken) return { charged: 0, usage: null, life }
  const usage = { ...taken, at: now, month: latestMonth(life, now) }
  return { charged, usage, life: withUsage(life, usage, asked) }
}

function latestMonth(life: Life, now: number): string | null {
  return openMonth(life, now)?.name ?? null
}

export function withHold(life: Life, changed: Hold): Life {
  const holds = life.reserved.holds.map((hold) => (hold.id === changed.id ? changed : hold))
  return { ...life, reserved: { ...life.reserved, holds } }
}

/**
 * What a month's end means for holds: those that were opened in it and are open outlive it. A hold belongs to
 * the latest month that had begun when it was opened.
 */
export function outliving(life: Life, now: number): Reserved {
  const months = knownMonths(life, now)
  const open = openHolds(life, now)
  const holds = life.reserved.holds.map((hold): Hold => {
    const own = months.findLast(({ starts_at }) => starts_at <= hold.opened_at)
    const isEnding = own?.is_over === true && !life.reserved.over.includes(own.name)
    return isEnding && open.includes(hold) ? { ...hold, outlives: own.name } : hold
  })
  return { ...life.reserved, holds }
}

/** The months that are over: what they closed with stays so, but for their holds. */
export function monthsOver(life: Life, now: number): string[] {
  const over = knownMonths(life, now).filter((month) => month.is_over)
  return [...new Set([...life.reserved.over, ...over.map(({ name }) => name)])]
}

function knownMonths(life: Life, now: number) {
  const usages = usagesByMonth(life, now)
  return life.subscriptions
    .flatMap((subscription) => leftOfMonths(subscription, usages, now))
    .toSorted((a, b) => a.starts_at - b.starts_at)
}

/** What an editor reported and was told. */
export interface Report extends Used {
  readonly editor: string
  readonly model: string | null
  readonly requests: number
  readonly failed: number
}

/** By the UTC day on which it occurred, editor and model. */
export function sumsOf(reports: readonly Omit<Report, 'by' | 'run' | 'by_tokens'>[]): string[] {
  const groups = Map.groupBy(reports, ({ at, editor, model }) =>
    [new Date(at * 1000).toISOString().slice(0, 10), editor, model ?? '-'].join(' '),
  )
  const total = (all: typeof reports, figure: 'requests' | 'failed' | 'credits') =>
    all.reduce((sum, report) => sum + report[figure], 0)
  return [...groups]
    .map(
      ([group, all]) =>
        `${group}: ${total(all, 'requests')} requests, ${total(all, 'failed')} failed, ${total(all, 'credits')} credits`,
    )
    .toSorted()
}
