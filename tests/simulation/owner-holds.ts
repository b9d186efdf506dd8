import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { listBudgets, raiseBudget, setBudget } from '../../schema/ledger/budgets.ts'
import { findHold } from '../../schema/ledger/read/holds.ts'
import {
  type Settlement,
  type SpendOutcome,
  type SpendRequest,
  spendCredits,
} from '../../schema/ledger/spend/usage.ts'
import type { FaultyProduct } from './faulty-product.ts'
import {
  availableOf,
  type Budget,
  belongings,
  type Hold,
  isWrittenDown,
  type Life,
  type Used,
} from './model.ts'
import { limitsOn, raise } from './model-budgets.ts'
import {
  answerTo,
  type HoldAnswer,
  type HoldAsk,
  isTheirs,
  outliving,
  type Report,
  reserve,
  whenHeld,
  withHold,
} from './model-holds.ts'
import { fundsOf, type Owner } from './owner.ts'
import type { Amount, Asker, HoldStep } from './owner-history.ts'
import { findPosted, monthOf, payerOf } from './owner-ledger.ts'
import { whatHappened } from './what-happened.ts'

const labels = { model: 'large', project: 'compiler' }

/** An editor reserves, settles, releases, extends or reports a failure, and its answer may get lost. */
export async function atEditor(
  product: FaultyProduct,
  owner: Owner,
  { step, isSettled }: { step: HoldStep; isSettled: boolean },
): Promise<void> {
  if (!payerOf(owner)) return
  const life = await whatHappened(product, owner)
  const at = product.clock.now()
  const now = at.getTime() / 1000
  const isExact = isSettled && isWrittenDown(life, now)
  const moment = { life, at, now, isSettled, isExact }
  const expected =
    step.do === 'hold'
      ? await open(product, owner, { ...moment, step })
      : step.do === 'fail'
        ? await fail(product, owner, { ...moment, step })
        : step.do === 'budget'
          ? await limit(product, owner, { ...moment, step })
          : await resolve(product, owner, { ...moment, step })
  if (!isExact) return
  // What a hold leaves of a month that is over expires within a minute.
  if (expected.reserved.holds.some(({ state, outlives }) => outlives !== null && state !== 'open'))
    await product.runTask('end_holds')
  const found = await fundsOf(product, owner)
  const { plan, purchased, held, plan_held } = belongings(expected, now)
  same(`after ${step.do}`, { plan, purchased, held, plan_held }, found)
}

interface Moment<S extends HoldStep> {
  readonly step: S
  readonly life: Life
  readonly at: Date
  readonly now: number
  readonly isSettled: boolean
  /** Also of which account something is taken: what has expired may still be held of the plan. */
  readonly isExact: boolean
}

async function open(
  product: FaultyProduct,
  owner: Owner,
  { step, life, at, now, isSettled, isExact }: Moment<Extract<HoldStep, { do: 'hold' }>>,
): Promise<Life> {
  const funds = isSettled ? belongings(life, now) : await fundsOf(product, owner)
  const credits = amountOf(step.amount, availableOf(funds))
  const at_least = step.at_least ? Math.max(1, Math.floor((credits * step.at_least) / 100)) : undefined
  const by = personOf(owner, step.editor)
  const key = step.key == null ? null : (owner.keys[step.key] ?? null)
  const run = step.run
    ? { id: `run ${step.run.id}`, limit: amountOf(step.run.limit, availableOf(funds)) }
    : null
  const asked = {
    action: 'reserve',
    credits,
    at_least,
    lasting_s: step.minutes * 60,
    reason: 'Chat',
    operator_key_id: key,
    run: run?.id,
    run_limit: run?.limit,
  } as const
  const requests = Array.from({ length: step.parallel ?? 1 }, () => ({
    ...asked,
    idempotency_key: randomUUID(),
  }))
  const ask = (times: number) =>
    Promise.all(
      requests.map((request) =>
        send(product, owner, { ...request, ...editorOf(owner, step.editor), at }, times),
      ),
    )
  const outcomes = await ask(step.times)
  let expected = life
  const grants: { credits: number; plan: number }[] = []
  const answers = requests.map(() => {
    const granted = reserve(expected, now, { credits, at_least: at_least ?? credits, by, run })
    if (typeof granted !== 'string') {
      grants.push(granted)
      expected = withHolds(expected, [holdOf({ id: `${grants.length}`, ...granted, by, key, run, at, step })])
      return 'posted'
    }
    if (granted !== 'over_budget') return granted
    const [nearest] = limitsOn(expected, now, { by, run })
    return `over ${nearest?.limit} of ${nearest?.scope}: ${nearest?.spent} and ${nearest?.held}`
  })
  const posted = outcomes.flatMap(({ hold }) => hold ?? [])
  const ofPlan = await planCreditsOf(product, posted)
  const found = posted.map(({ id, credits }) => ({ credits, plan: ofPlan.get(id) ?? 0 }))
  if (isSettled) {
    const told = outcomes.map(({ outcome, budget }) =>
      budget ? `over ${budget.credits} of ${budget.scope}: ${budget.used} and ${budget.held}` : outcome,
    )
    const compared = (all: typeof grants) =>
      ascending(isExact ? all : all.map((grant) => ({ ...grant, plan: 0 })))
    same(`${requests.length} holds of ${credits}`, compared(grants), compared(found))
    same('answers', answers.toSorted(), told.toSorted())
  }
  const holds = posted.map((hold) => {
    const plan = ofPlan.get(hold.id) ?? 0
    const made = holdOf({ id: hold.id, credits: hold.credits, plan, by, key, run, at, step })
    same('expiry', made.expires_at, hold.expires_at.getTime() / 1000)
    owner.editorOf.set(hold.id, editorName(step.editor))
    return made
  })
  const changed = withHolds(life, holds)
  owner.reserved = changed.reserved
  return changed
}

