import { beforeEach, expect, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { type CheckoutFailure, claimableIntents, refusedByBank } from '../billing/checkout/intents.ts'
import { recordOutcome } from '../billing/checkout/outcomes.ts'
import { claimDue } from '../inbox/claim/claim-due.ts'
import { recordFailedTry } from '../inbox/claim/record-try.ts'
import { countProblems } from './problems.ts'

const database = testDatabase()
const now = new Date('2030-01-01T00:00:00Z')
const stripe_session_id = 'cs_1'

beforeEach(async () => {
  await database.owner.deleteFrom('checkout_intents').execute()
})

async function countIntents(): Promise<Record<string, number>> {
  const counts = await countProblems(database.server, { stuck_before: now, limit: 100 })
  return Object.fromEntries(
    counts.filter(({ kind }) => kind === 'intent').map(({ state, count }) => [state, count]),
  )
}

test('a checkout needs a person when it is stuck or has failed, unless the bank refused the payment', async () => {
  const { id } = await buildPurchase(database.server, { stripe_session_id, next_try_at: now })
  expect(await countIntents()).toEqual({ stuck: 0, failed: 0 })
  await claimDue(database.worker, claimableIntents, { now, first_wait_ms: 60_000, limit: 10 })
  const tried = { rows: claimableIntents, key: { id }, claim: 1 } as const
  await recordFailedTry(database.worker, tried, { last_error: 'No', next_try_at: now, unavailable_at: null })
  expect(await countIntents()).toEqual({ stuck: 1, failed: 0 })
  const fail = (failure_code: CheckoutFailure['failure_code']) => {
    const failure = { failure_code, failure_reason: 'Told to support' }
    return database.worker
      .transaction()
      .execute((trx) => recordOutcome(trx, { id, stripe_session_id, state: 'failed', failure }))
  }
  await fail('terms_mismatch')
  expect(await countIntents()).toEqual({ stuck: 0, failed: 1 })
  for (const refusal of refusedByBank) {
    await fail(refusal)
    expect(await countIntents(), refusal).toEqual({ stuck: 0, failed: 0 })
  }
  await database.worker
    .transaction()
    .execute((trx) => recordOutcome(trx, { state: 'settled', id, stripe_session_id }))
  expect(await countIntents()).toEqual({ stuck: 0, failed: 0 })
})
