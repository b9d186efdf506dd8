import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { buildGrant, giveCredits, spendOne } from '../../../tests/support/factories/transfers.ts'
import { postTransfers } from '../post/post.ts'
import type { HistoryCursor, HistoryFilter } from './history.ts'
import { listHistory, sumPeriods } from './history.ts'

const database = testDatabase()
const user = (owner_id: string) => ({ owner_kind: 'user', owner_id }) as const

/** All entries that match, page by page, and how many pages they took. */
async function readAll(owner_id: string, filter: HistoryFilter, limit = 100) {
  const amounts: number[] = []
  let before: HistoryCursor | undefined
  let pages = 0
  do {
    const page = await listHistory(database.server, user(owner_id), { limit, before, filter })
    expect(page.entries.length).toBeLessThanOrEqual(limit)
    amounts.push(...page.entries.map(({ amount }) => amount))
    before = page.next ?? undefined
    pages++
  } while (before)
  return { amounts, pages }
}

describe('a long history', () => {
  const others = 5200
  beforeAll(async () => {
    await postTransfers(database.worker, [buildGrant('user_long', 77, { reason: 'A needle, 100% sure' })])
    for (let posted = 0; posted < others; posted += 1300) {
      const grants = Array.from({ length: 1300 }, () => buildGrant('user_long', 1, { reason: 'Hay' }))
      await postTransfers(database.worker, grants)
    }
  })

  test('a search reads a limited number of entries and goes on where it stopped', async () => {
    const search = (before?: HistoryCursor) =>
      listHistory(database.server, user('user_long'), { limit: 10, before, filter: { text: 'NEEDLE' } })
    const first = await search()
    expect(first).toMatchObject({ entries: [], next: { transfer_id: expect.any(Number) } })
    const second = await search(first.next ?? undefined)
    expect(second).toMatchObject({ entries: [{ amount: 77 }], next: null })
  })

  test('a search that finds everything has full pages, which neither repeat nor omit an entry', async () => {
    const { amounts, pages } = await readAll('user_long', { kinds: ['adjustment'] }, 1000)
    expect(amounts).toHaveLength(others + 1)
    expect(amounts.at(-1)).toBe(77)
    expect(pages).toBe(6)
  })

  test.each([
    ['100% sure', 1],
    ['%', 1],
    ['_', 0],
    ['77', 1],
    ['+77', 1],
    ['7', 0],
    ['hay', others],
  ])('a search for %j finds %i entries', async (text, found) => {
    expect((await readAll('user_long', { text }, 1000)).amounts).toHaveLength(found)
  })
})

test('an amount is found however its thousands are grouped', async () => {
  await giveCredits(database, user('user_groups'), { purchased: 12_500 })
  for (const text of ['12500', '12,500', '12.500', '12 500', '12\u202f500', '−12,500']) {
    expect((await readAll('user_groups', { text })).amounts).toEqual([12_500])
  }
})

describe('sums of periods', () => {
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
    expect(await sumPeriods(database.server, user('user_sums'), times)).toEqual([
      { used: 25, granted: 50 },
      { used: 1, granted: 0 },
      { used: 0, granted: 0 },
    ])
  })

  test('sums of periods count every entry once, however many there are, and stop at those that are older', async () => {
    // Each usage takes one credit of the plan and one that was bought: two entries of one transfer.
    await giveCredits(database, user('user_many'), { purchased: 10_000 })
    await sql`
      DO $$ BEGIN
        FOR i IN 1..1800 LOOP
          PERFORM ledger_post(ARRAY['user'], ARRAY['user_many'], ARRAY['adjustment/many-' || i], ARRAY['adjustment'], ARRAY[now()],
            ARRAY[NULL]::uuid[], ARRAY[NULL]::text[], ARRAY['test'], ARRAY['Test'], ARRAY[1], ARRAY[0], ARRAY['adjusted'],
            ARRAY[jsonb_build_object('id', 'adjustment/user/user_many/plan', 'kind', 'adjustment', 'owner_kind', 'user',
              'owner_id', 'user_many', 'account', 'plan')]);
          PERFORM ledger_spend(ARRAY['user'], ARRAY['user_many'], ARRAY[2], ARRAY['usage/many-' || i], ARRAY[now()], ARRAY['test'],
            ARRAY['Test'], false);
        END LOOP;
      END $$`.execute(database.owner)
    expect(await sumPeriods(database.server, user('user_many'), [at('2020-01-01T00:00:00Z')])).toEqual([
      { used: 3600, granted: 11_800 },
    ])
    expect(await sumPeriods(database.server, user('user_many'), [at('2999-01-01T00:00:00Z')])).toEqual([
      { used: 0, granted: 0 },
    ])
  })

  test('the sums of an owner without credits are zero', async () => {
    expect(await sumPeriods(database.server, user('user_none'), [at('2026-01-01T00:00:00Z')])).toEqual([
      { used: 0, granted: 0 },
    ])
  })
})

async function use(owner_id: string, credits: number, occurredAt: string): Promise<void> {
  await spendOne(database.server, {
    ...user(owner_id),
    credits,
    idempotency_key: `usage-${occurredAt}`,
    occurred_at: new Date(occurredAt),
    actor: 'test',
    reason: 'Test',
  })
}
