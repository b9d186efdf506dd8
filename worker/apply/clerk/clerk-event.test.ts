import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { assignSeat } from '../../../schema/api/organization-seats.ts'
import { sendTeamInvitation } from '../../../schema/api/team-invitations.ts'
import { openClerk } from '../../../schema/clerk/client.ts'
import { createClerkDirectory } from '../../../schema/clerk/directory.ts'
import { findEvent } from '../../../schema/inbox/events.ts'
import { listClerkEvents, receiveClerkEvent, type SandboxEvent } from '../../../tests/support/clerk-events.ts'
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { insertUser } from '../../../tests/support/records.ts'
import { type Sandbox, startSandbox } from '../../../tests/support/sandbox.ts'
import { startTestServer, type TestServer } from '../../../tests/support/server.ts'
import { newMember, newPerson, newTeam, type Person, type Team } from '../../../tests/support/team.ts'
import { createTestDependencies } from '../../../tests/support/worker.ts'
import { processInboxEvent } from '../../jobs/inbox-event.ts'

let database: TestDatabase
let clerk: Sandbox
let server: TestServer
/** Events before this one are of the test's preparations. */
let known: Set<string>

beforeAll(async () => {
  ;[database, clerk] = await Promise.all([createTestDatabase(), startSandbox('clerk')])
  server = await startTestServer({ databaseUrl: database.url, clerk })
})
afterAll(async () => {
  await server?.close()
  await Promise.all([clerk?.stop(), database?.close()])
})
beforeEach(async () => {
  known = new Set((await listClerkEvents(clerk)).map(({ id }) => id))
})

const backend = () => openClerk({ secretKey: 'sk_test_sandbox', apiUrl: `${clerk.url}/bapi` })
const team = (seats = 3) => newTeam({ database, clerk }, { seats })
const apply = async (event: Pick<SandboxEvent, 'type' | 'payload'>) => {
  const id = await receiveClerkEvent(database.server, event)
  await processInboxEvent(createTestDependencies(database, { clerk: createClerkDirectory(backend()) }), {
    source: 'clerk',
    id,
  })
  return findEvent(database.owner, { source: 'clerk', id })
}
/** What Clerk has told since the test's preparations, of these kinds. */
const told = async (...types: string[]) =>
  (await listClerkEvents(clerk)).filter(
    ({ id, type }) => !known.has(id) && types.some((prefix) => type.startsWith(prefix)),
  )

const invite = async ({ organization, admin }: Team, email: string, role: 'admin' | 'member' = 'member') => {
  const { invitation } = await server.ask(sendTeamInvitation, {
    token: admin.token,
    body: { org_id: organization.id, email, role },
  })
  return invitation
}
const giveSeat = ({ organization, admin }: Team, email: string) =>
  server.ask(assignSeat, { token: admin.token, body: { org_id: organization.id, email } })
/** Accepts the newest invitation as the invited person's browser would. */
async function accept(person: Person): Promise<void> {
  const response = await fetch(`${clerk.url}/_sandbox/mails?to=${person.email}`)
  const { data } = (await response.json()) as { data: { url: string }[] }
  const ticket = new URL(data[0]?.url ?? '').searchParams.get('ticket') ?? ''
  const browser = await fetch(`${clerk.url}/v1/client/sign_ins`, {
    method: 'POST',
    body: new URLSearchParams({ strategy: 'ticket', ticket }),
  })
  if (!browser.ok) throw new Error(`${browser.status} ${await browser.text()}`)
}
const leave = ({ organization }: Team, { user_id }: Person) =>
  backend().organizations.deleteOrganizationMembership({ organizationId: organization.id, userId: user_id })
const become = ({ organization }: Team, { user_id }: Person, role: 'org:admin' | 'org:member') =>
  backend().organizations.updateOrganizationMembership({
    organizationId: organization.id,
    userId: user_id,
    role,
  })

/** All that is known of an organization's seats and invitations, without the times at which it was written. */
async function books({ organization }: Team) {
  const seats = await database.owner
    .selectFrom('seats')
    .select(['email', 'user_id', 'role', 'status'])
    .where('organization_id', '=', organization.id)
    .orderBy('id')
    .execute()
  const invitations = await database.owner
    .selectFrom('team_invitations')
    .select(['email', 'status', 'clerk_invitation_id'])
    .where('organization_id', '=', organization.id)
    .orderBy('created_at')
    .execute()
  return { seats, invitations }
}
const planOf = async ({ user_id }: Person) =>
  (
    await database.owner
      .selectFrom('users')
      .select('plan_type')
      .where('clerk_id', '=', user_id)
      .executeTakeFirst()
  )?.plan_type

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  )
}

