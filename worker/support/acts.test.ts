import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { failureOf } from '../../schema/api/failures.ts'
import { assignSeat } from '../../schema/api/organization-seats.ts'
import { findIntent } from '../../schema/billing/checkout/intents.ts'
import { listActiveTokens } from '../../schema/extension/tokens.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import { purchaseGrant } from '../../schema/ledger/grants.ts'
import { grantTransfer } from '../../schema/ledger/post/post.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { findInvitation } from '../../schema/people/invitations/invitations.ts'
import { findAct, type NewAct, outcomeOf } from '../../schema/support/acts.ts'
import { ClerkUnavailableError } from '../../schema/vendors/clerk/errors.ts'
import { buildAct } from '../../tests/support/factories/acts.ts'
import { eventOf, receiveStripeEvent } from '../../tests/support/factories/events.ts'
import { buildExtensionToken } from '../../tests/support/factories/extension-tokens.ts'
import { buildHold } from '../../tests/support/factories/holds.ts'
import { addMember, buildOrganization } from '../../tests/support/factories/organizations.ts'
import {
  buildOpenCredits,
  buildPaidCredits,
  buildPaidPlan,
} from '../../tests/support/factories/paid-purchases.ts'
import { buildTeam, invite } from '../../tests/support/factories/teams.ts'
import { giveCredits, postTransfer } from '../../tests/support/factories/transfers.ts'
import { buildAccount, buildUser } from '../../tests/support/factories/users.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp, tokenOf } from '../../tests/support/services/clerk.ts'
import { processSupportAct } from './support-act.ts'

const product = testProduct({ stripe: 'empty', clerk: 'sandbox' })
const { database, stripe, clerk, worker } = product

type Asked = Pick<NewAct, 'kind' | 'target'> & Partial<NewAct>

async function perform(asked: Asked) {
  const { id } = await buildAct(database, asked)
  await processSupportAct(worker.deps, { act_id: id })
  const act = await findAct(database.owner, id)
  return { state: act?.state, error: act?.error, outcome: act && outcomeOf(act) }
}

/** What it would do, then what it does, then that doing it again does nothing. */
async function performWithDryRun(asked: Asked) {
  const dry = await perform({ ...asked, is_dry_run: true, reason: '' })
  const done = await perform(asked)
  expect(done.outcome).toEqual(dry.outcome)
  const again = await perform(asked)
  expect(again).toMatchObject({ state: 'done', outcome: { changed: false, transfers: [] } })
  return done
}

const balanceOf = async (owner_id: Parameters<typeof findBalance>[1]) =>
  (await findBalance(database.owner, owner_id)).total

describe('a replay brings what is due, and a dry run says exactly that, of', () => {
  test('a checkout that was paid behind our back', async () => {
    const paid = await buildPaidCredits(product)
    const done = await performWithDryRun({ kind: 'replay', target: { kind: 'intent', id: paid.intent_id } })
    expect(done.outcome?.changes).toContainEqual({
      what: 'intent',
      id: paid.intent_id,
      before: 'open',
      after: 'settled',
    })
    expect(await balanceOf(paid.owner_id)).toBe(500)
  })

  test('a subscription that we have never heard of', async () => {
    const paid = await buildPaidPlan(product)
    const target = { kind: 'subscription', id: paid.subscription_id ?? '' } as const
    const done = await performWithDryRun({ kind: 'replay', target })
    expect(done.outcome).toMatchObject({
      transfers: [{ kind: 'plan_grant', account: 'plan', credits: 500 }],
      changes: [
        { what: 'balance', before: 0, after: 500 },
        { what: 'plan', before: 'starter', after: 'pro' },
        { what: 'subscription', before: null, after: 'active' },
        { what: 'intent', before: 'open', after: 'settled' },
      ],
    })
  })

  test('an event whose row stays free while Stripe answers', async () => {
    const paid = await buildPaidPlan(product)
    const { subscriptions } = worker.deps.stripe
    const subscription = await subscriptions.retrieve(paid.subscription_id ?? '')
    const id = await receiveStripeEvent(
      database.server,
      eventOf('customer.subscription.updated', subscription as never),
    )
    const retrieve = subscriptions.retrieve.bind(subscriptions)
    const asked = vi.spyOn(subscriptions, 'retrieve').mockImplementation(async (...parameters) => {
      await sql`SELECT FROM inbox_events WHERE id = ${id} FOR UPDATE NOWAIT`.execute(database.owner)
      return retrieve(...parameters)
    })
    try {
      expect(await perform({ kind: 'replay', target: { kind: 'event', id } })).toMatchObject({
        state: 'done',
        error: null,
      })
      expect(asked).toHaveBeenCalled()
    } finally {
      asked.mockRestore()
    }
  })

  test('a charge that was refunded while we were away', async () => {
    const paid = await buildPaidCredits(product)
    await perform({ kind: 'replay', target: { kind: 'intent', id: paid.intent_id } })
    const { data } = await stripe.client.charges.list({ customer: paid.customer_id })
    await stripe.client.refunds.create({ charge: data[0]?.id ?? '' })
    const done = await performWithDryRun({
      kind: 'replay',
      target: { kind: 'charge', id: data[0]?.id ?? '' },
    })
    expect(done.outcome).toMatchObject({ transfers: [{ kind: 'refund', credits: -500 }] })
    expect(await balanceOf(paid.owner_id)).toBe(0)
  })
})

