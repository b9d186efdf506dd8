import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../tests/support/database/test-database.ts'
import { giveCredits } from '../../../tests/support/factories/transfers.ts'
import { isLong } from '../../../tests/support/long.ts'
import type { Database } from '../../database/connect.ts'
import { IdempotencyConflictError } from '../errors.ts'
import { verifyLedger } from '../verify/verify.ts'
import { type SpendOutcome, spendCredits, type Usage } from './usage.ts'
import { createUsageGroups } from './usage-groups.ts'

/**
 * Usage that is reported together is decided by a function of its own. In one database it is decided so, in
 * the other one by one.
 */

const together = testDatabase()
const alone = testDatabase()
const databases = [together, alone]
afterAll(async () => {
  for (const { owner } of databases) expect((await verifyLedger(owner)).problems).toEqual([])
})

/** The last one has nothing at first, and no row. */
const names = ['user_a', 'user_b', 'org_a', 'org_b', 'user_new'] as const
const start = new Date('2026-11-20T12:00:10Z').getTime()

const credits = fc.integer({ min: -20, max: 60 })
const steps = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('use' as const),
      usages: fc.array(
        fc.record({
          name: fc.constantFrom(...names),
          // Few, so that the same report comes again, in the same group and in a later one, and sometimes
          // with another amount.
          key: fc.nat(12),
          credits: fc.constantFrom(1, 2, 5, 9),
          actor: fc.constantFrom('user_ada', 'user_bob "\\'),
        }),
        { minLength: 2, maxLength: 14, size: 'max' },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('give' as const),
      name: fc.constantFrom(...names),
      plan: credits,
      purchased: credits,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 70 }) }),
  },
)
const histories = fc.record({
  given: fc.array(fc.record({ plan: credits, purchased: credits }), { minLength: 4, maxLength: 4 }),
  steps: fc.array(steps, { minLength: 4, maxLength: 12, size: 'max' }),
})
type History = typeof histories extends fc.Arbitrary<infer Value> ? Value : never

function ownerOf(name: string, run: number): string {
  return `${name}_${run}`
}

/** What each usage was told, in the order in which they were reported. */
async function live(
  database: TestDatabase,
  run: number,
  { given, steps }: History,
  spend: (usages: readonly Usage[]) => Promise<SpendOutcome[]>,
): Promise<SpendOutcome[]> {
  const outcomes: SpendOutcome[] = []
  let now = start
  for (const [index, name] of names.entries()) {
    await giveCredits(database, ownerOf(name, run), given[index] ?? {})
  }
  for (const step of steps) {
    if (step.kind === 'wait') now += step.seconds * 1000
    else if (step.kind === 'give') await giveCredits(database, ownerOf(step.name, run), step)
    else {
      const usages = step.usages.map(({ name, key, credits, actor }) => ({
        owner_id: ownerOf(name, run),
        credits,
        idempotency_key: `${key}`,
        occurred_at: new Date(now),
        actor,
        reason: `Completion ${key}`,
      }))
      outcomes.push(...(await spend(usages)))
    }
  }
  return outcomes
}

/**
 * The owner's rows but for moments of the database's clock, and what is made of them; ids are numbered anew,
 * because a number may be drawn in vain.
 */
async function rowsOf(database: TestDatabase, owner_id: string) {
  const read = async (text: string) =>
    (await sql.raw<object>(text.replaceAll('ME', `'${owner_id}'`)).execute(database.owner)).rows
  const number = (id: string) =>
    `(SELECT count(*) FROM (SELECT DISTINCT transfer_id FROM ledger_keys WHERE owner_id = ME) k WHERE k.transfer_id <= ${id})`
  const key = `CASE WHEN starts_with(idempotency_key, 'usage/') THEN idempotency_key ELSE split_part(idempotency_key, '/', 1) END`
  return {
    owner: await read(
      `SELECT plan_version, plan_balance, purchased_version, purchased_balance, ${number('last_transfer_id')} AS last
       FROM ledger_owners WHERE owner_id = ME`,
    ),
    keys: await read(
      `SELECT ${key} AS key, ${number('transfer_id')} AS transfer, CASE WHEN starts_with(idempotency_key, 'usage/') THEN input_hash END AS hash
       FROM ledger_keys WHERE owner_id = ME ORDER BY transfer_id, idempotency_key`,
    ),
    transfers: await read(
      `SELECT ${number('id')} AS id, ${key} AS key, occurred_at, kind, act_id, actor, reason, intent_id, event_id, grant_id,
         CASE WHEN starts_with(idempotency_key, 'usage/') THEN input_hash END AS hash
       FROM ledger_transfers WHERE owner_id = ME ORDER BY ledger_transfers.id`,
    ),
    entries: await read(
      `SELECT ${number('transfer_id')} AS transfer, name, amount, version, balance_after
       FROM ledger_entries JOIN ledger_accounts ON ledger_accounts.id = account_id
       WHERE ledger_entries.owner_id = ME ORDER BY transfer_id, name`,
    ),
  }
}

let runs = 0

