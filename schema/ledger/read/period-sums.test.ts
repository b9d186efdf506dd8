import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { buildGrant, giveCredits, spendNow } from '../../../tests/support/factories/transfers.ts'
import { postTransfers } from '../post/post.ts'
import { sumPeriods } from './period-sums.ts'

const database = testDatabase()
const at = (text: string) => new Date(text)

test('sums of periods count what lies between the times, and only usage as used', async () => {
  const grant = (day: string, amount: number) =>
    buildGrant('user_sums', amount, { occurred_at: at(`${day}T12:00:00Z`) })
  await postTransfers(database.worker, [
    grant('2026-01-01', 1000),
    grant('2026-01-02', 50),
    grant('2026-01-02', -30),
  ])
  await use('user_sums', 20, '2026-01-02T00:00:00Z')
  await use('user_sums', 5, '2026-01-02T23:59:59.999Z')
  await use('user_sums', 1, '2026-01-03T00:00:00Z')
  const times = ['2026-01-02', '2026-01-03', '2026-01-04'].map((day) => at(`${day}T00:00:00Z`))
  expect(await sumPeriods(database.server, 'user_sums', times)).toEqual([
    { used: 25, granted: 50 },
    { used: 1, granted: 0 },
    { used: 0, granted: 0 },
  ])
})

test('sums of periods count every entry once, however many there are, and stop at those that are older', {
  timeout: 5 * 60_000,
}, async () => {
  // Each usage takes one credit of the plan and one that was bought: two entries of one transfer.
  await giveCredits(database, 'user_many', { purchased: 10_000 })
  await sql`
      DO $$ BEGIN
        FOR i IN 1..1800 LOOP
          PERFORM ledger_post(ARRAY['user_many'], ARRAY['adjustment/many-' || i], ARRAY['adjustment'], ARRAY[now()],
            ARRAY[NULL]::uuid[], ARRAY[NULL]::text[], ARRAY['test'], ARRAY['Test'], ARRAY[1], ARRAY[0], ARRAY['adjusted'],
            ARRAY[jsonb_build_object('id', 'adjustment/user_many/plan', 'kind', 'adjustment', 'owner_id', 'user_many', 'account', 'plan')]);
          PERFORM ledger_spend(ARRAY['user_many'], ARRAY['use'], ARRAY[2], ARRAY['usage/many-' || i], ARRAY[now()],
            ARRAY['test'], ARRAY['Test'], ARRAY[NULL]::uuid[], ARRAY[NULL], ARRAY[NULL], ARRAY[NULL], ARRAY[NULL], ARRAY[NULL]::uuid[],
            ARRAY[NULL]::bigint[], ARRAY[NULL]::integer[], ARRAY[NULL]::boolean[], ARRAY[NULL]::uuid[], ARRAY[NULL]::bigint[], false);
        END LOOP;
      END $$`.execute(database.owner)
  expect(await sumPeriods(database.server, 'user_many', [at('2020-01-01T00:00:00Z')])).toEqual([
    { used: 3600, granted: 11_800 },
  ])
  expect(await sumPeriods(database.server, 'user_many', [at('2999-01-01T00:00:00Z')])).toEqual([
    { used: 0, granted: 0 },
  ])
})

test('the sums of an owner without credits are zero', async () => {
  expect(await sumPeriods(database.server, 'user_none', [at('2026-01-01T00:00:00Z')])).toEqual([
    { used: 0, granted: 0 },
  ])
})

const use = (owner_id: string, credits: number, occurredAt: string) =>
  spendNow(database.server, owner_id, credits, { occurred_at: new Date(occurredAt) })