test('acts on one target that are done at once are done one after the other, and each says what it did', async () => {
  for (let i = 0; i < 5; i++) {
    const { owner_id, intent_id } = await buildPaidCredits(product)
    const target = { kind: kindOf(owner_id), id: owner_id }
    const adjustment = { credits: 100, customer_note: 'Our apologies', may_leave_debt: false }
    const acts = [
      await buildAct(database, { kind: 'adjust', target, params: { adjustment } }),
      await buildAct(database, { kind: 'resync', target }),
      await buildAct(database, { kind: 'replay', target: { kind: 'intent', id: intent_id } }),
      await buildAct(database, { kind: 'cancel_intent', target: { kind: 'intent', id: intent_id } }),
    ]
    expect(new Set(acts.map(({ id }) => id)).size).toBe(4)
    await Promise.all(acts.map(({ id }) => processSupportAct(worker.deps, { act_id: id })))
    const done = await Promise.all(acts.map(({ id }) => findAct(database.owner, id)))
    const states = done.map((act) => act?.state)
    expect(states.slice(0, 3), JSON.stringify(done)).toEqual(['done', 'done', 'done'])
    expect(await balanceOf(owner_id)).toBe(600)
    const credits = done.map((act) =>
      (act && outcomeOf(act)?.transfers)?.reduce((sum, transfer) => sum + transfer.credits, 0),
    )
    expect(credits[0]).toBe(100)
    expect(credits.reduce((sum = 0, one = 0) => sum + one, 0)).toBe(600)
  }
})

describe('a resync makes everything agree with Stripe and Clerk', () => {
  test('a resync makes all of a user agree with Stripe and Clerk: a plan, a purchase, a refund, and a transfer that nothing explains', async () => {
    const plan = await buildPaidPlan(product)
    const { user_id, owner_id } = plan
    await buildPaidCredits(product, { user_id })
    const refunded = await buildPaidCredits(product, { user_id })
    const { data } = await stripe.client.charges.list({ customer: refunded.customer_id })
    await stripe.client.refunds.create({ charge: data[0]?.id ?? '' })
    const unpaid = await buildOpenCredits(product, { user_id })
    const grant = purchaseGrant(owner_id, { intent_id: unpaid.intent_id, starts_at: new Date() })
    const posting = {
      ordinal: 1,
      credits: 500,
      kind: 'credit_purchase',
      house: 'sold',
      paid_by: null,
    } as const
    const cause = { occurred_at: new Date(), event_id: null, actor: 'test', reason: 'Not paid' }
    await postTransfer(database.worker, grantTransfer({ grant, ...posting }, cause))
    expect(await balanceOf(owner_id)).toBe(500)

    const done = await performWithDryRun({ kind: 'resync', target: { kind: 'user', id: user_id } })
    expect(done.outcome).toMatchObject({
      changes: expect.arrayContaining([
        { what: 'balance', id: null, before: 500, after: 1000 },
        { what: 'plan', id: null, before: 'starter', after: 'pro' },
      ]),
    })
    expect(await balanceOf(owner_id)).toBe(1000)
    expect((await verifyLedger(database.owner)).problems).toEqual([])
  })

  test('a resync makes all of an organization agree with Stripe and Clerk: its seats, who left it, and how many people Clerk lets in', async () => {
    const admin = await signUp(clerk)
    const organization = await buildOrganization(clerk, admin)

    await buildUser(database.server, admin.user_id)
    await buildPaidPlan(product, {
      plan_type: 'teams',
      seats: 9,
      owner_id: organization.id,
      user_id: admin.user_id,
    })
    const target = { kind: 'organization', id: organization.id } as const
    await giveCredits(database, organization.id, { purchased: 1 })
    const bought = await performWithDryRun({ kind: 'resync', target })
    expect(bought.outcome).toMatchObject({
      changes: expect.arrayContaining([
        { what: 'balance', id: null, before: 1, after: 4501 },
        { what: 'plan', id: null, before: null, after: 'teams' },
        { what: 'seats', id: null, before: 0, after: 9 },
        { what: 'seats_in_use', id: null, before: 0, after: 1 },
      ]),
    })
    expect(await worker.deps.clerk.findOccupancy(organization.id)).toMatchObject({ limit: 9 })

    const person = await signUp(clerk)
    await addMember(clerk, organization, person)
    const joined = { organizationId: organization.id, userId: person.user_id }
    const body = { org_id: organization.id, email: person.email }
    await product.server.ask(assignSeat, { token: admin.token, body })
    await clerk.client.organizations.deleteOrganizationMembership(joined)
    const left = await performWithDryRun({ kind: 'resync', target })
    expect(left.outcome?.changes).toContainEqual({ what: 'seats_in_use', id: null, before: 2, after: 1 })
  })
})

