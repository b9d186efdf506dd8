import { expect, test } from 'vitest'
import { getAccountSummary } from '../../schema/api/account.ts'
import { chooseMails } from '../../schema/api/mails.ts'
import { tell } from '../../schema/mails/mails.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const { database, server } = testProduct({ clerk: 'trusting' })

async function told() {
  const user_id = await buildUser(database.server)
  await tell(database.worker, { kind: 'balance_low', owner_id: user_id, occasion: 'a', figures: { left: 1 } })
  const rows = database.owner.selectFrom('mails').select('id').where('user_id', '=', user_id)
  const { id } = await rows.executeTakeFirstOrThrow()
  const summary = () => server.ask(getAccountSummary, { token: user_id, query: { payer: 'personal' } })
  return { user_id, id, summary }
}
const link = (owner_id: string, id: string) => `${server.url}/mail/unsubscribe?owner_id=${owner_id}&id=${id}`

test('a mail program unsubscribes by posting to the link, a look at it does not, and the switch undoes it', async () => {
  const { user_id, id, summary } = await told()
  const page = await fetch(link(user_id, id))
  expect(page.headers.get('content-type')).toContain('text/html')
  expect(await page.text()).toContain('<form method="post"><button>Unsubscribe</button></form>')
  expect(await summary()).toMatchObject({ mails: true })
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
  expect((await fetch(link(user_id, id), { method: 'POST', body })).status).toBe(200)
  expect(await summary()).toMatchObject({ mails: false })
  await server.ask(chooseMails, { token: user_id, query: { payer: 'personal' }, body: { on: true } })
  expect(await summary()).toMatchObject({ mails: true })
})

test('a link with another id or owner changes the mails of no person', async () => {
  const [ada, eve] = [await told(), await told()]
  for (const [owner_id, id] of [
    [ada.user_id, eve.id],
    [ada.user_id, "' OR true --"],
    ['', ada.id],
  ] as const)
    expect((await fetch(link(owner_id, id), { method: 'POST' })).status).toBe(400)
  expect(await ada.summary()).toMatchObject({ mails: true })
})
