import { expect, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { buildGrant, spendNow } from '../../../tests/support/factories/transfers.ts'
import { createRandom } from '../../../tests/support/random.ts'
import { postTransfers } from '../post/post.ts'
import { verifyLedger } from '../verify/verify.ts'
import { findBalance } from './balances.ts'
import { type Change, type Credits, explainBalance } from './explanation.ts'

const database = testDatabase()
const minute = 60_000
const start = Date.parse('2026-03-01T00:00:00Z')

/** Every page, one after the other. */
async function explainAll(owner_id: string, { until, limit }: { until?: Date | undefined; limit: number }) {
  const changes: Change[] = []
  let before: number | undefined
  let closing: Credits | null = null
  let opening: Credits | null = null
  do {
    const page = await explainBalance(database.server, owner_id, { limit, until, before })
    expect(page.changes.length).toBeLessThanOrEqual(limit)
    if (opening) expect(page.closing).toEqual(opening)
    closing ??= page.closing
    changes.push(...page.changes)
    opening = page.opening
    before = page.next ?? undefined
  } while (before)
  return { changes, closing, opening }
}

const sumOf = (changes: readonly Credits[]): Credits => ({
  plan: changes.reduce((sum, { plan }) => sum + plan, 0),
  purchased: changes.reduce((sum, { purchased }) => sum + purchased, 0),
})

/** Posts a random history, in which a tenth is told of late, and returns what was posted, in its order. */
async function live(owner_id: string, { seed, length }: { seed: number; length: number }) {
  const { next: random } = createRandom(seed)
  const told: { at: Date; plan: number; purchased: number }[] = []
  for (let number = 0; number < length; number++) {
    const isLate = random() < 0.1
    const at = new Date(start + (isLate ? number * random() : number) * minute)
    const credits = 1 + Math.floor(random() * 50)
    if (random() < 0.6) {
      const before = await findBalance(database.server, owner_id)
      const { outcome, plan, purchased } = await spendNow(database.server, owner_id, credits, {
        occurred_at: at,
      })
      if (outcome === 'posted') {
        told.push({ at, plan: plan - before.plan, purchased: purchased - before.purchased })
      }
    } else {
      const account = random() < 0.5 ? 'plan' : 'purchased'
      const amount = random() < 0.2 ? -credits : credits
      const adjustment = buildGrant(owner_id, amount, { account, occurred_at: at })
      await postTransfers(database.worker, [adjustment])
      told.push({ at, plan: 0, purchased: 0, [account]: amount })
    }
  }
  return told
}

test.each([1, 2])('the changes of a random history (%i) add up to the balance at any time', async (seed) => {
  const owner_id = `user_random_${seed}`
  const told = await live(owner_id, { seed, length: 80 })
  const now = await explainAll(owner_id, { limit: 7 })
  const balance = await findBalance(database.server, owner_id)
  expect(now.closing).toEqual({ plan: balance.plan, purchased: balance.purchased })
  expect(now.changes[0]?.after).toEqual(now.closing)
  expect(now.opening).toEqual({ plan: 0, purchased: 0 })
  expect(now.changes.map(({ change }) => change).toReversed()).toEqual(
    told.map(({ plan, purchased }) => ({ plan, purchased })),
  )

  for (const minutes of [0, 1, 17, 60, 79, 500]) {
    const until = new Date(start + minutes * minute)
    const then = await explainAll(owner_id, { until, limit: 7 })
    const happened = told.filter(({ at }) => at < until)
    expect(then.closing).toEqual(sumOf(happened))
    expect(then.opening).toEqual({ plan: 0, purchased: 0 })
    expect(then.changes.map(({ occurred_at }) => occurred_at).toReversed()).toEqual(
      happened.map(({ at }) => at),
    )
    let after: Credits | null = then.closing
    for (const explained of then.changes) {
      expect(explained.after).toEqual(after)
      after = sumOf([
        explained.after,
        { plan: -explained.change.plan, purchased: -explained.change.purchased },
      ])
    }
  }
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

test('an owner without credits has nothing to explain', async () => {
  const nothing = {
    closing: { plan: 0, purchased: 0 },
    changes: [],
    opening: { plan: 0, purchased: 0 },
    next: null,
  }
  expect(await explainBalance(database.server, 'user_none', { limit: 5 })).toEqual(nothing)
  expect(await explainBalance(database.server, 'user_none', { limit: 5, until: new Date() })).toEqual(nothing)
})

test('a search finds what is far back, in pages that stop after 5,000 transfers', async () => {
  const owner_id = 'user_searching'
  const notes = Array.from({ length: 5100 }, (_, number) => `Number ${number}`)
  await postTransfers(
    database.worker,
    notes.map((reason) => buildGrant(owner_id, 1, { reason })),
  )
  const search = { limit: 5, matches: ({ reason }: { reason: string | null }) => reason === 'Number 50' }
  const nothing = await explainBalance(database.server, owner_id, search)
  expect(nothing.changes).toEqual([])
  expect(nothing.opening.purchased).toBe(100)
  const before = nothing.next ?? undefined
  const found = await explainBalance(database.server, owner_id, { ...search, before })
  expect(found).toMatchObject({ changes: [{ reason: 'Number 50', after: { purchased: 51 } }], next: null })
})

test('failures stand among the changes, change nothing, and are in every page and search as the others', async () => {
  const owner_id = 'user_failing'
  const ask = (number: number, { credits, ...more }: { credits: number; failure?: 'timeout' }) =>
    spendNow(database.server, owner_id, credits, {
      occurred_at: new Date(start + number * minute),
      reason: `Chat ${number}`,
      model: 'large',
      project: 'website',
      ...more,
    })
  await ask(0, { credits: 0, failure: 'timeout' })
  expect((await explainAll(owner_id, { limit: 5 })).changes).toMatchObject([{ failure: 'timeout' }])
  await postTransfers(database.worker, [buildGrant(owner_id, 100, { occurred_at: new Date(start + minute) })])
  await ask(2, { credits: 0, failure: 'timeout' })
  await ask(3, { credits: 10 })
  await ask(4, { credits: 0, failure: 'timeout' })
  await ask(5, { credits: 0, failure: 'timeout' })
  const told = ({ reason, failure, change, after }: Change) => [
    reason,
    failure,
    change.purchased,
    after.purchased,
  ]
  const all = [
    ['Chat 5', 'timeout', 0, 90],
    ['Chat 4', 'timeout', 0, 90],
    ['Chat 3', null, -10, 90],
    ['Chat 2', 'timeout', 0, 100],
    ['Test grant', null, 100, 100],
    ['Chat 0', 'timeout', 0, 0],
  ]
  for (const limit of [1, 2, 5, 6]) {
    const { changes, closing, opening } = await explainAll(owner_id, { limit })
    expect(changes.map(told)).toEqual(all)
    expect([closing?.purchased, opening?.purchased]).toEqual([90, 0])
  }
  for (const [minutes, left] of [
    [5, 1],
    [3, 3],
    [1, 5],
  ] as const) {
    const until = new Date(start + minutes * minute)
    const { changes } = await explainAll(owner_id, { until, limit: 2 })
    expect(changes.map(told)).toEqual(all.slice(left))
  }
  const search = { limit: 5, matches: ({ failure }: Pick<Change, 'failure'>) => failure !== null }
  const found = await explainBalance(database.server, owner_id, search)
  expect(found.changes.map(told)).toEqual(all.filter(([, failure]) => failure !== null))
  expect(found.changes[0]).toMatchObject({
    actor: owner_id,
    kind: 'usage',
    model: 'large',
    project: 'website',
  })
})
