import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { giveCredits } from '../../../tests/support/factories/transfers.ts'
import { changeFirstReports, tamper } from '../../../tests/support/faults/tamper.ts'
import type { Owner } from '../accounts.ts'
import { postSums, sumUsage } from '../post/sums.ts'
import { spendCredits } from '../spend/usage.ts'
import { verifyLedger } from '../verify/verify.ts'
import { findBalance } from './balances.ts'
import { listFailedSums } from './failed-sums.ts'
import { findOldestSumSeconds } from './reports.ts'

const database = testDatabase()
afterAll(async () => {
  expect((await verifyLedger(database.owner, {})).problems).toEqual([])
})

/** An owner with 97 credits and an open sum of two reports, which came before those of the owners that are made later. */
async function summing(): Promise<Owner> {
  const owner: Owner = { owner_kind: 'organization', owner_id: `org_${randomUUID().slice(0, 8)}` }
  await giveCredits(database, owner, { purchased: 100 })
  await sumUsage(database.worker, owner, true)
  for (const credits of [1, 2]) {
    await spendCredits(database.server, {
      ...owner,
      credits,
      idempotency_key: randomUUID(),
      occurred_at: new Date('2026-11-20T12:00:10Z'),
      actor: 'user_ada',
      reason: 'Completion',
    })
  }
  return owner
}

const makeDue = () => sql`UPDATE ledger_failed_sums SET try_at = now()`.execute(database.owner)
const post = (sums_max?: number) =>
  postSums(database.worker, { older_than_ms: 0, ...(sums_max && { sums_max }) })

/** Whether the owner's usage has been posted. */
async function isPosted({ owner_id }: Owner): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM ledger_transfers WHERE owner_id = ${owner_id} AND kind = 'usage'`.execute(database.owner)
  return rows.length > 0
}

test('more tampered sums than are posted together keep nobody else’s from being posted, and are posted when somebody has mended them', async () => {
  const tampered: Owner[] = []
  for (let i = 0; i < 21; i += 1) tampered.push(await summing())
  await changeFirstReports(database, tampered, 9)
  const honest = await summing()
  await post()
  expect(await isPosted(honest)).toBe(true)

  const [first = expect.fail(), ...others] = await listFailedSums(database.server)
  expect(others).toHaveLength(20)
  expect(first).toMatchObject({ ...tampered[0], credits: 3, reports: 2, tries: 1 })
  expect(first.reason).toMatch(/^The reports of transfer \d+ are not those of its owner's row$/)
  expect(first.try_at.getTime()).toBeGreaterThan(first.last_failed_at.getTime())
  expect(await listFailedSums(database.server, tampered[3])).toMatchObject([tampered[3]])
  expect(await listFailedSums(database.server, honest)).toEqual([])
  expect(await findOldestSumSeconds(database.server)).toBe(0)

  // It is not time to try again, and whoever is tried again comes after all others.
  expect(await post()).toBe(0)
  await makeDue()
  const next = await summing()
  expect(await post(1)).toBe(1)
  expect(await isPosted(next)).toBe(true)
  await post()
  const [again = expect.fail()] = await listFailedSums(database.server, tampered[0])
  expect(again).toMatchObject({ tries: 2, first_failed_at: first.first_failed_at })
  const pauseMs = (sum: typeof again) => sum.try_at.getTime() - sum.last_failed_at.getTime()
  expect(pauseMs(again)).toBeGreaterThan(pauseMs(first))

  await changeFirstReports(database, tampered, 1)
  // Whatever is posted for the owner posts the sum before, whenever it would have been tried again.
  await giveCredits(database, first, { purchased: 5 })
  expect(await findBalance(database.server, first)).toMatchObject({ total: 102 })
  expect(await listFailedSums(database.server)).toHaveLength(20)
  expect(await post()).toBe(0)
  await makeDue()
  expect(await post()).toBe(20)
  expect(await listFailedSums(database.server)).toEqual([])
})

test('a sum that cannot be posted for another reason is set aside too', async () => {
  const owner = await summing()
  // The key of its transfer, as if that had been posted before.
  await sql`
    INSERT INTO ledger_keys (owner_id, idempotency_key, transfer_id, format, input_hash)
    SELECT owner_id, 'usage_sums/' || owner_id || '/' || unposted_transfer_id, unposted_transfer_id, 2, ''
    FROM ledger_owners WHERE owner_id = ${owner.owner_id}`.execute(database.owner)
  const honest = await summing()
  await post()
  expect(await isPosted(honest)).toBe(true)
  expect(await listFailedSums(database.server, owner)).toMatchObject([
    { reason: expect.stringContaining('duplicate key') },
  ])
  await tamper(
    database,
    sql`DELETE FROM ledger_keys WHERE owner_id = ${owner.owner_id} AND starts_with(idempotency_key, 'usage_sums/')`,
  )
  await makeDue()
  await post()
  expect(await isPosted(owner)).toBe(true)
})
