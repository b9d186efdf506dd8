import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { connectForTest } from '../../tests/support/database/connect-for-test.ts'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { giveCredits, spendNow } from '../../tests/support/factories/transfers.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { lowBalanceCredits } from '../catalogue/credits.ts'
import type { Database } from '../database/connect.ts'
import { listBudgets, raiseBudget, setBudget } from '../ledger/budgets.ts'
import { monthGrant } from '../ledger/grants.ts'
import { switchMails } from '../people/users/users.ts'

const database = testDatabase()
const noon = new Date('2026-11-20T12:00:00Z')
const nextDay = new Date('2026-11-21T12:00:00Z')

const told = async (owner_id: string) => {
  const mails = database.owner.selectFrom('mails').selectAll().where('owner_id', '=', owner_id)
  const rows = await mails.orderBy('occasion').execute()
  return rows.map(({ kind, user_id, figures }) => ({ kind, user_id, ...(figures as { percent?: number }) }))
}

/** What may be spent of 10,000 credits that belong to an organization with an admin and a member. */
async function team(purchased = 10_000) {
  const owner_id = `org_${randomUUID().slice(0, 8)}`
  const [admin, member] = [await buildUser(database.server), await buildUser(database.server)]
  const row = { organization_id: owner_id, snapshot_order: 1 }
  const admins = { ...row, user_id: admin, role: 'admin' } as const
  const members = { ...row, user_id: member, role: 'member' } as const
  await database.owner.insertInto('organization_members').values([admins, members]).execute()
  await giveCredits(database, owner_id, { purchased })
  const set = { owner_id, user_id: null, period: 'day', set_by: admin, now: noon } as const
  const limit = (scope: 'organization' | 'member_default', credits: number) =>
    setBudget(database.server, { ...set, scope, credits })
  const use = (credits: number, occurred_at = noon, db: Database = database.server) =>
    spendNow(db, owner_id, credits, { actor: member, occurred_at })
  return { owner_id, admin, member, limit, use }
}

test('usage that reaches a limit of everyone tells the admin once of 80 and of 100 percent, in any order', async () => {
  const usages = [35, 25, 20, 15, 5]
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(usages, { minLength: 5 }), async (order) => {
      const { owner_id, admin, limit, use } = await team()
      await limit('organization', 100)
      for (const credits of order) expect((await use(credits)).outcome).toBe('posted')
      const mail = {
        kind: 'budget',
        user_id: admin,
        limit: 100,
        scope: 'organization',
        resets_on: '2026-11-21',
      }
      expect(await told(owner_id)).toEqual([
        { ...mail, percent: 100 },
        { ...mail, percent: 80 },
      ])
    }),
    { numRuns: 5 },
  )
})

test('a limit that is reached again in its period is told once, and in the next one again', async () => {
  const { owner_id, limit, use, admin } = await team()
  await limit('organization', 100)
  await use(79)
  expect(await told(owner_id)).toEqual([])
  await use(1)
  const [budget] = await listBudgets(database.server, { owner_id, people: [admin], now: noon })
  const raised = { owner_id, budget_id: budget?.id ?? '', person: admin, credits: 200, now: noon }
  expect(await raiseBudget(database.server, raised)).toBe(true)
  await use(80)
  expect(await told(owner_id)).toHaveLength(1)
  await use(80, nextDay)
  expect(await told(owner_id)).toHaveLength(2)
})

test('servers that reach a limit at the same time tell of it once', async () => {
  const { owner_id, limit, use } = await team()
  await limit('organization', 100)
  await Promise.all(Array.from({ length: 12 }, () => use(10)))
  expect((await told(owner_id)).map(({ percent }) => percent)).toEqual([100, 80])
})

test('a balance is told once a day when usage makes it low, whether it is used at once or bit by bit', async () => {
  const { owner_id, admin, use } = await team(lowBalanceCredits + 50)
  await use(50)
  expect(await told(owner_id)).toEqual([])
  await use(1)
  await use(9)
  expect(await told(owner_id)).toEqual([{ kind: 'balance_low', user_id: admin, left: lowBalanceCredits - 1 }])
  for (const at of [noon, nextDay]) {
    await giveCredits(database, owner_id, { purchased: 100 })
    await use(100, at)
  }
  expect(await told(owner_id)).toHaveLength(2)
})

test('a limit of each member is told to the member, and one of everyone to no admin who wants no mail', async () => {
  const { owner_id, admin, member, limit, use } = await team()
  await switchMails(database.server, { user_id: admin, owner_id, on: false })
  await limit('organization', 100)
  await limit('member_default', 100)
  await use(100)
  expect((await told(owner_id)).map(({ user_id }) => user_id)).toEqual([member, member])
  await switchMails(database.server, { user_id: admin, owner_id, on: true })
  await use(100, nextDay)
  expect((await told(owner_id)).map(({ user_id }) => user_id)).toContain(admin)
})

test('usage in the month of a new plan tells of no limit of the calendar month that it has ended', async () => {
  const { owner_id, admin, use } = await team()
  const set = { owner_id, scope: 'organization', user_id: null, set_by: admin, now: noon } as const
  await setBudget(database.server, { ...set, credits: 100, period: 'billing_month' })
  await use(79)
  const paid = { intent_id: null, stripe_subscription_id: 'sub_new', stripe_invoice_id: 'in_new' }
  const month = { month_starts_at: nextDay, starts_at: nextDay, ends_at: new Date('2026-12-21T12:00:00Z') }
  const grant = monthGrant('month', owner_id, { ...paid, ...month })
  await database.owner.insertInto('ledger_grants').values(grant).execute()
  await use(5, nextDay)
  expect(await told(owner_id)).toEqual([])
})

test('a process that sends no mail writes none down', async () => {
  const { owner_id, limit, use } = await team()
  const silent = connectForTest(database.url, { mails: false })
  await limit('organization', 9_950)
  expect((await use(9_950, noon, silent.db)).outcome).toBe('posted')
  expect(await told(owner_id)).toEqual([])
})
