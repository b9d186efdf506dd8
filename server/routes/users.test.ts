import { describe, expect, test } from 'vitest'
import { getUser, initializeUser, processStarterSignup } from '../../schema/api/users.ts'
import { buildSubscription } from '../../tests/support/factories/subscriptions.ts'
import { buildGrant, postTransfer } from '../../tests/support/factories/transfers.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'

const { database, clerk, server } = testProduct({ clerk: 'sandbox' })

const findUsers = (clerkId: string) =>
  database.owner.selectFrom('users').selectAll().where('clerk_id', '=', clerkId).execute()
/** What a browser sends, with nothing in it that deserves belief. */
const claimOf = (id: string, planType = 'starter') => ({
  clerkUser: {
    id,
    emailAddresses: [{ emailAddress: 'claimed@evil.test' }],
    firstName: 'Claimed',
    lastName: null,
  },
  planType,
})

describe('initializing a user', () => {
  test('initializing a user creates the account once, with Clerk’s names and address instead of those in the body', async () => {
    const ada = await signUp(clerk, { email: 'ada@tidemark.test', first_name: 'Ada', last_name: 'Lovelace' })
    const body = claimOf(ada.user_id) as never
    const first = await server.ask(initializeUser, { token: ada.token, body })
    expect(first).toMatchObject({
      created: true,
      user: {
        clerk_id: ada.user_id,
        email: 'ada@tidemark.test',
        first_name: 'Ada',
        last_name: 'Lovelace',
        plan_type: 'starter',
        credits: 0,
      },
    })
    const again = await server.ask(initializeUser, { token: ada.token, body })
    expect(again).toEqual({ ...first, created: false })
  })

  test('initializing a user as pro leaves the plan at starter: only a payment changes a plan', async () => {
    const ada = await signUp(clerk)
    const { user } = await server.ask(initializeUser, {
      token: ada.token,
      body: claimOf(ada.user_id, 'pro') as never,
    })
    expect(user.plan_type).toBe('starter')
  })

  test('initializing a user says which plans the caller pays for already, in any state that still counts', async () => {
    const ada = await signUp(clerk)
    const initialize = async () => {
      const body = claimOf(ada.user_id, 'pro') as never
      return (await server.ask(initializeUser, { token: ada.token, body })).subscribed
    }
    expect(await initialize()).toEqual({ personal: false, team: false, team_organization_id: null })
    const { user_id } = ada
    await buildSubscription(database, { owner_id: user_id, user_id, fields: { status: 'past_due' } })
    await buildSubscription(database, {
      owner_id: 'org_old',
      user_id,
      fields: { status: 'canceled', ended_at: new Date() },
    })
    expect(await initialize()).toEqual({ personal: true, team: false, team_organization_id: null })
    await buildSubscription(database, { owner_id: 'org_new', user_id })
    expect(await initialize()).toEqual({
      personal: true,
      team: true,
      team_organization_id: 'org_new',
    })
  })

  test('initializing a user in ten tabs at once creates one account', async () => {
    const ada = await signUp(clerk)
    const body = claimOf(ada.user_id) as never
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => server.ask(initializeUser, { token: ada.token, body })),
    )
    expect(answers.filter(({ created }) => created)).toHaveLength(1)
    expect(await findUsers(ada.user_id)).toHaveLength(1)
  })
})

describe('finishing a sign-up on the free plan', () => {
  const body = (clerkUserId: string) => ({ clerkUserId, email: 'claimed@evil.test', firstName: 'Claimed' })

  test('finishing a sign-up on the free plan creates the account and can be repeated', async () => {
    const ada = await signUp(clerk, { email: 'starter@tidemark.test' })
    const request = { token: ada.token, body: body(ada.user_id) }
    const first = await server.ask(processStarterSignup, request)
    expect(first).toMatchObject({
      message: 'Starter plan activated',
      data: { clerk_id: ada.user_id, email: 'starter@tidemark.test', plan_type: 'starter' },
    })
    expect(await server.ask(processStarterSignup, request)).toEqual(first)
  })
})

describe('reading a user', () => {
  test('reading a user shows the balance that the ledger has', async () => {
    const ada = await signUp(clerk)
    await server.ask(initializeUser, { token: ada.token, body: claimOf(ada.user_id) as never })
    await postTransfer(database.worker, buildGrant(ada.user_id, 500))
    const { data } = await server.ask(getUser, { token: ada.token, query: { clerkId: ada.user_id } })
    expect(data).toMatchObject({
      clerk_id: ada.user_id,
      credits: 500,
      plan_credits: 0,
      purchased_credits: 500,
    })
  })

  test('reading a user that has no account yet is a 404 with the product’s text', async () => {
    const ada = await signUp(clerk)
    const answer = await server.api(getUser, { token: ada.token, query: { clerkId: ada.user_id } })
    expect(answer).toMatchObject({ status: 404, body: { error: 'User not found', code: 'user_not_found' } })
  })
})
