import { randomUUID } from 'node:crypto'
import { generateKeyPair, SignJWT } from 'jose'
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { failureOf } from '../../schema/api/failures.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import {
  type ActLimits,
  approveAct,
  findAct,
  insertAct,
  type NewAct,
  refuseAct,
} from '../../schema/support/acts.ts'
import { ClerkUnavailableError } from '../../schema/vendors/clerk/errors.ts'
import { buildAct, buildNewAct, buildWaitingAct, testLimits } from '../../tests/support/factories/acts.ts'
import { addMember } from '../../tests/support/factories/organizations.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { buildTeam } from '../../tests/support/factories/teams.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp, tokenOf } from '../../tests/support/services/clerk.ts'
import { processSupportAct } from './support-act.ts'

const product = testProduct({ stripe: 'empty', clerk: 'sandbox' })
const { database, clerk, worker, clock } = product
const staff = () => signUp(clerk, { role: 'support' })
const balanceOf = async (owner_id: string) => (await findBalance(database.owner, owner_id)).total

interface Asker {
  readonly user_id: string
  readonly token: string
}

/** Asks through the server's login for credits, as the server does or an attacker who took it over. */
async function ask(
  owner_id: string,
  asker: Asker,
  more: Partial<NewAct> & { credits?: number; amount?: number; limits?: ActLimits } = {},
) {
  const { credits = 100, amount = credits, limits = testLimits, ...fields } = more
  const act = buildNewAct({
    kind: 'adjust',
    target: { kind: 'user', id: owner_id },
    owner_id,
    params: { adjustment: { credits, customer_note: 'Our apologies', may_leave_debt: false } },
    requested_by: asker.user_id,
    next_try_at: clock.now(),
    ...fields,
  })
  const { act: written } = await insertAct(database.server, act, { token: asker.token, amount, limits })
  return written
}

const approve = (id: string, { user_id: approved_by, token }: Asker, typed_address?: string) =>
  approveAct(database.server, {
    id,
    approved_by,
    token,
    typed_address,
    next_try_at: clock.now(),
  })

/** Limits that a server makes up. */
const madeUp = { asker: 1_000_000, total: 1_000_000 }
const lavish: ActLimits = { adjust: madeUp, refund: madeUp }

/** As if all acts were a day older, which no login of a process can say. */
const letADayPass = () =>
  sql
    .raw(
      `ALTER TABLE support_acts DISABLE TRIGGER support_acts_guard;
       UPDATE support_acts SET requested_at = requested_at - interval '25 h', approved_at = approved_at - interval '25 h';
       ALTER TABLE support_acts ENABLE TRIGGER support_acts_guard`,
    )
    .execute(database.owner)

/** What the worker makes of an act. */
async function outcomeOf({ id }: { readonly id: string }, deps = worker.deps) {
  await processSupportAct(deps, { act_id: id }).catch(() => undefined)
  const act = await findAct(database.owner, id)
  return { state: act?.state, error: act?.error }
}

const tokensOf = ({ id }: { readonly id: string }) =>
  database.worker.selectFrom('support_act_tokens').select('step').where('act_id', '=', id).execute()