function holdOf({
  at,
  step,
  ...made
}: Pick<Hold, 'id' | 'credits' | 'plan' | 'by' | 'key' | 'run'> & {
  at: Date
  step: { minutes: number }
}): Hold {
  const opened_at = at.getTime() / 1000
  return { ...made, opened_at, expires_at: opened_at + step.minutes * 60, state: 'open', outlives: null }
}

/** Sets, removes or raises a limit, as an admin does. */
async function limit(
  { database: { server } }: FaultyProduct,
  owner: Owner,
  { step, life, at, now }: Moment<Extract<HoldStep, { do: 'budget' }>>,
): Promise<Life> {
  const owner_id = payerOf(owner) ?? ''
  const by = personOf(owner, step.editor)
  const scope = owner.kind === 'user' ? 'own' : step.scope
  const of = scope === 'member' ? by : null
  const credits = step.limit && amountOf(step.limit, availableOf(belongings(life, now)), 0)
  const { period } = step
  const before = life.spending.budgets.find((budget) => budget.scope === scope && budget.of === of)
  let after: Budget | null
  if (step.for_period) {
    const listed = await listBudgets(server, { owner_id, people: [by], now: at })
    const budget_id = listed.find((budget) => budget.scope === scope)?.id
    if (!before || budget_id === undefined || credits === null) return life
    after = raise(life, now, { budget: before, by, to: credits })
    const isRaised = await raiseBudget(server, { owner_id, budget_id, person: by, credits, now: at })
    same(`raised to ${credits}`, after !== null, isRaised)
    after ??= before
  } else {
    await setBudget(server, { owner_id, scope, user_id: of, credits, period, set_by: by, now: at })
    // Who lowers a limit ends what it was raised by.
    const goesOn = before?.period === period && (credits ?? 0) >= before.limit
    const raised = goesOn ? before.raised : []
    after = credits === null ? null : { scope, of, limit: credits, period, raised }
  }
  const others = life.spending.budgets.filter((budget) => budget !== before)
  owner.spending.budgets = after ? [...others, after] : others
  return { ...life, spending: { ...life.spending, budgets: owner.spending.budgets } }
}

async function planCreditsOf(
  { database }: FaultyProduct,
  holds: readonly { readonly id: string }[],
): Promise<Map<string, number>> {
  const rows = await database.owner
    .selectFrom('ledger_holds')
    .select(['id', 'plan_credits'])
    .where('id', 'in', [randomUUID(), ...holds.map(({ id }) => id)])
    .execute()
  return new Map(rows.map(({ id, plan_credits }) => [id, plan_credits]))
}

function withHolds(life: Life, holds: readonly Hold[]): Life {
  return { ...life, reserved: { ...life.reserved, holds: [...life.reserved.holds, ...holds] } }
}