const applyAll = async (events: readonly SandboxEvent[]) => {
  for (const event of events) await apply(event)
}

/** Applies the events in an order that a seed decides, each up to three times. */
async function applyShuffled(events: readonly SandboxEvent[], seed: number): Promise<void> {
  let state = seed * 2_654_435_761
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const deliveries = events.flatMap((event) =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({ event, at: random() })),
  )
  await applyAll(deliveries.toSorted((a, b) => a.at - b.at).map(({ event }) => event))
}

describe('joining', () => {
  test('with an invitation takes the seat that it holds, also when all are taken', async () => {
    const ours = await team(2)
    await giveSeat(ours, (await newMember(clerk, ours)).email)
    const ada = await newPerson(clerk)
    await insertUser(database.server, ada.user_id)
    await server.ask(assignSeat, {
      token: ours.admin.token,
      body: { org_id: ours.organization.id, email: ada.email, role: 'admin' },
    })
    await accept(ada)
    await applyAll(await told('organization'))
    const { seats, invitations } = await books(ours)
    expect(seats.filter(({ status }) => status === 'active')).toHaveLength(2)
    expect(seats).toContainEqual({ email: ada.email, user_id: ada.user_id, role: 'admin', status: 'active' })
    expect(invitations).toMatchObject([{ email: ada.email, status: 'accepted' }])
    expect(await planOf(ada)).toBe('teams')
  })

  test('with an invitation works when seats have been taken away meanwhile', async () => {
    const ours = await team(3)
    const ada = await newPerson(clerk)
    await giveSeat(ours, (await newMember(clerk, ours)).email)
    await invite(ours, ada.email)
    await database.worker
      .updateTable('subscriptions')
      .set({ seats_total: 1 })
      .where('stripe_subscription_id', '=', ours.subscription_id)
      .execute()
    await accept(ada)
    await applyAll(await told('organization'))
    expect((await books(ours)).seats.map(({ status }) => status)).toEqual(['active', 'active'])
  })

  test('without having been promised a seat gives none', async () => {
    const ours = await team()
    await newMember(clerk, ours)
    await applyAll(await told('organizationMembership'))
    expect((await books(ours)).seats).toEqual([])
  })

  test('with another address of one’s own takes the seat that was promised to it, if it is verified', async () => {
    const ours = await team()
    const [ada, eve] = [await newPerson(clerk), await newPerson(clerk)]
    const [promised, wanted] = ['second.address@tidemark.test', 'not.verified@tidemark.test']
    await invite(ours, promised)
    await invite(ours, wanted)
    const addressOf = (person: Person, emailAddress: string, verified: boolean) =>
      backend().emailAddresses.createEmailAddress({ userId: person.user_id, emailAddress, verified })
    await addressOf(ada, promised, true)
    await addressOf(eve, wanted, false)
    for (const person of [ada, eve]) {
      await backend().organizations.createOrganizationMembership({
        organizationId: ours.organization.id,
        userId: person.user_id,
        role: 'org:member',
      })
    }
    await applyAll(await told('organizationMembership'))
    expect((await books(ours)).seats).toEqual([
      { email: promised, user_id: ada.user_id, role: 'member', status: 'active' },
      { email: wanted, user_id: null, role: 'member', status: 'pending' },
    ])
  })

  test('by an invitation of Clerk’s own settings is none of ours', async () => {
    const ours = await team()
    const ada = await newPerson(clerk)
    await backend().organizations.createOrganizationInvitation({
      organizationId: ours.organization.id,
      emailAddress: ada.email,
      role: 'org:member',
      inviterUserId: ours.admin.user_id,
    })
    await accept(ada)
    for (const event of await told('organizationInvitation')) {
      expect(await apply(event)).toMatchObject({
        state: 'ignored',
        reason: 'The invitation was not sent by us',
      })
    }
    expect(await books(ours)).toEqual({ seats: [], invitations: [] })
  })
})