describe('a checkout that is stuck', () => {
  test('a checkout that is stuck is cancelled, and its payment page is closed first; a dry run leaves it open', async () => {
    const open = await buildOpenCredits(product)
    const target = { kind: 'intent', id: open.intent_id } as const
    const sessionStatus = async () => (await stripe.client.checkout.sessions.retrieve(open.session_id)).status
    const dry = await perform({ kind: 'cancel_intent', target, is_dry_run: true, reason: '' })
    expect(await sessionStatus()).toBe('open')
    const done = await perform({ kind: 'cancel_intent', target })
    expect(done.outcome).toEqual(dry.outcome)
    expect(done.outcome?.changes).toEqual([
      { what: 'intent', id: open.intent_id, before: 'open', after: 'expired' },
    ])
    expect(await sessionStatus()).toBe('expired')
    expect(await perform({ kind: 'cancel_intent', target })).toMatchObject({
      outcome: { note: failureOf('has_state', { what: 'checkout', state: 'expired' }) },
    })
  })

  test('a checkout that is stuck is never cancelled when it was paid', async () => {
    const paid = await buildPaidCredits(product)
    const target = { kind: 'intent', id: paid.intent_id } as const
    expect(await perform({ kind: 'cancel_intent', target })).toMatchObject({
      state: 'failed',
      error: 'paid_already',
    })
    expect(await findIntent(database.owner, paid.intent_id)).toMatchObject({ state: 'open' })
  })
})