describe('the login of a server that was taken over', () => {
  test.each([
    ['insert an act', 'INSERT INTO support_acts (id) VALUES (gen_random_uuid())'],
    [
      'change an act',
      "UPDATE support_acts SET state = 'queued', approved_by = 'user_x', approved_at = now()",
    ],
    [
      'log that a person asked',
      "INSERT INTO audit_log (actor, what, outcome) VALUES ('user_x', 'adjust', 'requested')",
    ],
    [
      'log that a person agreed',
      "INSERT INTO audit_log (actor, what, outcome) VALUES ('user_x', 'adjust', 'approved')",
    ],
    ['read the tokens of sessions', 'SELECT token FROM support_act_tokens'],
    [
      'write a token',
      "INSERT INTO support_act_tokens (act_id, step, token) VALUES (gen_random_uuid(), 'approved', 'x')",
    ],
    ['ask as the terminal does', "SELECT support_write_act('{}', 0, 0, 0, NULL)"],
  ])('the login of the server cannot %s', async (_, statement) => {
    await expect(sql.raw(statement).execute(database.server)).rejects.toThrow(/permission denied|row-level/)
  })

  test('the login of the server cannot ask without a session, or as a person at the terminal', async () => {
    const user = await buildUser(database.server)
    const { user_id, token } = await staff()
    const without = { id: randomUUID(), token: null as unknown as string }
    await expect(ask(user, { user_id, token: without.token })).rejects.toThrow(/permission denied/)
    await expect(ask(user, { user_id: 'cli:root', token })).rejects.toThrow(/session/)
    const { id } = await buildWaitingAct(database, { target: { kind: 'user', id: user } })
    await expect(approve(id, { user_id: 'cli:root', token })).rejects.toThrow(/session/)
  })

  test.each([
    ['a kind that is no act', { kind: 'grant_everything' as NewAct['kind'] }],
    ['an act on a target that it is not for', { kind: 'cancel_intent' as const }],
  ])('the worker fails %s, although support staff asked for it', async (_, wrong) => {
    const user = await buildUser(database.server)
    const act = await ask(user, await staff(), wrong)
    expect(await outcomeOf(act)).toEqual({
      state: 'failed',
      error: expect.stringMatching(/^not_an_act/),
    })
  })

  test('credits that invented people ask for are not posted', async () => {
    const user = await buildUser(database.server)
    const { user_id, token } = await staff()
    const { privateKey } = await generateKeyPair('RS256')
    const forged = await new SignJWT({ azp: 'http://localhost:3000', sts: 'active' })
      .setProtectedHeader({ alg: 'RS256', kid: 'ins_invented' })
      .setSubject(user_id)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(privateKey)
    const askers: Record<string, Asker> = {
      'a person who does not exist': { user_id: 'user_invented', token },
      'a session of another person': { user_id: (await staff()).user_id, token },
      'a session that Clerk did not sign': { user_id, token: forged },
      'no session': { user_id, token: 'x' },
      'an old session': { user_id, token: await tokenOf(clerk, { user_id, expires_in_s: -120 }) },
      'a session without a fresh factor': {
        user_id,
        token: await tokenOf(clerk, { user_id, factor_age_min: 10 }),
      },
      'a session of another site': {
        user_id,
        token: await tokenOf(clerk, { user_id, azp: 'https://evil.example' }),
      },
    }
    for (const [what, asker] of Object.entries(askers)) {
      const act = await ask(user, asker)
      expect(await outcomeOf(act), what).toMatchObject({
        state: 'failed',
        error: failureOf('unproved', { who: asker.user_id, step: 'requested', by: 'session' }),
      })
      expect(await tokensOf(act)).toEqual([])
    }
    expect(await balanceOf(user)).toBe(0)
  })

  test('a second person cannot be invented, for credits and for an erasure', async () => {
    const user = await buildUser(database.server)
    const asker = await staff()
    for (const kind of ['adjust', 'forget'] as const) {
      const act = await ask(user, asker, { kind, credits: 6000, ...(kind === 'forget' && { params: {} }) })
      expect(act.state).toBe('waiting_for_approval')
      await approve(act.id, { user_id: 'user_invented', token: asker.token }, `${user}@tidemark.test`)
      expect(await outcomeOf(act)).toMatchObject({
        state: 'failed',
        error: failureOf('unproved', { who: 'user_invented', step: 'approved', by: 'session' }),
      })
    }
    expect(await balanceOf(user)).toBe(0)
  })

  test('limits that the server makes up are not the ones of the worker', async () => {
    const more = { credits: 5001, amount: 1, limits: lavish }
    const written = await ask(await buildUser(database.server), await staff(), more)
    expect(written.state).toBe('queued')
    expect(await outcomeOf(written)).toMatchObject({
      state: 'failed',
      error: 'not_approved',
    })
  })

  test('an act without its entry in the audit log is not done', async () => {
    const user = await buildUser(database.server)
    const built = await buildAct(database, { kind: 'resync', target: { kind: 'user', id: user } })
    await outcomeOf(built)
    const { kind, target_kind, target_id, reason, requested_at, next_try_at } = built
    const { id } = await database.owner
      .insertInto('support_acts')
      .values({
        ...{ id: randomUUID(), is_dry_run: false, state: 'queued', requested_by: 'cli:ada' },
        ...{ kind, target_kind, target_id, reason, requested_at, next_try_at },
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    expect(await outcomeOf({ id })).toMatchObject({
      state: 'failed',
      error: failureOf('unproved', { who: 'cli:ada', step: 'requested', by: 'audit_log' }),
    })
  })
})

describe('who may ask and agree', () => {
  test('an act of living support staff is done, and their sessions are forgotten', async () => {
    const user = await buildUser(database.server)
    const act = await ask(user, await staff(), { credits: 6000 })
    await approve(act.id, await staff())
    expect(await tokensOf(act)).toHaveLength(2)
    expect(await outcomeOf(act)).toMatchObject({ state: 'done' })
    expect(await balanceOf(user)).toBe(6000)
    expect(await tokensOf(act)).toEqual([])
    const refused = await ask(user, await staff(), { credits: 6000 })
    await refuseAct(database.server, { id: refused.id, refused_by: 'user_x', error: 'No', now: clock.now() })
    expect(await tokensOf(refused)).toEqual([])
  })

  test.each([
    [
      'lost the role',
      (user_id: string) => clerk.client.users.updateUserMetadata(user_id, { publicMetadata: { role: null } }),
    ],
    ['was banned', (user_id: string) => clerk.client.users.banUser(user_id)],
    ['closed their account', (user_id: string) => clerk.client.users.deleteUser(user_id)],
  ])('an act of a person who %s before it was done is not done', async (_, end) => {
    const user = await buildUser(database.server)
    const asker = await staff()
    const act = await ask(user, asker)
    await end(asker.user_id)
    expect(await outcomeOf(act)).toMatchObject({
      state: 'failed',
      error: failureOf('not_on_staff', { who: asker.user_id }),
    })
    expect(await balanceOf(user)).toBe(0)
  })

  test('neither the asker nor the approver may be a member of the organization that gets credits', async () => {
    const team = await buildTeam(product)
    const owner_id = team.organization.id
    const [first, second, member] = [await staff(), await staff(), await staff()]
    await addMember(clerk, team.organization, member)
    const target = { kind: 'organization', id: owner_id } as const
    const own = await ask('', member, { owner_id, target })
    expect(await outcomeOf(own)).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/^own_account/),
    })
    const agreed = await ask('', first, { owner_id, target, credits: 6000 })
    await approve(agreed.id, member)
    expect(await outcomeOf(agreed)).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/^own_account/),
    })
    const good = await ask('', first, { owner_id, target, credits: 6000 })
    await approve(good.id, second)
    expect(await outcomeOf(good)).toMatchObject({ state: 'done' })
  })

  test('an approval counts by the clock of the database, not by that of the worker', async () => {
    const user = await buildUser(database.server)
    const act = await ask(user, await staff(), { credits: 6000 })
    await approve(act.id, await staff())
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 3600_000 })
    try {
      expect(await outcomeOf(act)).toMatchObject({ state: 'done' })
    } finally {
      vi.useRealTimers()
    }
  })

  test('an act waits while Clerk is away, and an approval lapses after a day', async () => {
    const user = await buildUser(database.server)
    const act = await ask(user, await staff(), { credits: 6000 })
    await approve(act.id, await staff())
    const away = {
      ...worker.deps,
      verifyToken: async () => {
        throw new ClerkUnavailableError('Clerk does not answer')
      },
    }
    expect(await outcomeOf(act, away)).toMatchObject({ state: 'queued' })
    await letADayPass()
    expect(await outcomeOf(act)).toMatchObject({
      state: 'failed',
      error: 'approval_lapsed',
    })
    expect(await balanceOf(user)).toBe(0)
  })
})

