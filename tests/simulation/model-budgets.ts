import { addMonths, type Budget, type Hold, type Life, monthsBegun, openHolds, type Used } from './model.ts'

/**
 * The rules of limits on spending, like model.ts written only from the specification: what counts is added up
 * from the list of all that was used and is held. Times are seconds since 1970.
 */

const day_s = 86_400

export interface LimitLeft {
  readonly scope: Budget['scope'] | 'run'
  readonly limit: number
  readonly spent: number
  readonly held: number
  /** When the next period begins; null for a run. */
  readonly resets_at: number | null
}

type Spender = Pick<Hold, 'by' | 'run'>

/** What has to have enough left for what a person asks; that with the least left first. */
export function limitsOn(life: Life, now: number, { by, run }: Spender): LimitLeft[] {
  const { budgets, used } = life.spending
  const held = openHolds(life, now).map((hold) => ({
    ...hold,
    at: hold.opened_at,
    run: hold.run?.id ?? null,
    by_tokens: 0,
  }))
  const total = (all: readonly Used[]) => all.reduce((sum, { credits }) => sum + credits, 0)
  const counted = (counts: (one: Used) => boolean) => ({
    spent: total(used.filter(counts)),
    held: total(held.filter(counts)),
  })
  const ownOf = budgets.filter(({ of }) => of === by)
  const ofEach = ownOf.length > 0 ? ownOf : budgets.filter(({ scope }) => scope === 'member_default')
  const all = [...budgets.filter(isOfAll), ...ofEach].map((budget): LimitLeft => {
    const { from, to } = periodOf(life, budget.period, now)
    const isTheirs = (one: { readonly by: string }) => isOfAll(budget) || one.by === by
    const raised = budget.raised.findLast((one) => isTheirs(one) && one.from === from)
    return {
      scope: budget.scope,
      limit: budget.limit + (raised?.extra ?? 0),
      ...counted((one) => isTheirs(one) && from <= one.at && one.at < to),
      resets_at: to,
    }
  })
  const ofRun = run && counted((one) => one.by === by && one.run === run.id)
  const limits = ofRun
    ? [...all, { scope: 'run' as const, limit: run.limit, ...ofRun, resets_at: null }]
    : all
  return limits.toSorted((a, b) => leftOf(a) - leftOf(b) || (a.scope < b.scope ? -1 : 1))
}

function leftOf({ limit, spent, held }: LimitLeft): number {
  return limit - spent - held
}

/** What all limits leave a person to spend; below zero after one was lowered. */
export function leftByLimits(life: Life, now: number, spender: Spender): number {
  return Math.min(Number.POSITIVE_INFINITY, ...limitsOn(life, now, spender).map(leftOf))
}

function isOfAll({ scope }: Pick<Budget, 'scope'>): boolean {
  return scope === 'organization' || scope === 'own'
}

/** A limit that is raised for the present period alone; null where it is as high already. */
export function raise(
  life: Life,
  now: number,
  { budget, by, to }: { readonly budget: Budget; readonly by: string; readonly to: number },
): Budget | null {
  const limit = limitsOn(life, now, { by, run: null }).find(({ scope }) => scope === budget.scope)?.limit
  if (limit === undefined || to <= limit) return null
  const { from } = periodOf(life, budget.period, now)
  return { ...budget, raised: [...budget.raised, { by, from, extra: to - budget.limit }] }
}

/** Whole days, UTC. A billing month is counted from the day on which the latest month of a plan began. */
function periodOf(life: Life, period: Budget['period'], now: number): { from: number; to: number } {
  const today = now - (now % day_s)
  if (period === 'day') return { from: today, to: today + day_s }
  const firstOfMonth = today - (new Date(today * 1000).getUTCDate() - 1) * day_s
  const begun = monthsBegun(life, now)
    .map((at) => at - (at % day_s))
    .filter((day) => period === 'billing_month' && day <= today)
  const first = begun.length > 0 ? Math.max(...begun) : firstOfMonth
  let month = 0
  while (addMonths(first, month + 1) <= today) month++
  return { from: addMonths(first, month), to: addMonths(first, month + 1) }
}