async function resolve(
  product: FaultyProduct,
  owner: Owner,
  {
    step,
    life: before,
    at,
    now,
    isSettled,
    isExact,
  }: Moment<Exclude<HoldStep, { do: 'hold' | 'fail' | 'budget' }>>,
): Promise<Life> {
  const { holds } = before.reserved
  const chosen = holds.at(-1 - (step.hold % Math.max(1, holds.length)))
  if (!chosen) return before
  const cost = step.do === 'settle' && !step.failed ? amountOf(step.amount, chosen.credits, 0) : 0
  const ask: HoldAsk =
    step.do === 'settle'
      ? {
          do: 'settle',
          credits: cost,
          cost_thousandths:
            step.thousandths == null || step.failed ? undefined : 1000 * cost + step.thousandths,
          failed: step.failed,
        }
      : step.do === 'extend'
        ? { do: 'extend', lasting_s: step.minutes * 60 }
        : { do: 'release' }
  const { do: action, ...asked } = ask
  const failure: Pick<Settlement, 'failure'> = ask.do === 'settle' && ask.failed ? { failure: 'timeout' } : {}
  const asker = askerOf(owner, chosen, step.by)
  const { key: operator_key_id } = asker
  // A call with an operator's key names the hold alone.
  const actor = operator_key_id === null ? asker.by : null
  const theirs = await findHold(product.database.server, { hold_id: chosen.id, actor, operator_key_id })
  same(`found by ${JSON.stringify(asker)}`, isTheirs(chosen, asker), theirs !== null)
  const by = { actor: theirs?.actor ?? asker.by, operator_key_id }
  const request = { action, ...asked, ...by, hold_id: chosen.id, ...failure, may_spend: true, at } as Asked
  const found = await send(product, owner, request, step.times)
  const { life, hold } = await asProductKnew(product, { before, chosen, now })
  const expected = answerTo(life, { hold, settled: owner.settlements.get(hold.id), ask, asker, now })
  const what = `${JSON.stringify(ask)} of ${JSON.stringify(hold)}`
  same(what, expected.outcome, found.outcome)
  if (isSettled && ask.do === 'settle') same(what, expected.charged, found.charged)
  if (expected.outcome !== 'posted') return life
  if (ask.do !== 'settle') {
    owner.reserved = expected.life.reserved
    const known = expected.life.reserved.holds.find(({ id }) => id === hold.id)
    if (ask.do === 'extend') same(what, known?.expires_at, (found.hold?.expires_at.getTime() ?? 0) / 1000)
    return expected.life
  }
  const recorded = await settled(product, owner, {
    ...{ life, hold, expected, found, now, by_tokens: ask.cost_thousandths ?? 0 },
    // When it has expired, all that has is written down first.
    isExact: isExact || (isSettled && now >= hold.expires_at),
  })
  owner.settlements.set(hold.id, { ...ask, charged: found.charged })
  if (ask.failed)
    report(owner, { hold, at: isLate(expected, hold) ? now : hold.opened_at, requests: 1, failed: 1 })
  owner.usages.splice(0, owner.usages.length, ...recorded.usages)
  owner.reserved = recorded.reserved
  return expected.life
}

function askerOf(owner: Owner, hold: Hold, asker: Asker = 'opener'): Pick<Hold, 'by' | 'key'> {
  if (asker === 'opener') return hold
  const by = asker === 'stranger' ? 'user_stranger' : hold.by
  return { by, key: typeof asker === 'number' ? (owner.keys[asker] ?? null) : null }
}

/** Where the product has heard of a month's end that was not compared yet. */
async function asProductKnew(
  product: FaultyProduct,
  { before, chosen, now }: { before: Life; chosen: Hold; now: number },
): Promise<{ life: Life; hold: Hold }> {
  const row = await product.database.owner
    .selectFrom('ledger_holds')
    .select('outlives_month')
    .where('id', '=', chosen.id)
    .executeTakeFirstOrThrow()
  if (!row.outlives_month || chosen.outlives !== null) return { life: before, hold: chosen }
  const life = { ...before, reserved: outliving(before, now) }
  return { life, hold: life.reserved.holds.find(({ id }) => id === chosen.id) ?? chosen }
}

function isLate({ life }: HoldAnswer, { id }: Hold): boolean {
  return life.reserved.holds.some((hold) => hold.id === id && hold.state === 'settled_late')
}

/** Writes down what a settlement took: of which month, the product's knowledge at that time says. */
async function settled(
  product: FaultyProduct,
  owner: Owner,
  given: {
    life: Life
    hold: Hold
    expected: HoldAnswer
    found: SpendOutcome
    isExact: boolean
    now: number
    by_tokens: number
  },
): Promise<Life> {
  const { hold, expected, found, isExact, now } = given
  const state = expected.life.reserved.holds.find(({ id }) => id === hold.id)?.state ?? hold.state
  const isReserved = state === 'settled'
  let life = withHold(given.life, { ...hold, state })
  let charged = 0
  for (const key of [`hold/${hold.id}`, `hold/${hold.id}/above`]) {
    const posted = await findPosted(product, owner, key)
    const isOfReserved = isReserved && !key.endsWith('/above')
    const wanted = isOfReserved
      ? expected.reserved
      : key.endsWith('/above') === isReserved
        ? expected.now
        : null
    const taken = posted && { plan: posted.plan, purchased: posted.purchased }
    if (isExact) same(key, wanted && { plan: wanted.plan, purchased: wanted.purchased }, taken ?? null)
    const by_tokens = key.endsWith('/above') ? 0 : given.by_tokens
    // Less than a credit is a request of the day, too.
    if (!posted && isOfReserved && by_tokens > 0)
      report(owner, { hold, at: hold.opened_at, requests: 1, by_tokens })
    if (!posted) continue
    const credits = posted.plan + posted.purchased
    charged += credits
    const at = isOfReserved ? hold.opened_at : now
    same(`when ${key} occurred`, at, posted.occurred_at.getTime() / 1000)
    report(owner, { hold, at, requests: key.endsWith('/above') ? 0 : 1, credits, by_tokens })
    const { month } = monthOf(given.life, posted, now)
    const when = isOfReserved ? whenHeld(hold, month) : { at, month }
    const usage = { ...when, plan: posted.plan, purchased: posted.purchased }
    life = { ...life, usages: [...life.usages, usage] }
  }
  same(`charged for ${hold.id}`, charged, found.charged)
  return life
}

