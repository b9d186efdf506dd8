import { describe, expect, test } from 'vitest'
import { getTrace, listWork, searchSupport, visitCase } from '../../schema/api/support.ts'
import { failEvent } from '../../schema/inbox/events.ts'
import { receiveStripeEvent } from '../../tests/support/factories/events.ts'
import { buildOrganization } from '../../tests/support/factories/organizations.ts'
import { buildPaidCredits } from '../../tests/support/factories/paid-purchases.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp, tokenOf } from '../../tests/support/services/clerk.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { clerk, clock, server } = product
const sam = madeOnce(() => signUp(clerk, { role: 'support' }))

const nothingHere = { error: 'There is nothing at this address', code: 'not_found' }

describe('everybody but support staff is told that there is nothing, whether', () => {
  const asks = {
    search: (token?: string) =>
      server.api(searchSupport, { ...(token && { token }), query: { q: 'ada@tidemark.test' } }),
    trace: (token?: string) =>
      server.api(getTrace, { ...(token && { token }), query: { owner: 'user_ada' } }),
    work: (token?: string) => server.api(listWork, { ...(token && { token }) }),
    visit: (token?: string) =>
      server.api(visitCase, { ...(token && { token }), body: { owner: 'user_ada' } }),
  }

  test('they are signed out, signed in, or an admin of an organization', async () => {
    const ada = await signUp(clerk)
    await buildOrganization(clerk, ada)
    const expired = await tokenOf(clerk, { user_id: sam.user_id, expires_in_s: -60 })
    for (const ask of Object.values(asks)) {
      for (const token of [undefined, 'not a token', expired, ada.token]) {
        expect(await ask(token)).toMatchObject({ status: 404, body: nothingHere })
      }
      expect(await ask(sam.token)).toMatchObject({ status: 200 })
    }
  })

  test('they gave themselves the role where people may write', async () => {
    const mallory = await signUp(clerk)
    await clerk.client.users.updateUserMetadata(mallory.user_id, {
      unsafeMetadata: { role: 'support' },
      privateMetadata: { role: 'support' },
    })
    expect(await asks.work(mallory.token)).toMatchObject({ status: 404, body: nothingHere })
  })

  test('the request is a good one or not', async () => {
    const ada = await signUp(clerk)
    expect(await server.api(getTrace, { token: ada.token })).toMatchObject({ status: 404, body: nothingHere })
    expect(await server.api(getTrace, { token: sam.token })).toMatchObject({ status: 400 })
  })
})

describe('who loses the role, or may not sign in any more,', () => {
  test.each([
    [
      'loses the role',
      (id: string) => clerk.client.users.updateUserMetadata(id, { publicMetadata: { role: null } }),
    ],
    ['is banned', (id: string) => clerk.client.users.banUser(id)],
  ])('%s: sees nothing a quarter of a minute later', async (_, lose) => {
    const former = await signUp(clerk, { role: 'support' })
    expect(await server.api(listWork, { token: former.token })).toMatchObject({ status: 200 })
    await lose(former.user_id)
    clock.advance(15_000)
    expect(await server.api(listWork, { token: former.token })).toMatchObject({ status: 404 })
  })

  test('while Clerk cannot be asked, nobody gets in, and the next answer counts', async () => {
    const fresh = await signUp(clerk, { role: 'support' })
    await clerk.knob('faults', { status: 500, count: 100, path_prefix: '/bapi/v1/users' })
    expect((await server.api(listWork, { token: fresh.token })).status).toBe(503)
    await clerk.clear('faults')
    expect((await server.api(listWork, { token: fresh.token })).status).toBe(200)
  })
})

test('scratch', async () => {
  const bought = await buildPaidCredits(product)
  const [completed] = (await product.stripe.takeEvents()).filter(
    ({ type }) => type === 'checkout.session.completed',
  )
  const id = await receiveStripeEvent(product.database.server, completed as never)
  await failEvent(
    product.database.worker,
    { source: 'stripe', id },
    { reason: 'Cannot read properties of undefined', now: new Date() },
  )
  const trace = await server.ask(getTrace, { token: sam.token, query: { owner: bought.user_id } })
  console.log(JSON.stringify(trace, null, 1))
  console.log(JSON.stringify(await server.ask(listWork, { token: sam.token }), null, 1))
  const session = await product.stripe.client.checkout.sessions.retrieve(bought.session_id)
  const pi = String(session.payment_intent)
  const charge = (await product.stripe.client.paymentIntents.retrieve(pi)).latest_charge
  for (const q of [
    id,
    bought.intent_id,
    bought.session_id,
    bought.customer_id,
    pi,
    charge,
    `${id}.ab12cd34`,
    `intent:${bought.intent_id}`,
    bought.user_id,
    `${bought.user_id}@tidemark.test`,
  ])
    console.log(
      q,
      JSON.stringify(await server.ask(searchSupport, { token: sam.token, query: { q: String(q) } })),
    )
})
