import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { storeEvent } from '../../schema/inbox/store-event.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { deleteOldRows } from './delete-old-rows.ts'

const { database, worker } = testProduct()
beforeEach(async () => {
  await database.owner.deleteFrom('inbox_events').execute()
  await database.owner.deleteFrom('extension_sign_ins').execute()
})

const dayMs = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs)

function insertEvents(
  events: readonly { readonly state: 'received' | 'applied' | 'ignored' | 'failed'; readonly at: Date }[],
) {
  const rows = events.map(({ state, at }) => ({
    source: 'stripe' as const,
    id: `evt_${randomUUID().replaceAll('-', '')}`,
    type: 'charge.refunded',
    payload: JSON.stringify({ secret: 'ada@example.org' }),
    occurred_at: at,
    received_at: at,
    next_try_at: at,
    state,
    finished_at: state === 'received' ? null : at,
    reason: 'Test',
  }))
  return database.owner.insertInto('inbox_events').values(rows).returning('id').execute()
}

const listWithPayload = () =>
  database.owner
    .selectFrom('inbox_events')
    .select(['state', 'finished_at'])
    .where('payload', 'is not', null)
    .orderBy('state')
    .execute()

test('payloads are removed 90 days after their event was finished; the rows stay', async () => {
  const [old, young] = [daysAgo(90.1), daysAgo(89.9)]
  const finished = ['applied', 'ignored', 'failed'] as const
  await insertEvents([
    ...finished.map((state) => ({ state, at: old })),
    ...finished.map((state) => ({ state, at: young })),
    { state: 'received', at: old },
  ])
  expect(await deleteOldRows(worker.deps)).toMatchObject({ payloads: 3 })
  expect(await listWithPayload()).toMatchObject([
    { state: 'applied', finished_at: young },
    { state: 'failed', finished_at: young },
    { state: 'ignored', finished_at: young },
    { state: 'received' },
  ])
  expect(await database.owner.selectFrom('inbox_events').select('id').execute()).toHaveLength(7)
  expect(await deleteOldRows(worker.deps)).toMatchObject({ payloads: 0 })
})

test('an event whose payload is gone is still known when it comes again', async () => {
  const [{ id } = { id: '' }] = await insertEvents([{ state: 'applied', at: daysAgo(100) }])
  await deleteOldRows(worker.deps)
  const now = new Date()
  const times = { occurred_at: now, received_at: now, next_try_at: now }
  const again = { source: 'stripe', id, type: 'charge.refunded', payload: {}, ...times } as const
  expect(await storeEvent(database.server, again)).toEqual({ unfinished: false, is_new: false })
  expect(await listWithPayload()).toEqual([])
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
  expect(await deleteOldRows(worker.deps)).toMatchObject({ sign_ins: 1 })
  expect(await database.owner.selectFrom('extension_sign_ins').select('expires_at').execute()).toHaveLength(2)
})
