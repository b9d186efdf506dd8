import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { insertEvents, type NewEvent, selectEvents } from '../../schema/inbox/events.ts'
import { storeEvents } from '../../schema/inbox/store-events.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { deleteOldRows } from './delete-old-rows.ts'

const { database, worker } = testProduct()
beforeEach(async () => {
  await sql`TRUNCATE inbox_events, inbox_payloads`.execute(database.owner)
  await database.owner.deleteFrom('extension_sign_ins').execute()
})

const dayMs = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs)

interface TestEvent {
  readonly state: 'received' | 'applied' | 'ignored' | 'failed' | 'forged'
  readonly received: string
  readonly finished?: string
  readonly more?: Pick<NewEvent, 'confirm_at' | 'object_sync_at'>
}

async function insertEvent({ state, received, finished = received, more }: TestEvent): Promise<string> {
  const id = `evt_${randomUUID().replaceAll('-', '')}`
  const isFinished = state !== 'received'
  await insertEvents(database.owner, [
    {
      source: 'stripe',
      id,
      type: 'charge.refunded',
      payload: { secret: 'ada@example.org' },
      occurred_at: new Date(received),
      received_at: new Date(received),
      next_try_at: new Date(received),
      state,
      finished_at: isFinished ? new Date(finished) : null,
      reason: isFinished ? 'Test' : null,
      ...more,
    },
  ])
  return id
}

const deleteOldRowsAt = async (day: string) => {
  const { payloads } = await deleteOldRows({ ...worker.deps, now: () => new Date(day) })
  return payloads
}

async function idsWithPayload(): Promise<string[]> {
  const rows = await selectEvents(database.owner).where('p.payload', 'is not', null).execute()
  return rows.map(({ id }) => id).sort()
}

test('a payload goes when it is 90 days old, and the row of its event stays', async () => {
  const old = [
    await insertEvent({ state: 'applied', received: '2031-02-01T00:00:00Z' }),
    await insertEvent({ state: 'ignored', received: '2031-02-28T23:59:59.999Z' }),
  ]
  const kept = [await insertEvent({ state: 'applied', received: '2031-03-01T00:00:01Z' })]
  expect(await deleteOldRowsAt('2031-05-02T00:00:00Z')).toBe(0)
  expect(await idsWithPayload()).toEqual([...old, ...kept].sort())
  expect(await deleteOldRowsAt('2031-05-30T00:00:00Z')).toBe(2)
  expect(await idsWithPayload()).toEqual(kept)
  const rows = await database.owner.selectFrom('inbox_events').selectAll().where('id', 'in', old).execute()
  expect(rows).toHaveLength(2)
  for (const row of rows) {
    expect(row).toMatchObject({
      type: 'charge.refunded',
      state: expect.stringMatching(/applied|ignored/),
      finished_at: expect.any(Date),
    })
  }
  expect(await deleteOldRowsAt('2031-05-30T00:00:00Z')).toBe(0)
})

test('what something may still follow from keeps its payload', async () => {
  const received = '2032-02-10T00:00:00Z'
  await insertEvent({ state: 'applied', received })
  const needed = [
    await insertEvent({ state: 'received', received }),
    await insertEvent({ state: 'failed', received }),
    await insertEvent({ state: 'forged', received }),
    await insertEvent({ state: 'applied', received, more: { confirm_at: new Date(received) } }),
    await insertEvent({ state: 'failed', received, more: { object_sync_at: new Date(received) } }),
  ]
  expect(await deleteOldRowsAt('2032-06-01T00:00:00Z')).toBe(1)
  expect(await idsWithPayload()).toEqual(needed.sort())
})

test('what failed keeps its payload for 400 days after it failed', async () => {
  const failed = await insertEvent({ state: 'failed', received: '2033-01-15T00:00:00Z' })
  const forged = await insertEvent({
    state: 'forged',
    received: '2033-01-15T00:00:00Z',
    finished: '2033-02-01T00:00:00Z',
  })
  await deleteOldRowsAt('2034-02-18T00:00:00Z')
  expect(await idsWithPayload()).toEqual([failed, forged].sort())
  await deleteOldRowsAt('2034-02-20T00:00:00Z')
  expect(await idsWithPayload()).toEqual([forged])
  await deleteOldRowsAt('2034-03-10T00:00:00Z')
  expect(await idsWithPayload()).toEqual([])
})

test('an event whose payload is gone is still known when it comes again', async () => {
  const id = await insertEvent({ state: 'applied', received: '2035-02-10T00:00:00Z' })
  await deleteOldRowsAt('2035-06-01T00:00:00Z')
  const again = {
    source: 'stripe',
    id,
    type: 'charge.refunded',
    payload: {},
    occurred_at: new Date(),
    received_at: new Date('2035-06-02T00:00:00Z'),
  } as const
  expect(await storeEvents(database.server, [{ ...again, next_try_at: new Date() }])).toEqual([
    { unfinished: false, is_new: false },
  ])
  expect(await idsWithPayload()).toEqual([])
})

test('one run removes more than one batch takes', async () => {
  const received = new Date('2036-02-10T00:00:00Z')
  await insertEvents(
    database.owner,
    Array.from({ length: 1200 }, (_, n) => ({
      source: 'stripe' as const,
      id: `evt_many_${n}`,
      type: 'charge.refunded',
      payload: {},
      occurred_at: received,
      received_at: received,
      next_try_at: received,
      state: 'applied' as const,
      finished_at: received,
    })),
  )
  expect(await deleteOldRowsAt('2036-06-01T00:00:00Z')).toBe(1200)
  expect(await idsWithPayload()).toEqual([])
})

test('sign-ins of the extension that were over a day ago are deleted', async () => {
  const user_id = await buildUser(database.server)
  const signIn = (name: string, expires_at: Date) => ({
    state_hash: Buffer.alloc(32, name),
    redirect_uri: 'vscode://tidemark.tidemark/done',
    code_challenge: 'x'.repeat(43),
    code_hash: Buffer.alloc(32, `code ${name}`),
    user_id,
    created_at: new Date(expires_at.getTime() - 600_000),
    expires_at,
  })
  await database.owner
    .insertInto('extension_sign_ins')
    .values([signIn('old', daysAgo(1.1)), signIn('over', daysAgo(0.9)), signIn('open', daysAgo(-0.1))])
    .execute()
  expect(await deleteOldRows(worker.deps)).toEqual({ payloads: 0, sign_ins: 1 })
  expect(await database.owner.selectFrom('extension_sign_ins').select('expires_at').execute()).toHaveLength(2)
})
