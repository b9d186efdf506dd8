import { expect, test } from 'vitest'
import { booksEndRight } from '../../../tests/support/database/right-books.ts'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { buildSpender, spendingStart } from '../../../tests/support/factories/holds.ts'
import { buildUsage } from '../../../tests/support/factories/transfers.ts'
import { endExpiredHolds } from '../post/holds.ts'
import { holdsOfPersonMax } from '../read/open-holds.ts'
import { type SpendRequest, spendCredits, type Usage } from './usage.ts'

const database = testDatabase()
booksEndRight(database)

const minute = 60_000
const spender = (credits: { plan?: number; purchased?: number }) => buildSpender(database, credits)
const ask = (...requests: readonly SpendRequest[]) => spendCredits(database.server, requests)

test('twenty parallel holds of 75 on 500 credits grant exactly six', async () => {
  const { reserve, balance } = await spender({ plan: 300, purchased: 200 })
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => reserve(75)))
  expect(outcomes.filter(({ outcome }) => outcome === 'posted')).toHaveLength(6)
  expect(outcomes.filter(({ outcome }) => outcome === 'refused')).toHaveLength(14)
  expect(await balance()).toMatchObject({ total: 500, held: 450, available: 50 })
})

test('a settlement takes what it cost and frees the rest, plan credits first', async () => {
  const { reserve, settle, balance } = await spender({ plan: 50, purchased: 100 })
  const hold = await reserve(75)
  expect(hold).toMatchObject({ outcome: 'posted', plan: 50, held: 75, hold: { state: 'open', credits: 75 } })
  expect(await settle(hold, 60)).toMatchObject({
    outcome: 'posted',
    charged: 60,
    held: 0,
    plan: 0,
    purchased: 90,
  })
  expect(await settle(hold, 60)).toMatchObject({ outcome: 'replayed', charged: 60, purchased: 90 })
  expect(await settle(hold, 61)).toMatchObject({ outcome: 'settled', purchased: 90 })
  expect(await balance()).toMatchObject({ total: 90, held: 0 })
})

test('a settlement above the hold takes what is available, and the rest is no debt', async () => {
  const { reserve, settle, use } = await spender({ purchased: 100 })
  const hold = await reserve(75)
  expect((await use(20)).outcome).toBe('posted')
  expect((await use(6)).outcome).toBe('refused')
  const settled = await settle(hold, 90)
  expect(settled).toMatchObject({ outcome: 'posted', charged: 80, purchased: 0, held: 0 })
  expect(await settle(hold, 90)).toMatchObject({ outcome: 'replayed', charged: 80 })
})

test('a hold for as much as there is takes what is available, but not less than asked for', async () => {
  const { reserve } = await spender({ purchased: 100 })
  expect(await reserve(75)).toMatchObject({ hold: { credits: 75 } })
  expect(await reserve(75, { at_least: 26 })).toMatchObject({ outcome: 'refused', hold: null })
  expect(await reserve(75, { at_least: 25 })).toMatchObject({ outcome: 'posted', hold: { credits: 25 } })
})

test('a hold that is not settled expires, is settled late once, and not after a day', async () => {
  const { reserve, settle, use, release, extend } = await spender({ purchased: 100 })
  const hold = await reserve(75)
  expect((await use(100, { at: 14 })).outcome).toBe('refused')
  expect(await use(90, { at: 15 })).toMatchObject({ outcome: 'posted', purchased: 10, held: 0 })
  expect((await extend(hold, 10, { at: 16 })).outcome).toBe('expired')
  expect((await release(hold, { at: 16 })).outcome).toBe('expired')
  expect(await settle(hold, 75, { at: 16 })).toMatchObject({ outcome: 'posted', charged: 10, purchased: 0 })
  expect(await settle(hold, 75, { at: 17 })).toMatchObject({ outcome: 'replayed', charged: 10 })
  expect((await settle(hold, 10, { at: 17 })).outcome).toBe('settled')
  const other = await (await spender({ purchased: 100 })).reserve(75)
  expect((await settle(other, 75, { at: 17 })).outcome).toBe('not_found')
})

test('a hold that expired more than a day ago cannot be settled', async () => {
  const { reserve, settle } = await spender({ purchased: 100 })
  const hold = await reserve(75)
  expect((await settle(hold, 75, { at: 15 + 24 * 60 + 1 })).outcome).toBe('expired')
  expect(await settle(hold, 75, { at: 15 + 24 * 60 })).toMatchObject({ outcome: 'posted', charged: 75 })
})

test('a hold is extended over 106 minutes, and no longer than a day', async () => {
  const { reserve, extend, settle } = await spender({ purchased: 100 })
  const hold = await reserve(75)
  for (let at = 14; at < 106; at += 14) expect((await extend(hold, 15, { at })).outcome).toBe('posted')
  expect((await extend(hold, 60 * 24, { at: 100 })).hold?.expires_at).toEqual(
    new Date(spendingStart + 24 * 60 * minute),
  )
  expect(await settle(hold, 75, { at: 106 })).toMatchObject({ outcome: 'posted', charged: 75 })
})

