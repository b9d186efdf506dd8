import { beforeAll, describe, expect, test } from 'vitest'
import { getCreditHistory } from '../../schema/api/credits.ts'
import { postTransfer } from '../../schema/ledger/post.ts'
import { spendCredits } from '../../schema/ledger/usage.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { buildGrant } from '../../tests/support/factories/transfers.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'

const { database, clerk, server } = testProduct({ clerk: 'sandbox' })
const ada = madeOnce(() => signUp(clerk))
beforeAll(async () => {
  await buildUser(database.worker, ada.user_id)
})

const page = async (query: Record<string, string> = {}, by = ada) =>
  (await server.ask(getCreditHistory, { token: by.token, query })).data

describe('the history of credits', () => {
  test('is empty at first', async () => {
    expect(await page()).toEqual({ items: [], next_cursor: null })
  })

  test('shows purchases and usage, newest first, with their references', async () => {
    const intent = await buildPurchase(database.server, {
      user_id: ada.user_id,
      owner_id: ada.user_id,
      stripe_session_id: 'cs_test_history',
    })
    await postTransfer(
      database.worker,
      buildGrant(ada.user_id, 500, {
        kind: 'credit_purchase',
        intent_id: intent.id,
        reason: 'Credit purchase',
      }),
    )
    await spendCredits(database.server, {
      owner_kind: 'user',
      owner_id: ada.user_id,
      credits: 20,
      idempotency_key: 'first',
      occurred_at: new Date(),
      actor: ada.user_id,
      reason: 'Extension usage',
    })
    const { items } = await page()
    expect(items).toMatchObject([
      { amount: -20, type: 'usage', kind: 'usage', description: 'Extension usage', balance_after: 480 },
      {
        amount: 500,
        type: 'grant',
        kind: 'credit_purchase',
        account: 'purchased',
        description: 'Credit purchase',
        balance_after: 500,
        reference_id: 'cs_test_history',
        created_at: '2026-01-02T03:04:05.000Z',
      },
    ])
    expect(items[0]?.reference_id).toBeNull()
  })

  test('comes in pages that neither repeat nor omit entries', async () => {
    const grace = await signUp(clerk)
    for (let count = 1; count <= 7; count++)
      await postTransfer(database.worker, buildGrant(grace.user_id, count))
    const seen: number[] = []
    let cursor: string | null = ''
    for (let pages = 0; cursor !== null; pages++) {
      expect(pages).toBeLessThan(4)
      const next = await page({ limit: '3', ...(cursor && { cursor }) }, grace)
      seen.push(...next.items.map(({ amount }) => amount))
      cursor = next.next_cursor
    }
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1])
  })

  test('is only one’s own', async () => {
    const eve = await signUp(clerk)
    expect((await page({}, eve)).items).toEqual([])
    expect(await server.api(getCreditHistory, {})).toMatchObject({ status: 401 })
  })

  test.each([
    'nonsense',
    '%00',
    Buffer.from('1').toString('base64url'),
    Buffer.from("1.2'--").toString('base64url'),
  ])('refuses the cursor %s', async (cursor) => {
    const answer = await server.api(getCreditHistory, { token: ada.token, query: { cursor } })
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor', fields: [{ path: 'cursor' }] },
    })
  })

  test.each([{ limit: '0' }, { limit: '101' }, { limit: 'ten' }, { owner: 'user_else' }])(
    'refuses %o',
    async (query) => {
      expect(await server.api(getCreditHistory, { token: ada.token, query: query as never })).toMatchObject({
        status: 400,
      })
    },
  )
})