describe('what one may give without a second person', () => {
  test('a person who adjusts 55 accounts at once gives no more than the limit of a day', async () => {
    const asker = await staff()
    const users = await Promise.all(Array.from({ length: 55 }, () => buildUser(database.server)))
    const acts = await Promise.all(users.map((user) => ask(user, asker, { credits: 2500 })))
    expect(acts.filter(({ state }) => state === 'queued')).toHaveLength(2)
    await letADayPass()
    expect((await ask(await buildUser(database.server), asker, { credits: 2500 })).state).toBe('queued')
  })

  test('many people together give no more than the limit of all', async () => {
    await letADayPass()
    const askers = await Promise.all(Array.from({ length: 12 }, staff))
    const acts = await Promise.all(
      askers.map(async (asker) => ask(await buildUser(database.server), asker, { credits: 5000 })),
    )
    expect(acts.filter(({ state }) => state === 'queued')).toHaveLength(10)
  })

  test.each([
    ['before', -25],
    ['after', 25],
    ['in turn before and after', 0],
  ])('acts that the server dates a day %s the others count for the limit all the same', async (_, hours) => {
    await letADayPass()
    const asker = await staff()
    const acts = []
    for (let i = 0; i < 20; i++) {
      const at = Date.now() + (hours || (i % 2 ? 25 : -25)) * (i + 1) * 3600_000
      const dated = { requested_at: new Date(at), approved_at: new Date(at), credits: 2500 }
      acts.push(await ask(await buildUser(database.server), asker, dated))
    }
    expect(acts.filter(({ state }) => state === 'queued')).toHaveLength(2)
  })
})

