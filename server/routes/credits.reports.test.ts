import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { getCreditHistory, getUsageSummary, listUsageReports } from '../../schema/api/credits.ts'
import { explainBalance } from '../../schema/api/explanation.ts'
import { getExtensionBalance, reportUsage } from '../../schema/api/extension.ts'
import { getOrganizationCredits } from '../../schema/api/organizations.ts'
import { postSums, sumUsage } from '../../schema/ledger/post/sums.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { buildExtensionToken } from '../../tests/support/factories/extension-tokens.ts'
import { buildOrganization } from '../../tests/support/factories/organizations.ts'
import { buildSeat } from '../../tests/support/factories/seats.ts'
import { giveCredits } from '../../tests/support/factories/transfers.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'

const { database, clerk, server, clock } = testProduct({ clerk: 'sandbox' })
afterAll(async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

const team = madeOnce(async () => {
  const admin = await signUp(clerk)
  const { id } = await buildOrganization(clerk, admin)
  await buildUser(database.server, admin.user_id)
  await buildSeat(database, {
    organization_id: id,
    user_id: admin.user_id,
    email: 'admin@tidemark.test',
    role: 'admin',
  })
  const owner = { owner_kind: 'organization', owner_id: id } as const
  await giveCredits(database, owner, { plan: 10, purchased: 90 })
  await sumUsage(database.worker, owner, true)
  return { id, admin, editor: await buildExtensionToken(database, admin.user_id) }
})

const report = (credits: number) =>
  server.ask(reportUsage, {
    token: team.editor,
    body: { credits, payer: team.id, idempotency_key: randomUUID(), description: `Chat ${credits}` },
  })
const ask = { payer: 'personal', limit: '25' }
const read = (query: Record<string, string>) =>
  server.api(listUsageReports, {
    token: team.admin.token,
    query: { ...ask, payer: team.id, ...query } as never,
  })

test('the reports of a minute are one item of the history and are listed under it, before it is posted and after', async () => {
  clock.stop(new Date('2026-05-20T12:00:05Z'))
  const balance = () => server.api(getExtensionBalance, { token: team.editor, query: { payer: team.id } })
  const before = await balance()
  for (const credits of [4, 8, 1]) await report(credits)
  const after = await balance()
  expect(after.body).toMatchObject({ available: 87, plan: 0, purchased: 87 })
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))

  const seen = async () => {
    const by = { token: team.admin.token, query: { payer: team.id } }
    const { items } = (await server.ask(getCreditHistory, by)).data
    const explained = (await server.ask(explainBalance, by)).data
    const credits = await server.ask(getOrganizationCredits, {
      token: team.admin.token,
      query: { org_id: team.id },
    })
    const summary = (await server.ask(getUsageSummary, by)).data.this_month
    return { items, explained, credits, summary }
  }
  const open = await seen()
  expect(
    open.items
      .map(({ amount, reports, is_open }) => [amount, reports, is_open])
      .slice(0, 2)
      .sort(),
  ).toEqual(
    [
      [-10, 3, true],
      [-3, 3, true],
    ].sort(),
  )
  expect(open).toMatchObject({
    explained: {
      balance: { total: 87 },
      items: [
        {
          cause: { kind: 'usage', note: '3 reports of usage' },
          reports: 3,
          is_open: true,
          change: { total: -13 },
        },
        { reports: null, is_open: false },
        { reports: null, is_open: false },
      ],
    },
    credits: { remaining_credits: 87, used_credits: 13 },
    summary: { used: 13 },
  })

  const transfer_id = open.explained.items[0]?.id ?? ''
  const reports = async () => {
    const first = await read({ transfer_id, limit: '2' })
    expect(first).toMatchObject({
      body: {
        data: {
          items: [
            { credits: 4, user_id: team.admin.user_id, description: 'Chat 4' },
            { credits: 8, occurred_at: '2026-05-20T12:00:05.000Z' },
          ],
          next_cursor: '2',
        },
      },
    })
    expect(await read({ transfer_id, limit: '2', cursor: '2' })).toMatchObject({
      body: { data: { items: [{ credits: 1 }], next_cursor: null } },
    })
  }
  await reports()
  await postSums(database.worker, { older_than_ms: 0 })
  await reports()
  const posted = await seen()
  const closed = <Item extends object>(items: readonly Item[]) =>
    items.map((item) => ({ ...item, is_open: false }))
  expect(posted.items).toEqual(closed(open.items))
  expect(posted.explained.items).toEqual(closed(open.explained.items))
  expect([posted.credits, posted.summary]).toEqual([open.credits, open.summary])
})

test('a transfer that sums nothing, or is another’s, has no reports, and what names none is refused', async () => {
  expect(await read({ transfer_id: '1' })).toMatchObject({ status: 200, body: { data: { items: [] } } })
  expect(await read({ transfer_id: 'x' })).toMatchObject({ status: 400 })
  expect(await server.api(listUsageReports, { query: { ...ask, transfer_id: '1' } as never })).toMatchObject({
    status: 401,
  })
})