async function fail(
  product: FaultyProduct,
  owner: Owner,
  { step, life, at, now }: Moment<Extract<HoldStep, { do: 'fail' }>>,
): Promise<Life> {
  const request = { ...editorOf(owner, step.editor), idempotency_key: randomUUID(), reason: 'Chat', at }
  const failed = await send(product, owner, { ...request, credits: 0, failure: 'provider_error' }, step.times)
  same('a failure', { outcome: 'posted', charged: 0 }, { outcome: failed.outcome, charged: failed.charged })
  const again = await send(product, owner, { ...request, credits: 1 }, 1)
  same('a charge with the key of a failure', 'conflict', again.outcome)
  const { model } = labels
  const by = { by: request.actor, run: null, editor: editorName(step.editor) }
  owner.spending.used.push({ at: now, ...by, model, requests: 1, failed: 1, credits: 0, by_tokens: 0 })
  return life
}

function report(
  owner: Owner,
  {
    hold,
    ...made
  }: { hold: Hold; requests: number } & Pick<Used, 'at'> &
    Partial<Pick<Report, 'failed' | 'credits' | 'by_tokens'>>,
): void {
  const editor = owner.editorOf.get(hold.id) ?? ''
  const run = hold.run?.id ?? null
  owner.spending.used.push({
    failed: 0,
    credits: 0,
    by_tokens: 0,
    ...made,
    by: hold.by,
    run,
    editor,
    model: labels.model,
  })
}

type Without<T> = T extends unknown ? Omit<T, 'owner_id' | 'occurred_at'> : never
type Asked = Without<SpendRequest> & { readonly at: Date }

/** Asks once, or again where the answer was lost: then it is the same, and nothing has changed meanwhile. */
async function send(
  product: FaultyProduct,
  owner: Owner,
  { at, ...request }: Asked,
  times: number,
): Promise<SpendOutcome> {
  const payer = payerOf(owner)
  if (!payer) throw new Error('There is no payer')
  const asked = { owner_id: payer, occurred_at: at, ...request } as SpendRequest
  const [first] = await spendCredits(product.database.server, [asked])
  if (!first) throw new Error('The ledger did not decide')
  for (let time = 1; time < times; time++) {
    const [again] = await spendCredits(product.database.server, [asked])
    const isRepeated = first.outcome === 'posted' && request.action !== 'extend'
    same(
      `asked again: ${JSON.stringify(request)}`,
      { outcome: isRepeated ? 'replayed' : first.outcome, charged: first.charged, hold: first.hold?.id },
      { outcome: again?.outcome, charged: again?.charged, hold: again?.hold?.id },
    )
  }
  return first
}

function editorOf(owner: Owner, editor: number) {
  const token_id = owner.editors[editor % owner.editors.length] ?? null
  return { ...labels, token_id, actor: personOf(owner, editor) }
}

/** In a team the second editor is a colleague's. */
function personOf({ kind, person, colleague }: Owner, editor: number): string {
  return kind === 'team' && editor === 1 ? colleague : person.user_id
}

export function editorName(editor: number): string {
  return `editor ${editor}`
}

function amountOf(amount: Amount, of: number, least = 1): number {
  const credits = typeof amount === 'number' ? amount : Math.ceil((of * amount.percent) / 100)
  return Math.min(10_000, Math.max(least, credits))
}

function ascending<Grant extends { credits: number; plan: number }>(grants: readonly Grant[]): Grant[] {
  return grants.toSorted((a, b) => a.credits - b.credits || a.plan - b.plan)
}

function same(what: string, expected: unknown, found: unknown): void {
  if (isDeepStrictEqual(expected, found)) return
  throw new Error(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`)
}
