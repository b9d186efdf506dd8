import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { buildAdjustment, giveCredits, postTransfer } from '../../../tests/support/factories/transfers.ts'
import type { Owner } from '../accounts.ts'
import { endExpiredHolds } from '../post/holds.ts'
import { verifyLedger } from '../verify/verify.ts'
import { type SpendOutcome, type SpendRequest, spendCredits } from './usage.ts'

const database = testDatabase()
afterAll(async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

const minute = 60_000
const dayMs = 24 * 60 * minute

/** What a payer has, said from the customer's side: credits, and promises that end by themselves. */
class Payer {
  readonly name: 'own' | 'pool'
  plan = 60
  purchased = 60
  readonly counted = { requests: 0, failed: 0, credits: 0 }
  readonly keys = new Map<string, number>()
  readonly holds: Promised[] = []

  constructor(name: 'own' | 'pool') {
    this.name = name
  }

  held(now: number): number {
    return this.open(now).reduce((sum, { credits }) => sum + credits, 0)
  }
  open(now: number): Promised[] {
    return this.holds.filter(({ end, expires }) => !end && now < expires)
  }
  available(now: number): number {
    return this.plan + this.purchased - this.held(now)
  }
  take(credits: number): void {
    const ofPlan = Math.min(Math.max(this.plan, 0), credits)
    this.plan -= ofPlan
    this.purchased -= credits - ofPlan
    this.counted.credits += credits
  }
  count({ failed }: { failed: boolean }): void {
    this.counted.requests++
    if (failed) this.counted.failed++
  }
}

interface Promised {
  readonly person: string
  readonly payer: 'own' | 'pool'
  readonly key: string
  readonly asked: number
  readonly at_least: number
  readonly credits: number
  readonly opened: number
  expires: number
  id: string
  end?: { how: 'settled' | 'released'; cost: number; failure: string; charged: number; late: boolean }
}

interface Said {
  readonly outcome: SpendOutcome['outcome']
  readonly charged?: number
  readonly held?: number
  readonly expires?: number
}

/** What is promised: one rule after another, for one request at a time. */
function decide(payer: Payer, request: SpendRequest, hold: Promised | undefined): Said {
  const now = request.occurred_at.getTime()
  if (request.action === 'reserve') return reserve(payer, request, now)
  if (request.action === undefined || request.action === 'use') {
    const known = payer.keys.get(`${request.actor} ${request.idempotency_key}`)
    if (known !== undefined) return { outcome: known === request.credits ? 'replayed' : 'conflict' }
    if (!request.failure && payer.available(now) < request.credits) return { outcome: 'refused' }
    payer.keys.set(`${request.actor} ${request.idempotency_key}`, request.credits)
    payer.take(request.credits)
    payer.count({ failed: request.credits === 0 })
    return { outcome: 'posted', charged: request.credits }
  }
  if (!hold || hold.person !== request.actor || !payer.holds.includes(hold)) return { outcome: 'not_found' }
  const isExpired = !hold.end && hold.expires <= now
  switch (request.action) {
    case 'settle': {
      const { credits: cost, failure = '' } = request
      if (hold.end?.how === 'settled') {
        const isSame = hold.end.cost === cost && hold.end.failure === failure
        return { outcome: isSame ? 'replayed' : 'settled', charged: hold.end.charged }
      }
      if (hold.end) return { outcome: 'released' }
      if (isExpired && now > hold.expires + dayMs) return { outcome: 'expired' }
      hold.end = { how: 'settled', cost, failure, charged: 0, late: isExpired }
      const promised = isExpired ? 0 : Math.min(cost, hold.credits)
      payer.take(promised)
      const above = Math.max(0, Math.min(cost - promised, payer.available(now)))
      payer.take(above)
      hold.end.charged = promised + above
      if (hold.end.charged > 0 || failure) payer.count({ failed: failure !== '' })
      return { outcome: 'posted', charged: hold.end.charged }
    }
    case 'release':
      if (hold.end) return { outcome: hold.end.how === 'released' ? 'replayed' : 'settled' }
      if (isExpired) return { outcome: 'expired' }
      hold.end = { how: 'released', cost: 0, failure: '', charged: 0, late: false }
      return { outcome: 'posted' }
    case 'extend':
      if (hold.end) return { outcome: hold.end.how }
      if (isExpired) return { outcome: 'expired' }
      hold.expires = Math.max(hold.expires, Math.min(now + request.lasting_s * 1000, hold.opened + dayMs))
      return { outcome: 'posted', expires: hold.expires }
  }
}

function reserve(payer: Payer, request: SpendRequest & { action: 'reserve' }, now: number): Said {
  const { actor, idempotency_key: key, credits: asked, at_least = 0, lasting_s } = request
  const known = payer.holds.find((hold) => hold.person === actor && hold.key === key)
  if (known) {
    const isSame = known.asked === asked && known.at_least === at_least
    return { outcome: isSame ? 'replayed' : 'conflict', held: known.credits }
  }
  const credits = Math.min(asked, payer.available(now))
  if (credits < (at_least || asked)) return { outcome: 'refused' }
  const expires = now + lasting_s * 1000
  payer.holds.push({
    person: actor,
    payer: payer.name,
    key,
    asked,
    at_least,
    credits,
    opened: now,
    expires,
    id: '',
  })
  return { outcome: 'posted', held: credits, expires }
}

const credits = fc.integer({ min: 1, max: 50 })
const step = fc.record({
  action: fc.constantFrom('use', 'reserve', 'reserve', 'settle', 'settle', 'settle', 'release', 'extend'),
  /** Ada spends what is hers and the pool's, Eve the pool's. */
  place: fc.constantFrom(['ada', 'own'] as const, ['ada', 'pool'] as const, ['eve', 'pool'] as const),
  key: fc.integer({ min: 0, max: 20 }).map((number) => `key ${number}`),
  credits,
  at_least: fc.option(credits, { nil: undefined }),
  lasting_s: fc.oneof(fc.integer({ min: 60, max: 7200 }), fc.constant(24 * 3600)),
  /** Which hold, counted from the latest; seldom one of another person or payer. */
  hold: fc.nat(6),
  isOfAnother: fc.nat(9).map((number) => number === 0),
  /** More than was reserved, or nothing. */
  above: fc.integer({ min: -50, max: 50 }),
  failure: fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    fc.constantFrom('provider_error', 'timeout'),
  ),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

interface Place {
  readonly now: Date
  readonly owners: Record<'own' | 'pool', Owner>
  readonly holds: readonly Promised[]
}

function requestOf({ action, place, ...of }: Step, { now: occurred_at, owners, holds }: Place): SpendRequest {
  const [actor, payer] = place
  const asked = { ...owners[payer], actor, occurred_at }
  const labelled = { ...asked, idempotency_key: of.key, reason: 'Chat', model: of.key }
  const { credits, lasting_s, failure } = of
  if (action === 'use') return { ...labelled, credits: failure ? 0 : credits, failure }
  if (action === 'reserve') {
    const at_least = of.at_least === undefined ? undefined : Math.min(of.at_least, credits)
    return { ...labelled, action, credits, at_least, lasting_s }
  }
  const hold = holds.at(-1 - (of.hold % Math.max(holds.length, 1)))
  const whose = hold && !of.isOfAnother ? { ...owners[hold.payer], actor: hold.person } : {}
  const named = { ...asked, ...whose, hold_id: hold?.id ?? randomUUID() }
  if (action === 'release') return { ...named, action }
  if (action === 'extend') return { ...named, action, lasting_s }
  const cost = Math.max(0, (hold?.credits ?? 0) + of.above)
  return { ...named, action, credits: failure ? 0 : cost, failure }
}

/** Requests that come together, after some minutes, and what is taken back or given before them. */
const batches = fc.array(
  fc.record({
    minutes: fc.oneof({ weight: 3, arbitrary: fc.nat(20) }, fc.nat(200), fc.nat(1600)),
    steps: fc.array(step, { minLength: 1, maxLength: 6, size: 'max' }),
    isRepeated: fc.boolean(),
    change: fc.record({
      of: fc.constantFrom('own', 'pool'),
      account: fc.constantFrom('plan', 'purchased'),
      credits: fc.integer({ min: -60, max: 40 }),
    }),
  }),
  { minLength: 4, maxLength: 16, size: 'max' },
)

type History = typeof batches extends fc.Arbitrary<infer Value> ? Value : never

async function live(history: History, { isClawedBack }: { isClawedBack: boolean }): Promise<void> {
  const suffix = randomUUID().replaceAll('-', '')
  const owners: Record<'own' | 'pool', Owner> = {
    own: { owner_kind: 'user', owner_id: `user_${suffix}` },
    pool: { owner_kind: 'organization', owner_id: `org_${suffix}` },
  }
  const payers = { own: new Payer('own'), pool: new Payer('pool') }
  const payerOf = ({ owner_id }: Owner) => (owner_id === owners.own.owner_id ? payers.own : payers.pool)
  for (const owner of Object.values(owners)) await giveCredits(database, owner, { plan: 60, purchased: 60 })
  const holds: Promised[] = []
  let now = Date.parse('2026-11-20T12:00:00Z')

  for (const { minutes, steps: made, isRepeated, change } of history) {
    now += minutes * minute
    const { of, account } = change
    const given = isClawedBack ? change.credits : Math.max(change.credits, 0)
    if (given !== 0) {
      await postTransfer(database.worker, buildAdjustment(owners[of], given, { account }))
      payers[of][account] += given
    }
    const requests = made.map((one) => requestOf(one, { now: new Date(now), owners, holds }))
    const outcomes = await spendCredits(database.server, requests)
    for (const [index, request] of requests.entries()) {
      const outcome = outcomes[index]
      const payer = payerOf(request)
      const hold = holds.find(({ id }) => 'hold_id' in request && id === request.hold_id)
      const before = payer.holds.length
      const said = decide(payer, request, hold)
      const promised = payer.holds.length > before ? payer.holds.at(-1) : undefined
      if (promised) holds.push(Object.assign(promised, { id: outcome?.hold?.id ?? '' }))
      const { plan, purchased } = payer
      expect(outcome, JSON.stringify(request)).toMatchObject({ outcome: said.outcome, plan, purchased })
      if (said.charged !== undefined) expect(outcome?.charged).toBe(said.charged)
      if (said.held !== undefined) expect(outcome?.hold?.credits).toBe(said.held)
      if (said.expires !== undefined) expect(outcome?.hold?.expires_at.getTime()).toBe(said.expires)
      if (!isClawedBack && said.outcome === 'posted') {
        expect(payer.available(now)).toBeGreaterThanOrEqual(0)
        expect(Math.min(plan, purchased)).toBeGreaterThanOrEqual(0)
      }
    }
    if (!isRepeated) continue
    // Of what was done at once, nothing is done again.
    const same = requests.filter(
      ({ action }, index) => action !== 'extend' && outcomes[index]?.outcome === 'posted',
    )
    for (const outcome of await spendCredits(database.server, same)) {
      expect(outcome).toMatchObject({ outcome: 'replayed' })
    }
  }

  while ((await endExpiredHolds(database.worker, new Date(now))) > 0);
  for (const [of, { owner_id }] of Object.entries(owners) as ['own' | 'pool', Owner][]) {
    const payer = payers[of]
    const { plan, purchased } = payer
    const owner = await database.server
      .selectFrom('ledger_owners')
      .select(['plan_balance as plan', 'purchased_balance as purchased', 'held'])
      .where('owner_id', '=', owner_id)
      .executeTakeFirst()
    expect(owner).toEqual({ plan, purchased, held: payer.held(now) })
    const rows = await database.server
      .selectFrom('ledger_holds')
      .select(['id', 'state', 'credits', 'settled_credits', 'charged'])
      .where('owner_id', '=', owner_id)
      .execute()
    const sorted = <T extends { id: string }>(some: readonly T[]) =>
      some.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(sorted(rows)).toEqual(
      sorted(
        payer.holds.map(({ id, credits, expires, end }) => {
          const isSettled = end?.how === 'settled'
          const state = isSettled
            ? end.late
              ? 'settled_late'
              : 'settled'
            : (end?.how ?? (expires <= now ? 'expired' : 'open'))
          return {
            id,
            state,
            credits,
            settled_credits: isSettled ? end.cost : null,
            charged: isSettled ? end.charged : null,
          }
        }),
      ),
    )
    const days = await database.server
      .selectFrom('ledger_usage_days')
      .select((one) => [
        one.fn.coalesce(one.fn.sum<number>('requests'), one.lit(0)).as('requests'),
        one.fn.coalesce(one.fn.sum<number>('failed'), one.lit(0)).as('failed'),
        one.fn.coalesce(one.fn.sum<number>('credits'), one.lit(0)).as('credits'),
      ])
      .where('owner_id', '=', owner_id)
      .executeTakeFirst()
    expect(Object.fromEntries(Object.entries(days ?? {}).map(([name, sum]) => [name, Number(sum)]))).toEqual(
      payer.counted,
    )
  }
}

const runs = { numRuns: 20, seed: 25, endOnFailure: true }

test('whatever two persons reserve and settle, singly or together, is decided by the rules, and nothing falls below zero', async () => {
  await fc.assert(
    fc.asyncProperty(batches, (history) => live(history, { isClawedBack: false })),
    runs,
  )
})

test('a settlement is never refused for what was reserved, whatever is taken back meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(batches, (history) => live(history, { isClawedBack: true })),
    runs,
  )
})
