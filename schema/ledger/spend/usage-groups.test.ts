import * as fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../tests/support/database/test-database.ts'
import { giveCredits } from '../../../tests/support/factories/transfers.ts'
import { isLong } from '../../../tests/support/long.ts'
import { verifyLedger } from '../verify/verify.ts'
import { type SpendOutcome, spendCredits, type Usage } from './usage.ts'

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