test('a group of usages writes the rows that they would write one by one, and each is told the same', {
  timeout: 10 * 60_000,
}, async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const run = ++runs
      const inGroups = await live(together, run, history, (usages) => spendCredits(together.server, usages))
      const oneByOne = await live(alone, run, history, async (usages) => {
        const outcomes: SpendOutcome[] = []
        for (const usage of usages) outcomes.push(...(await spendCredits(alone.server, [usage])))
        return outcomes
      })
      const told = (outcomes: readonly SpendOutcome[]) =>
        outcomes.map(({ transfer_id, ...outcome }) => ({ ...outcome, has_transfer: transfer_id !== null }))
      expect(told(inGroups)).toEqual(told(oneByOne))
      for (const name of names) {
        const owner_id = ownerOf(name, run)
        expect(await rowsOf(together, owner_id)).toEqual(await rowsOf(alone, owner_id))
      }
      for (const { outcome } of inGroups) seen.add(outcome)
    }),
    { numRuns: isLong ? 20 : 8, seed: 149 },
  )
  expect([...seen].sort()).toEqual(['conflict', 'posted', 'refused', 'replayed'])
})

async function buildPool(credits: { plan?: number; purchased?: number }) {
  const owner_id = `org_${randomUUID().slice(0, 8)}`
  await giveCredits(together, owner_id, credits)
  return (fields: Partial<Usage> = {}): Usage => ({
    owner_id,
    credits: 1,
    idempotency_key: randomUUID(),
    occurred_at: new Date(),
    actor: 'user_1',
    reason: 'Chat',
    ...fields,
  })
}

/** The server's database, and how many statements it was given. */
function counted(): { readonly db: Database; count(): number } {
  let statements = 0
  const db = together.server.withPlugin({
    transformQuery: ({ node }) => node,
    // Only results in text format pass here.
    async transformResult({ result }) {
      statements += 1
      return result
    },
  })
  return { db, count: () => statements }
}

function spendAtOnce(usages: readonly Usage[], db = together.server) {
  const spend = createUsageGroups(db)
  return Promise.all(
    usages.map((usage) =>
      spend(usage).then(
        ({ outcome, plan, purchased }) => ({ outcome, left: plan + purchased }),
        (error: Error) => error.name,
      ),
    ),
  )
}

test('twenty reports at once on a pool that covers twelve: twelve are posted and eight refused, in one statement', async () => {
  const { db, count } = counted()
  const usage = await buildPool({ plan: 5, purchased: 7 })
  const answers = await spendAtOnce(
    Array.from({ length: 20 }, () => usage()),
    db,
  )
  expect(answers).toEqual([
    ...Array.from({ length: 12 }, (_, index) => ({ outcome: 'posted', left: 11 - index })),
    ...Array.from({ length: 8 }, () => ({ outcome: 'refused', left: 0 })),
  ])
  expect(count()).toBe(1)
})

test('one of several concurrent reports with the same key is posted, its repetitions are replays, and another amount is a conflict', async () => {
  const usage = await buildPool({ purchased: 10 })
  const first = usage({ credits: 3 })
  const answers = await spendAtOnce([first, first, { ...first, credits: 4 }, usage({ credits: 2 }), first])
  expect(answers).toEqual([
    { outcome: 'posted', left: 7 },
    { outcome: 'replayed', left: 7 },
    IdempotencyConflictError.name,
    { outcome: 'posted', left: 5 },
    { outcome: 'replayed', left: 5 },
  ])
})

test('payers share a statement and not their credits', async () => {
  const { db, count } = counted()
  const [rich, poor] = [await buildPool({ purchased: 10 }), await buildPool({ purchased: 1 })]
  expect(await spendAtOnce([rich(), poor(), rich(), poor()], db)).toEqual([
    { outcome: 'posted', left: 9 },
    { outcome: 'posted', left: 0 },
    { outcome: 'posted', left: 8 },
    { outcome: 'refused', left: 0 },
  ])
  expect(count()).toBe(1)
})

test('a report that the ledger cannot take fails alone', async () => {
  const usage = await buildPool({ purchased: 10 })
  const answers = await spendAtOnce([usage(), usage({ credits: 0 }), usage({ reason: 'a\0b' }), usage()])
  expect(answers.map((answer) => (typeof answer === 'string' ? 'failed' : answer.outcome))).toEqual([
    'posted',
    'failed',
    'failed',
    'posted',
  ])
})

test('a payer who is locked for long does not delay reports of other payers that arrive at the same moment', async () => {
  const [locked, free] = [await buildPool({ purchased: 10 }), await buildPool({ purchased: 10 })]
  const spend = createUsageGroups(together.server)
  const first = locked()
  const waiting = await together.owner.transaction().execute(async (trx) => {
    await sql`SELECT FROM ledger_owners WHERE owner_id = ${first.owner_id} FOR UPDATE`.execute(trx)
    const [one, other, two] = [spend(first), spend(free()), spend(locked())]
    expect(await other).toMatchObject({ outcome: 'posted', purchased: 9 })
    expect(await spend(free())).toMatchObject({ outcome: 'posted', purchased: 8 })
    return [one, two]
  })
  expect(await Promise.all(waiting)).toMatchObject([
    { outcome: 'posted', purchased: 9 },
    { outcome: 'posted', purchased: 8 },
  ])
})
