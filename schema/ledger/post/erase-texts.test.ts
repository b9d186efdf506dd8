import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { user } from '../../../tests/support/factories/grants.ts'
import { giveCredits } from '../../../tests/support/factories/transfers.ts'
import { type SpendOutcome, type SpendRequest, spendCredits } from '../spend/usage.ts'
import { verifyLedger } from '../verify/verify.ts'
import { eraseTransferTexts } from './erase-texts.ts'

const database = testDatabase()
const ada = user('user_ada')
const pool: string = 'org_pool'
const [laptop, desktop] = [randomUUID(), randomUUID()]
const day = new Date('2026-11-20T12:00:00Z')

const labelled = (actor: string, payer: string, token_id: string, model: string) => ({
  owner_id: payer,
  actor,
  token_id,
  model,
  project: `${model} project`,
  run: `${model} run`,
  occurred_at: day,
  idempotency_key: randomUUID(),
  reason: `${model} reason`,
})

const ask = (...requests: SpendRequest[]): Promise<SpendOutcome[]> => spendCredits(database.server, requests)

/** Every label and reason that is left of a person's usage. */
async function textsOf(person: string): Promise<unknown[]> {
  const texts = sql`ARRAY[reason, model, project, run]::text[]`
  const { rows } = await sql<{ text: string }>`
    SELECT DISTINCT text FROM (
      SELECT ${texts} AS texts FROM ledger_transfers WHERE actor = ${person}
      UNION ALL SELECT ${texts} FROM ledger_failures WHERE actor = ${person}
      UNION ALL SELECT ${texts} FROM ledger_holds WHERE actor = ${person}
      UNION ALL SELECT ARRAY[model, project]::text[] FROM ledger_usage_days WHERE actor = ${person}) rows, unnest(texts) AS text
    WHERE text IS NOT NULL`.execute(database.owner)
  return rows
}

async function sums() {
  const { rows } = await sql`
    SELECT owner_id, day::text, actor, token_id, sum(requests) AS requests, sum(failed) AS failed, sum(credits) AS credits, min(first_id) AS first_id,
      count(*) AS rows
    FROM ledger_usage_days GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`.execute(database.owner)
  return rows
}

test('an erased person’s sums of usage are merged and stay equal, and the books stay right', async () => {
  await giveCredits(database, ada, { purchased: 1000 })
  await giveCredits(database, pool, { purchased: 1000 })
  const use = (credits: number, ...of: Parameters<typeof labelled>) => ({ ...labelled(...of), credits })
  const [held, open] = await ask(
    { ...labelled('user_ada', pool, laptop, 'small'), action: 'reserve', credits: 50, lasting_s: 3600 },
    { ...labelled('user_ada', pool, laptop, 'large'), action: 'reserve', credits: 50, lasting_s: 3600 },
  )
  const settlement = (hold: SpendOutcome | undefined, credits: number) =>
    ({
      owner_id: pool,
      actor: 'user_ada',
      occurred_at: day,
      action: 'settle',
      may_spend: true,
      hold_id: hold?.hold?.id ?? '',
      credits,
    }) as const
  await ask(
    use(1, 'user_ada', ada, laptop, 'small'),
    use(2, 'user_ada', ada, laptop, 'large'),
    use(3, 'user_ada', ada, desktop, 'large'),
    use(4, 'user_ada', pool, laptop, 'small'),
    { ...use(0, 'user_ada', pool, laptop, 'large'), failure: 'timeout' },
    use(5, 'user_eve', pool, laptop, 'small'),
    use(6, 'user_eve', pool, laptop, 'large'),
    settlement(held, 60),
  )
  const withOneRow = (row: unknown) => ({ ...(row as object), rows: 1 })
  const ofAda = (row: unknown) => (row as { actor: string }).actor === 'user_ada'
  const before = await sums()
  const evesTexts = await textsOf('user_eve')
  expect(evesTexts).toHaveLength(8)
  expect(await textsOf('user_ada')).toHaveLength(8)

  const person = { user_id: 'user_ada', organizations: ['org_pool'], names: [] }
  expect(await database.worker.transaction().execute((trx) => eraseTransferTexts(trx, person))).toBe(7)
  expect(await sums()).toEqual(before.map((row) => (ofAda(row) ? withOneRow(row) : row)))
  expect(await textsOf('user_ada')).toEqual([])
  expect(await textsOf('user_eve')).toEqual(evesTexts)
  expect((await verifyLedger(database.owner)).problems).toEqual([])

  // What was open is settled, and counted with what is left of the person.
  expect(await ask(settlement(open, 20))).toMatchObject([{ outcome: 'posted', charged: 20 }])
  expect(await textsOf('user_ada')).toEqual([])
  expect(await ask(use(7, 'user_ada', ada, laptop, 'small'))).toMatchObject([{ outcome: 'posted' }])
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})
