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
  usagesByMonth,
} from './model.ts'

/** The rules of holds, like model.ts written only from the specification. Times are seconds since 1970. */

const day_s = 86_400
const openMax = 50

/** What a reservation gets of what is available; null when it is refused. */
export function reserve(
  life: Life,
  now: number,
  asked: { credits: number; at_least: number },
): number | null {
  const available = availableOf(belongings(life, now))
  if (openHolds(life, now).length >= openMax || available < asked.at_least) return null
  return Math.min(asked.credits, available)
}

export type HoldAsk =
  | { readonly do: 'settle'; readonly credits: number; readonly failed: boolean }
  | { readonly do: 'release' }
  | { readonly do: 'extend'; readonly lasting_s: number }

/** What was said when the hold was settled. */
export interface Settled {
  readonly credits: number
  readonly failed: boolean
  readonly charged: number
}

export interface HoldAnswer {
  /** Done, done before, or the state that does not allow it. */
  readonly outcome: 'posted' | 'replayed' | 'settled' | 'released' | 'expired'
  readonly charged: number
  /** What it takes: up to what was reserved, and what is above that or late, as of now. */
  readonly reserved: Usage | null
  readonly now: Usage | null
  readonly life: Life
}

export function answerTo(
  life: Life,
  { hold, settled, ask, now }: { hold: Hold; settled: Settled | undefined; ask: HoldAsk; now: number },
): HoldAnswer {
  const state = hold.state === 'open' && now >= hold.expires_at ? 'expired' : hold.state
  const refusal = (outcome: HoldAnswer['outcome']) => ({
    outcome,
    charged: settled?.charged ?? 0,
    reserved: null,
    now: null,
    life,
  })
  if (ask.do === 'settle' && settled) {
    return refusal(settled.credits === ask.credits && settled.failed === ask.failed ? 'replayed' : 'settled')
  }
  if (ask.do === 'release' && state === 'released') return refusal('replayed')
  if (ask.do === 'settle' && state === 'expired' && now <= hold.expires_at + day_s) {
    const taken = takeNow(life, ask.credits, now)
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
  const reserved = takeReserved(life, { hold, credits: ask.credits, now })
  const above = takeNow(reserved.life, ask.credits - reserved.charged, now)
  return {
    outcome: 'posted',
    charged: reserved.charged + above.charged,
    reserved: reserved.usage,
    now: above.usage,
    life: above.life,
  }
}

interface Taken {
  readonly charged: number
  readonly usage: Usage | null
  readonly life: Life
}

/**
 * What was reserved is never refused. It is usage of the time at which the hold was opened: of a month that
 * is over it takes the rest, then bought credits, then those of the month that follows; that one's go first
 * where it was opened in it.
 */
function takeReserved(
  life: Life,
  { hold, credits, now }: { hold: Hold; credits: number; now: number },
): Taken {
  const charged = Math.min(credits, hold.credits)
  const { plan, purchased, kept } = belongings(life, now)
  const free = Math.max(0, plan - kept)
  const rest = life.reserved.kept.find(({ month }) => hold.is_kept && month === hold.month)?.credits ?? 0
  const ofMonth = Math.min(charged, rest, Math.max(0, plan))
  const follows = openMonth(life, now)
  const isOfNew = follows !== null && hold.opened_at >= Math.min(...follows.begins)
  const bought = hold.is_kept && !isOfNew ? Math.max(0, purchased) : 0
  const ofPlan = Math.min(free, Math.max(0, charged - ofMonth - bought))
  const usage = {
    at: hold.is_kept ? null : hold.opened_at,
    month: latestMonth(life, now),
    plan: ofPlan + ofMonth,
    purchased: charged - ofMonth - ofPlan,
  }
  const freed = withHold(life, { ...hold, state: 'settled' })
  if (charged === 0) return { charged, usage: null, life: freed }
  return { charged, usage, life: takenOf(freed, { hold, ofMonth, usage }) }
}

/** A settlement's usage, of which the hold's own month pays a part. */
export function takenOf(
  life: Life,
  { hold, ofMonth, usage }: { hold: Hold; ofMonth: number; usage: Usage },
): Life {
  const kept = life.reserved.kept.map((one) =>
    hold.is_kept && one.month === hold.month ? { ...one, credits: one.credits - ofMonth } : one,
  )
  const own = { at: null, month: hold.month, plan: ofMonth, purchased: 0 }
  return {
    ...life,
    usages: [...life.usages, own, { ...usage, plan: usage.plan - ofMonth }],
    reserved: { ...life.reserved, kept },
  }
}

/** As far as it is available. */
function takeNow(life: Life, credits: number, now: number): Taken {
  const funds = belongings(life, now)
  const charged = Math.min(credits, Math.max(0, availableOf(funds)))
  const taken = spend(funds, charged)
  if (charged <= 0 || !taken) return { charged: 0, usage: null, life }
  const usage = { ...taken, at: now, month: latestMonth(life, now) }
  return { charged, usage, life: { ...life, usages: [...life.usages, usage] } }
}

function latestMonth(life: Life, now: number): string | null {
  return openMonth(life, now)?.name ?? null
}

export function withHold(life: Life, changed: Hold): Life {
  const holds = life.reserved.holds.map((hold) => (hold.id === changed.id ? changed : hold))
  return { ...life, reserved: { ...life.reserved, holds } }
}

/**
 * A month that is over keeps what its open holds can take, until none of them is open; the rest expires. A
 * hold belongs to the month in which it was opened. Where that was not known yet, it belongs to it as far as
 * the month covers it beside usage, and what is not covered keeps the month that was known open.
 */
export function keepMonths(life: Life, now: number): Reserved {
  const usages = usagesByMonth(life, now)
  const months = life.subscriptions
    .flatMap((subscription) => leftOfMonths(subscription, usages, now))
    .toSorted((a, b) => a.starts_at - b.starts_at)
  const room = new Map(months.map(({ name, left }) => [name, Math.max(0, left)]))
  const isClosed = (name: string) => life.reserved.over.includes(name)
  const wanted = new Map<string, number>()
  const open = new Set(openHolds(life, now).map(({ id }) => id))
  const holds = life.reserved.holds.map((hold): Hold => {
    const own = months.findLast(({ starts_at }) => starts_at <= hold.opened_at)
    if (!open.has(hold.id) || hold.is_kept || !own) return hold
    const known = months.find(({ name }) => name === hold.month)
    const isKnown = known !== undefined && own.starts_at <= known.starts_at
    const covered = isKnown ? hold.credits : Math.min(hold.credits, room.get(own.name) ?? 0)
    if (!isKnown) room.set(own.name, (room.get(own.name) ?? 0) - covered)
    const month = covered === hold.credits && !isKnown ? own : known
    if (!month || isClosed(month.name)) return hold
    if (!month.is_over) return { ...hold, month: month.name }
    const credits = month === known && !isKnown ? hold.credits - covered : hold.credits
    wanted.set(month.name, (wanted.get(month.name) ?? 0) + credits)
    return { ...hold, month: month.name, is_kept: true }
  })
  const kept = [...wanted].map(([name, credits]) => {
    const left = months.find((month) => month.name === name)?.left ?? 0
    return { month: name, credits: Math.min(Math.max(0, left), credits) }
  })
  return {
    holds,
    kept: [...life.reserved.kept, ...kept],
    over: [
      ...new Set([...life.reserved.over, ...months.filter(({ is_over }) => is_over).map(({ name }) => name)]),
    ],
  }
}

/** What an editor reported and was told. */
export interface Report {
  /** When it occurred, in seconds. */
  readonly at: number
  readonly editor: string
  readonly model: string | null
  readonly requests: number
  readonly failed: number
  readonly credits: number
}

/** By the UTC day on which it occurred, editor and model. */
export function sumsOf(reports: readonly Report[]): string[] {
  const groups = Map.groupBy(reports, ({ at, editor, model }) =>
    [new Date(at * 1000).toISOString().slice(0, 10), editor, model ?? '-'].join(' '),
  )
  const total = (all: readonly Report[], figure: 'requests' | 'failed' | 'credits') =>
    all.reduce((sum, report) => sum + report[figure], 0)
  return [...groups]
    .map(
      ([group, all]) =>
        `${group}: ${total(all, 'requests')} requests, ${total(all, 'failed')} failed, ${total(all, 'credits')} credits`,
    )
    .toSorted()
}
