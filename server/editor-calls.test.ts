import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import type { Database } from '../schema/database/connect.ts'
import { IdempotencyConflictError } from '../schema/ledger/errors.ts'
import type { Usage } from '../schema/ledger/spend/usage.ts'
import { verifyLedger } from '../schema/ledger/verify/verify.ts'
import { testDatabase } from '../tests/support/database/test-database.ts'
import { giveCredits } from '../tests/support/factories/transfers.ts'
import { createEditorCalls } from './editor-calls.ts'

const database = testDatabase()
afterAll(async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

async function buildPool(credits: { plan?: number; purchased?: number }) {
  const owner_id = `org_${randomUUID().slice(0, 8)}`
  await giveCredits(database, owner_id, credits)
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
  const db = database.server.withPlugin({
    transformQuery: ({ node }) => node,
    // Only results in text format pass here.
    async transformResult({ result }) {
      statements += 1
      return result
    },
  })
  return { db, count: () => statements }
}

function spendAtOnce(usages: readonly Usage[], db = database.server) {
  const { spend } = createEditorCalls(db)
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
  const { spend } = createEditorCalls(database.server)
  const first = locked()
  const waiting = await database.owner.transaction().execute(async (trx) => {
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