test('credits that are reserved are released once, and a dry run says what becomes available', async () => {
  const owner_id = await buildUser(database.server)
  await giveCredits(database, owner_id, { purchased: 100 })
  const { id } = await buildHold(database.server, owner_id, { credits: 75 })
  await buildHold(database.server, owner_id, { credits: 5 })
  const asked = { kind: 'release_hold', target: { kind: 'hold', id } } as const
  const dry = await perform({ ...asked, is_dry_run: true, reason: '' })
  expect(await findBalance(database.owner, owner_id)).toMatchObject({ available: 20, held: 80 })
  const changes = [
    { what: 'available', id: null, before: 20, after: 95 },
    { what: 'hold', id, before: 'open', after: 'released' },
  ]
  expect(dry.outcome).toEqual({ changed: true, note: null, transfers: [], changes })

  const done = await perform(asked)
  expect(done.outcome).toEqual(dry.outcome)
  expect(await findBalance(database.owner, owner_id)).toMatchObject({ total: 100, available: 95, held: 5 })
  expect(await perform(asked)).toMatchObject({
    outcome: { changed: false, note: failureOf('has_state', { what: 'hold', state: 'released' }) },
  })
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

test('an invitation is sent again and keeps its seat; a dry run sends nothing', async () => {
  const team = await buildTeam(product)
  const invitation = await invite(product, team, `${crypto.randomUUID()}@tidemark.test`)
  const target = { kind: 'invitation', id: invitation.id } as const
  const atClerk = async () => {
    const all = await worker.deps.clerk.listInvitations(team.organization.id)
    return all.map(({ clerk_invitation_id, status }) => ({ clerk_invitation_id, status }))
  }
  const before = await atClerk()
  expect(before).toHaveLength(1)
  const dry = await perform({ kind: 'resend_invitation', target, is_dry_run: true, reason: '' })
  expect(await atClerk()).toEqual(before)
  expect(dry.outcome).toMatchObject({ changed: true })

  const done = await perform({ kind: 'resend_invitation', target })
  expect(done.outcome).toEqual(dry.outcome)
  const sent = await findInvitation(database.owner, invitation.id)
  expect(sent).toMatchObject({ status: 'pending' })
  expect(sent?.clerk_invitation_id).not.toBe(invitation.clerk_invitation_id)
  expect(await atClerk()).toContainEqual({
    clerk_invitation_id: sent?.clerk_invitation_id,
    status: 'pending',
  })

  // Clerk's news of the first one, which comes late, ends nothing.
  await worker.applyAllOfClerk(await clerk.listEvents('organizationInvitation'))
  expect(await findInvitation(database.owner, invitation.id)).toMatchObject({ status: 'pending' })
  expect(await perform({ kind: 'replay', target })).toMatchObject({
    state: 'done',
    outcome: { changed: false },
  })
})

test('one act ends all tokens and sessions of a person and of no other; a dry run ends none', async () => {
  const [person, other] = [await signUp(clerk), await signUp(clerk)]
  const active = async ({ user_id }: { user_id: string }) =>
    (await listActiveTokens(database.owner, { user_id, now: new Date() })).length
  for (const { user_id } of [person, other]) {
    await buildUser(database.server, user_id)
    await buildExtensionToken(database, user_id)
  }
  await tokenOf(clerk, { user_id: person.user_id })
  const target = { kind: 'user', id: person.user_id } as const
  const dry = await perform({ kind: 'sign_out', target, is_dry_run: true, reason: '' })
  expect([await active(person), (await worker.deps.clerk.listSessions(person.user_id)).length]).toEqual([
    1, 2,
  ])
  const done = await perform({ kind: 'sign_out', target })
  expect(done.outcome).toEqual(dry.outcome)
  expect(done.outcome?.changes).toEqual([
    { what: 'tokens', id: null, before: 1, after: 0 },
    { what: 'sessions', id: null, before: 2, after: 0 },
  ])
  expect([await active(person), await worker.deps.clerk.listSessions(person.user_id)]).toEqual([0, []])
  expect([await active(other), (await worker.deps.clerk.listSessions(other.user_id)).length]).toEqual([1, 1])
  expect(await perform({ kind: 'sign_out', target })).toMatchObject({
    outcome: { changed: false, note: failureOf('lacks', { what: 'token_or_session' }) },
  })
})

test.each([
  ['is away', 1, 2],
  ['refuses midway', 3, 1],
])(
  'a sign-out ends the editors at once while Clerk %s, and every session once when Clerk answers',
  async (_, failsAt, left) => {
    const person = await buildAccount(product)
    await buildExtensionToken(database, person.user_id)
    await tokenOf(clerk, { user_id: person.user_id })
    const { id } = await buildAct(database, {
      kind: 'sign_out',
      target: { kind: 'user', id: person.user_id },
    })
    const { listSessions, revokeSession } = worker.deps.clerk
    let calls = 0
    const failing = <Answer>(ask: (of: string) => Promise<Answer>) => {
      return async (of: string) => {
        if (++calls === failsAt) throw new ClerkUnavailableError('Clerk does not answer')
        return ask(of)
      }
    }
    const away = {
      ...worker.deps.clerk,
      listSessions: failing(listSessions),
      revokeSession: failing(revokeSession),
    }
    await processSupportAct({ ...worker.deps, clerk: away }, { act_id: id }).catch(() => undefined)
    const listed = () => listActiveTokens(database.owner, { user_id: person.user_id, now: new Date() })
    expect(await findAct(database.owner, id)).toMatchObject({ state: 'queued', last_error: 'clerk_away' })
    expect([await listed(), (await listSessions(person.user_id)).length]).toEqual([[], left])
    await processSupportAct(worker.deps, { act_id: id })
    const tokens = { what: 'tokens', id: null, before: 1, after: 0 }
    expect(await findAct(database.owner, id)).toMatchObject({
      state: 'done',
      outcome: { changes: [tokens, { what: 'sessions', before: left, after: 0 }] },
    })
    expect([await listed(), await listSessions(person.user_id)]).toEqual([[], []])
  },
)
