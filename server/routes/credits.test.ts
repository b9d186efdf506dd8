import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { getUsageSummary } from '../../schema/api/credits.ts'
import { explainBalance, exportExplanation } from '../../schema/api/explanation.ts'
import { postTransfers } from '../../schema/ledger/post/post.ts'
import type { Usage } from '../../schema/ledger/spend/usage.ts'
import { addMember, buildOrganization } from '../../tests/support/factories/organizations.ts'
import { buildGrant, giveCredits, postTransfer, spendNow } from '../../tests/support/factories/transfers.ts'
import { buildAccount } from '../../tests/support/factories/users.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'

const { database, clerk, server, clock } = testProduct({ clerk: 'sandbox' })

const spend = (owner_id: string, credits: number, fields: Partial<Usage> = {}) =>
  spendNow(database.server, owner_id, credits, fields)

describe('a search in the transactions', () => {
  const linus = madeOnce(() => signUp(clerk))
  const search = async (query: Record<string, string>) =>
    (await server.ask(explainBalance, { token: linus.token, query })).data
  beforeAll(async () => {
    await giveCredits(database, linus.user_id, { purchased: 1500, plan: 25 })
    await spend(linus.user_id, 20, { reason: 'Chat in kernel' })
    await spend(linus.user_id, 30, { reason: 'Refactoring' })
  })

  test.each([
    [{ category: 'usage' }, [-30, -20]],
    [{ category: 'correction' }, [1500, 25]],
    [{ category: 'purchase' }, []],
    [{ q: 'KERNEL' }, [-20]],
    [{ q: 'correction BY' }, [1500, 25]],
    [{ q: ' 1.500 ' }, [1500]],
    [{ q: '1,500' }, [1500]],
    [{ q: '5' }, [-30]],
    [{ q: '' }, [-30, -20, 1500, 25]],
    [{ category: 'correction', q: 'kernel' }, []],
  ])('the search %o finds its part, in the pots as well', async (query, totals) => {
    const { items, next_cursor } = await search(query as Record<string, string>)
    expect(items.map(({ change }) => change.total)).toEqual(totals)
    expect(next_cursor).toBeNull()
  })

  test('the balances of what a search finds are those among all transactions', async () => {
    const { items } = await search({ q: 'kernel' })
    expect(items[0]?.balance_after).toEqual({ plan: 5, purchased: 1500, total: 1505 })
  })
})

describe('the export', () => {
  const exported = (query: Record<string, string>, { token }: Person) =>
    server.api(exportExplanation, { token, query })

  test('the export is a file that runs no formula, and no cache keeps it', async () => {
    const kate = await signUp(clerk)
    await giveCredits(database, kate.user_id, { purchased: 5000 })
    await spend(kate.user_id, 7, {
      occurred_at: new Date('2026-05-01T10:00:00Z'),
      reason: '=HYPERLINK("http://evil.test")',
    })
    const { headers, body } = await exported({}, kate)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="transactions-\d{4}-\d\d-\d\d\.csv"$/,
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toContain(
      `"2026-05-01T10:00:00.000Z","'=HYPERLINK(""http://evil.test"")","Used in an editor","0","-7","0","4993","4993",""`,
    )
  })

  test('the export reaches over many pages and keeps to the search', async () => {
    const many = await signUp(clerk)
    const grants = Array.from({ length: 2500 }, (_, i) =>
      buildGrant(many.user_id, 1, { reason: `Number ${i}` }),
    )
    await postTransfers(database.worker, grants)
    const lines = async (query: Record<string, string>) =>
      String((await exported(query, many)).body)
        .trimEnd()
        .split('\r\n')
        .slice(1)
    const all = await lines({})
    expect(all).toHaveLength(2500)
    expect(new Set(all.map((line) => line.split('","')[2])).size).toBe(2500)
    expect(await lines({ q: 'number 1234' })).toHaveLength(1)
    expect(await lines({ category: 'usage' })).toEqual([])
  })
})

describe('the summary of usage', () => {
  const summary = async (query: Record<string, string>, by: { token: string }) =>
    (await server.ask(getUsageSummary, { token: by.token, query })).data

  test('the summary of usage counts by the days and months of the reader', async () => {
    const mary = await signUp(clerk)
    clock.stop(new Date('2026-03-01T02:00:00Z'))
    await postTransfer(
      database.worker,
      buildGrant(mary.user_id, 1000, { occurred_at: new Date('2026-02-10T12:00:00Z') }),
    )
    // In New York it is still the last evening of February.
    await spend(mary.user_id, 60, { occurred_at: new Date('2026-03-01T01:00:00Z') })
    await spend(mary.user_id, 3, { occurred_at: new Date('2026-01-05T12:00:00Z') })

    const utc = await summary({}, mary)
    expect(utc.days).toHaveLength(30)
    expect(utc.days.at(0)?.date).toBe('2026-01-31')
    expect(utc.days.at(-1)).toEqual({ date: '2026-03-01', used: 60, granted: 0 })
    expect(utc).toMatchObject({
      time_zone: 'UTC',
      this_month: { used: 60, granted: 0 },
      last_month: { used: 0, granted: 1000 },
      daily_average: 2,
    })

    const week = await summary({ days: '7' }, mary)
    expect(week.days.map(({ date }) => date)).toEqual(utc.days.slice(-7).map(({ date }) => date))
    expect(week).toMatchObject({ last_month: { granted: 1000 }, daily_average: 8.6 })
    const quarter = await summary({ days: '90' }, mary)
    expect(quarter.days).toHaveLength(90)
    expect(quarter.days.find(({ date }) => date === '2026-01-05')).toMatchObject({ used: 3 })

    const newYork = await summary({ time_zone: 'America/New_York' }, mary)
    expect(newYork.days.at(-1)).toEqual({ date: '2026-02-28', used: 60, granted: 0 })
    expect(newYork.days.find(({ date }) => date === '2026-02-10')).toMatchObject({ granted: 1000 })
    expect(newYork).toMatchObject({
      this_month: { used: 60, granted: 1000 },
      last_month: { used: 3, granted: 0 },
    })
    clock.reset()
  })

  test('the summary of usage of an organization is that of its pool', async () => {
    const [admin, member] = [await signUp(clerk), await signUp(clerk)]
    const organization = await buildOrganization(clerk, admin)
    await addMember(clerk, organization, member)
    await giveCredits(database, organization.id, { purchased: 900 })
    await spend(organization.id, 40)
    expect(await summary({ payer: organization.id }, member)).toMatchObject({ daily_average: 1.3 })
  })

  test.each(['Mars/Olympus', '+02:00', '', 'Europe/Berlin; DROP TABLE', 'x'.repeat(65)])(
    'the summary of usage refuses the time zone %j',
    async (time_zone) => {
      const { token } = await signUp(clerk)
      expect((await server.api(getUsageSummary, { token, query: { time_zone } })).status).toBe(400)
    },
  )
})

test('a text that was erased is shown as erased', async () => {
  const cid = await buildAccount({ database, clerk })
  await giveCredits(database, cid.user_id, { purchased: 100 })
  await sql`UPDATE ledger_transfers SET reason = NULL, reason_salt = NULL WHERE owner_id = ${cid.user_id}`.execute(
    database.owner,
  )
  const explained = await server.ask(explainBalance, { token: cid.token, query: {} })
  expect(explained.data.items).toMatchObject([{ cause: { kind: 'correction', note: 'Text erased' } }])
})