describe('what two people may give together', () => {
  const agreed = async (credits: number) => {
    const act = await ask(await buildUser(database.server), await staff(), { credits })
    await approve(act.id, await staff())
    return act
  }
  const tooMuch = { state: 'failed', error: 'over_ceiling' }

  test('an act above the ceiling is not done, although a second person agreed', async () => {
    await letADayPass()
    expect(await outcomeOf(await agreed(50_001))).toEqual(tooMuch)
    expect(await outcomeOf(await agreed(50_000))).toMatchObject({ state: 'done' })
  })

  test('the acts of a day end at the ceiling, also when they were asked for on other days', async () => {
    await letADayPass()
    const waiting = await ask(await buildUser(database.server), await staff(), { credits: 50_000 })
    await letADayPass()
    for (let i = 0; i < 3; i++) expect(await outcomeOf(await agreed(50_000))).toMatchObject({ state: 'done' })
    await approve(waiting.id, await staff())
    const [over, small] = [await agreed(50_000), await agreed(-5001)]
    expect(await outcomeOf(waiting)).toMatchObject({ state: 'done' })
    expect(await outcomeOf(over)).toEqual(tooMuch)
    expect(await outcomeOf(small)).toEqual(tooMuch)
    await letADayPass()
    expect(await outcomeOf(await agreed(50_000))).toMatchObject({ state: 'done' })
  })
})

test('refunds count to limits of their own, for the asker, for all, and at the ceiling for two people too', async () => {
  await letADayPass()
  const [asker, other] = [await staff(), await staff()]
  const refundOf = async (amount_minor: number, by: Asker, more: Parameters<typeof ask>[2] = {}) => {
    const { id, owner_id } = await buildPurchase(database.server)
    const refund = { amount_minor, currency: 'EUR', refunded_minor: 0, stripe_reason: null }
    const target = { kind: 'intent', id } as const
    return ask(owner_id, by, { kind: 'refund', target, params: { refund }, credits: amount_minor, ...more })
  }
  // 100.00 each, 1,000.00 together. Credits count elsewhere.
  await ask(await buildUser(database.server), asker, { credits: 5000 })
  const asked = [await refundOf(6000, asker), await refundOf(4001, asker), await refundOf(4000, asker)]
  expect(asked.map(({ state }) => state)).toEqual(['queued', 'waiting_for_approval', 'queued'])
  for (let people = 0; people < 9; people++) await refundOf(10_000, await staff())
  expect((await refundOf(1, other)).state).toBe('waiting_for_approval')

  const tooMuch = await refundOf(100_001, asker)
  await approve(tooMuch.id, other)
  expect(await outcomeOf(tooMuch)).toEqual({
    state: 'failed',
    error: 'over_ceiling',
  })
  // The server says that it is less.
  const act = await refundOf(10_001, other, { amount: 1, limits: lavish })
  expect(act.state).toBe('queued')
  expect(await outcomeOf(act)).toEqual({ state: 'failed', error: 'not_approved' })
})

test('a person cannot refund a payment of their own', async () => {
  await letADayPass()
  const asker = await staff()
  await buildUser(database.server, asker.user_id)
  const { id } = await buildPurchase(database.server, { user_id: asker.user_id, owner_id: asker.user_id })
  const refund = { amount_minor: 1, currency: 'EUR', refunded_minor: 0, stripe_reason: null }
  const target = { kind: 'intent', id } as const
  const act = await ask(asker.user_id, asker, { kind: 'refund', target, params: { refund }, credits: 1 })
  expect(await outcomeOf(act)).toMatchObject({
    state: 'failed',
    error: expect.stringMatching(/^own_account/),
  })
})