test('a hold that was released cannot be settled, and what was settled cannot be released', async () => {
  const { reserve, release, settle } = await spender({ purchased: 100 })
  const hold = await reserve(75)
  expect(await release(hold)).toMatchObject({ outcome: 'posted', held: 0, hold: { state: 'released' } })
  expect((await release(hold)).outcome).toBe('replayed')
  expect((await settle(hold, 10)).outcome).toBe('released')
  const second = await reserve(75)
  await settle(second, 10)
  expect((await release(second)).outcome).toBe('settled')
})

test('a person has at most fifty open holds of one payer', async () => {
  const { reservation, reserve } = await spender({ purchased: 1000 })
  expect(holdsOfPersonMax).toBe(50)
  const outcomes = await ask(...Array.from({ length: 51 }, () => reservation(1)))
  expect(outcomes.at(49)?.outcome).toBe('posted')
  expect(outcomes.at(50)).toMatchObject({ outcome: 'too_many', held: 50 })
  expect((await reserve(1, { at: 15 })).outcome).toBe('posted')
})

test('the same key reserves once, also in one statement', async () => {
  const { reservation, reserve } = await spender({ purchased: 100 })
  const one = reservation(10, { key: 'a' })
  const [first, second, third] = await ask(one, one, { ...one, credits: 11 })
  expect(first).toMatchObject({ outcome: 'posted', held: 10 })
  expect(second).toMatchObject({ outcome: 'replayed', held: 10, hold: { id: first?.hold?.id } })
  expect(third?.outcome).toBe('conflict')
  expect((await reserve(10, { key: 'a' })).hold?.id).toBe(first?.hold?.id)
})

test('a failure costs nothing, takes its key and is counted; so is a failed settlement, in time or late', async () => {
  const failure = 'timeout'
  const { owner_id, use, reserve, settle } = await spender({ purchased: 100 })
  const once = { occurred_at: new Date(spendingStart), idempotency_key: 'key' }
  const failed = buildUsage(owner_id, { ...once, credits: 0, failure: 'provider_error' })
  expect(await ask(failed, failed)).toMatchObject([
    { outcome: 'posted', transfer_id: null, purchased: 100 },
    { outcome: 'replayed', transfer_id: null },
  ])
  expect((await ask(failed))[0]?.outcome).toBe('replayed')
  expect((await use(5, { key: 'key' })).outcome).toBe('conflict')
  expect(await settle(await reserve(75), 0, { failure })).toMatchObject({
    outcome: 'posted',
    charged: 0,
    held: 0,
  })
  const late = await reserve(75)
  expect(await settle(late, 0, { failure, at: 16 })).toMatchObject({
    outcome: 'posted',
    charged: 0,
    hold: { state: 'settled_late' },
  })
  expect(await settle(late, 0, { failure, at: 17 })).toMatchObject({ outcome: 'replayed', charged: 0 })
  const days = await database.rows('ledger_usage_days', { owner_id })
  expect(days).toMatchObject([{ requests: 3, failed: 3, credits: 0, actor: owner_id }])
  const failures = database.server
    .selectFrom('ledger_failures')
    .select(['idempotency_key', 'failure'])
    .where('owner_id', '=', owner_id)
    .where('idempotency_key', '=', `hold/${late.hold?.id}`)
  expect(await failures.execute()).toMatchObject([{ failure: 'timeout' }])
})

test('the task ends the holds of all owners that have expired, and only those', async () => {
  const [ada, eve] = [await spender({ purchased: 100 }), await spender({ purchased: 100 })]
  await ada.reserve(10)
  await ada.reserve(20, { lasting_s: 3600 })
  await eve.reserve(30)
  await endExpiredHolds(database.worker, new Date(spendingStart + 15 * minute))
  expect(await ada.balance()).toMatchObject({ held: 20, available: 80 })
  expect(await eve.balance()).toMatchObject({ held: 0, available: 100 })
})

test('an owner has at most a thousand combinations of labels a day, and the rest is counted as other', async () => {
  const { owner_id } = await spender({ purchased: 2000 })
  const report = (index: number, more: Partial<Usage> = {}): Usage => {
    const one = { occurred_at: new Date(spendingStart), idempotency_key: `${index}` }
    return buildUsage(owner_id, { ...one, model: `model-${index}`, ...more })
  }
  for (let first = 0; first < 1000; first += 100) {
    await ask(...Array.from({ length: 100 }, (_, index) => report(first + index)))
  }
  await ask(report(1000), report(1001), report(1002, { model: 'model-3' }))
  await ask(report(1003, { occurred_at: new Date(spendingStart + 24 * 60 * minute) }), report(1004))
  const days = await database.server
    .selectFrom('ledger_usage_days')
    .select(['model', 'project', 'requests', 'credits'])
    .where('owner_id', '=', owner_id)
    .execute()
  expect(days).toHaveLength(1002)
  expect(days).toContainEqual({ model: 'other', project: 'other', requests: 3, credits: 3 })
  expect(days).toContainEqual({ model: 'model-3', project: null, requests: 2, credits: 2 })
  expect(days).toContainEqual({ model: 'model-1003', project: null, requests: 1, credits: 1 })
  expect(days.reduce((sum, { credits }) => sum + credits, 0)).toBe(1005)
})