describe('a member', () => {
  test('whose role changes has it on their seat', async () => {
    const ours = await team()
    const ada = await newMember(clerk, ours)
    await giveSeat(ours, ada.email)
    await become(ours, ada, 'org:admin')
    await applyAll(await told('organizationMembership.updated'))
    expect((await books(ours)).seats).toMatchObject([{ user_id: ada.user_id, role: 'admin' }])
  })

  test('who leaves loses their seat and the plan that came with it', async () => {
    const ours = await team()
    const ada = await newMember(clerk, ours)
    await insertUser(database.server, ada.user_id)
    await giveSeat(ours, ada.email)
    expect(await planOf(ada)).toBe('teams')
    await leave(ours, ada)
    await applyAll(await told('organizationMembership.deleted'))
    expect((await books(ours)).seats).toMatchObject([{ user_id: ada.user_id, status: 'revoked' }])
    expect(await planOf(ada)).toBe('starter')
  })

  test('who leaves while an admin gives them a seat does not keep it, whichever look is written first', async () => {
    const ours = await team()
    const ada = await newMember(clerk, ours)
    await leave(ours, ada)
    // The request of the admin asked Clerk before, and is slower than the worker.
    const directory = createClerkDirectory(backend())
    const slow = await startTestServer({
      databaseUrl: database.url,
      clerk,
      deps: {
        clerk: {
          ...server.deps.clerk,
          async findMemberByEmail(key) {
            const seen = { ...(await directory.findMembership({ ...key, user_id: ours.admin.user_id })) }
            await applyAll(await told('organizationMembership.deleted'))
            return { ...(seen as never as object), user_id: ada.user_id, email: ada.email } as never
          },
        },
      },
    })
    const answer = await slow.api(assignSeat, {
      token: ours.admin.token,
      body: { org_id: ours.organization.id, email: ada.email },
    })
    await slow.close()
    expect(answer).toMatchObject({ status: 409, body: { code: 'membership_changed' } })
    expect((await books(ours)).seats).toEqual([])
  })
})

describe('an end', () => {
  test('of an account ends seats, tokens and plan; the row stays for the books', async () => {
    const [ours, theirs] = [await team(), await team()]
    const ada = await newMember(clerk, ours)
    await backend().organizations.createOrganizationMembership({
      organizationId: theirs.organization.id,
      userId: ada.user_id,
      role: 'org:member',
    })
    await insertUser(database.server, ada.user_id)
    await giveSeat(ours, ada.email)
    await giveSeat(theirs, ada.email)
    await database.owner
      .insertInto('extension_tokens')
      .values({
        id: randomUUID(),
        user_id: ada.user_id,
        token_hash: Buffer.alloc(32, ada.user_id),
        created_at: new Date(),
        expires_at: new Date(Date.now() + 60_000),
      })
      .execute()
    await backend().users.deleteUser(ada.user_id)
    const [event] = await told('user.deleted')
    if (!event) throw new Error('Clerk said nothing')
    expect(await apply(event)).toMatchObject({ state: 'applied' })
    for (const either of [ours, theirs]) {
      expect((await books(either)).seats).toMatchObject([{ user_id: ada.user_id, status: 'revoked' }])
    }
    const tokens = await database.owner
      .selectFrom('extension_tokens')
      .select('revoked_at')
      .where('user_id', '=', ada.user_id)
      .execute()
    expect(tokens).toEqual([{ revoked_at: expect.any(Date) }])
    expect(await planOf(ada)).toBe('starter')
  })

  test('of an organization ends all its seats and invitations, and leaves the money to support', async () => {
    const ours = await team()
    const ada = await newMember(clerk, ours)
    await insertUser(database.server, ada.user_id)
    await giveSeat(ours, ada.email)
    await invite(ours, (await newPerson(clerk)).email)
    await backend().organizations.deleteOrganization(ours.organization.id)
    const [event] = await told('organization.deleted')
    if (!event) throw new Error('Clerk said nothing')
    expect(await apply(event)).toMatchObject({ state: 'applied', reason: expect.stringContaining('support') })
    expect(await books(ours)).toMatchObject({
      seats: [{ status: 'revoked' }, { status: 'revoked' }],
      invitations: [{ status: 'revoked' }],
    })
    expect(await planOf(ada)).toBe('starter')
    const { status } = await database.owner
      .selectFrom('subscriptions')
      .select('status')
      .where('stripe_subscription_id', '=', ours.subscription_id)
      .executeTakeFirstOrThrow()
    expect(status).toBe('active')
  })
})

type Action = (ours: Team, person: Person) => Promise<unknown>
const invites: Action = (ours, person) => invite(ours, person.email)
const accepts: Action = (_ours, person) => accept(person)
const leaves: Action = leave
const promotes: Action = (ours, person) => become(ours, person, 'org:admin')
const revokes: Action = async (ours) => {
  const [pending] = await createClerkDirectory(backend()).listInvitations(ours.organization.id)
  if (pending) await createClerkDirectory(backend()).revokeInvitation(pending)
}
const closes: Action = (_ours, person) => backend().users.deleteUser(person.user_id)
const disbands: Action = (ours) => backend().organizations.deleteOrganization(ours.organization.id)

const histories: [string, Action[]][] = [
  ['invited and revoked at Clerk', [invites, revokes]],
  ['joined', [invites, accepts]],
  ['joined and promoted', [invites, accepts, promotes]],
  ['joined and left', [invites, accepts, leaves]],
  ['joined and closed the account', [invites, accepts, closes]],
  ['joined, and the organization was deleted', [invites, accepts, disbands]],
]
const kinds = ['organization', 'user.deleted']

describe('the events of a history end in the same books in every order, also within one second', () => {
  test.each(histories)('%s', async (_, actions) => {
    const ours = await team()
    const person = await newPerson(clerk)
    await insertUser(database.server, person.user_id)
    let canonical: unknown
    for (const act of actions) {
      const before = new Set((await told(...kinds)).map(({ id }) => id))
      await act(ours, person)
      await applyAll((await told(...kinds)).filter(({ id }) => !before.has(id)))
    }
    canonical = withoutNames({ ...(await books(ours)), plan: await planOf(person) })

    const again = await team()
    const guest = await newPerson(clerk)
    await insertUser(database.server, guest.user_id)
    const since = new Set((await told(...kinds)).map(({ id }) => id))
    for (const act of actions) await act(again, guest)
    const sameSecond = Math.floor(Date.now() / 1000) * 1000
    const events = (await told(...kinds))
      .filter(({ id }) => !since.has(id))
      .map((event) => ({ ...event, payload: { ...event.payload, timestamp: sameSecond } }))
    const rows = await snapshot(again)
    for (const order of permutations(events)) {
      await rows.restore()
      await applyAll(order)
      const found = withoutNames({ ...(await books(again)), plan: await planOf(guest) })
      expect(found, order.map(({ type }) => type).join(', ')).toEqual(canonical)
    }
  })

  test.each(Array.from({ length: 12 }, (_, seed) => seed + 1))(
    'somebody who comes, goes and comes back, with old events repeated between and after: seed %i',
    async (seed) => {
      const ours = await team()
      const person = await newPerson(clerk)
      await insertUser(database.server, person.user_id)
      for (const act of [invites, accepts, leaves]) await act(ours, person)
      await applyShuffled(await told(...kinds), seed)
      await invites(ours, person)
      await applyShuffled(await told(...kinds), seed + 100)
      await accepts(ours, person)
      await promotes(ours, person)
      await applyShuffled(await told(...kinds), seed + 200)
      const { seats, invitations } = await books(ours)
      expect(seats).toMatchObject([
        { user_id: person.user_id, status: 'revoked' },
        { user_id: person.user_id, status: 'active', role: 'admin' },
      ])
      expect(invitations.map(({ status }) => status)).toEqual(['accepted', 'accepted'])
      expect(await planOf(person)).toBe('teams')
    },
  )
})

/** Two runs of a history differ in who took part. */
function withoutNames(found: { seats: { user_id: string | null; role: string; status: string }[] } & object) {
  return {
    ...found,
    seats: found.seats.map(({ user_id, role, status }) => ({ hasUser: user_id !== null, role, status })),
    invitations: (found as Awaited<ReturnType<typeof books>>).invitations.map(({ status }) => status),
  }
}

/** Keeps what is known of an organization, to go back to. */
async function snapshot({ organization }: Team) {
  const db = database.owner
  const invitations = await db
    .selectFrom('team_invitations')
    .selectAll()
    .where('organization_id', '=', organization.id)
    .execute()
  const seats = await db
    .selectFrom('seats')
    .selectAll()
    .where('organization_id', '=', organization.id)
    .execute()
  return {
    async restore() {
      for (const table of ['seats', 'team_invitations', 'organization_members'] as const) {
        await db.deleteFrom(table).where('organization_id', '=', organization.id).execute()
      }
      await db.insertInto('team_invitations').values(invitations).execute()
      await db
        .insertInto('seats')
        .values(seats.map(({ id: _, ...seat }) => seat))
        .execute()
    },
  }
}
