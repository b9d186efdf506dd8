import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SandboxEvent } from '../../../tests/support/clerk-events.ts'
import { insertUser } from '../../../tests/support/records.ts'
import { newPerson, type Person, type Team } from '../../../tests/support/team.ts'
import { openTeamWorld, type TeamWorld } from '../../../tests/support/team-world.ts'

let world: TeamWorld
beforeAll(async () => {
  world = await openTeamWorld()
})
afterAll(() => world?.close())
beforeEach(() => world.forgetEvents())

type Action = (ours: Team, person: Person) => Promise<unknown>
const invites: Action = (ours, person) => world.invite(ours, person.email)
const accepts: Action = (_ours, person) => world.accept(person)
const leaves: Action = (ours, person) => world.leave(ours, person)
const promotes: Action = (ours, person) => world.become(ours, person, 'org:admin')
const closes: Action = (_ours, person) => world.backend.users.deleteUser(person.user_id)
const disbands: Action = (ours) => world.backend.organizations.deleteOrganization(ours.organization.id)
const revokes: Action = async (ours) => {
  const [pending] = await world.directory.listInvitations(ours.organization.id)
  if (pending) await world.directory.revokeInvitation(pending)
}

const histories: [string, Action[]][] = [
  ['invited and revoked at Clerk', [invites, revokes]],
  ['joined', [invites, accepts]],
  ['joined and promoted', [invites, accepts, promotes]],
  ['joined and left', [invites, accepts, leaves]],
  ['joined and closed the account', [invites, accepts, closes]],
  ['joined, and the organization was deleted', [invites, accepts, disbands]],
]
const events = () => world.told('organization', 'user.deleted')

async function begin() {
  const ours = await world.team()
  const person = await newPerson(world.clerk)
  await insertUser(world.database.server, person.user_id)
  await world.forgetEvents()
  return { ours, person }
}

/** The books as they are when every event is applied as it happens. */
async function canonicalBooks(actions: readonly Action[]) {
  const { ours, person } = await begin()
  for (const act of actions) {
    await act(ours, person)
    await world.applyAll(await events())
    await world.forgetEvents()
  }
  return summary(ours, person)
}

describe('the events of a history end in the same books', () => {
  test.each(histories)('in every order, also within one second: %s', async (_, actions) => {
    const canonical = await canonicalBooks(actions)
    const { ours, person } = await begin()
    for (const act of actions) await act(ours, person)
    const sameSecond = Math.floor(Date.now() / 1000) * 1000
    const late = (await events()).map((event) => ({
      ...event,
      payload: { ...event.payload, timestamp: sameSecond },
    }))
    const restore = await snapshot(ours)
    for (const order of permutations(late)) {
      await restore()
      await world.applyAll(order)
      expect(await summary(ours, person), order.map(({ type }) => type).join(', ')).toEqual(canonical)
    }
  })

  test.each(histories)(
    'applied by several workers at once, each event three times: %s',
    async (_, actions) => {
      const canonical = await canonicalBooks(actions)
      const { ours, person } = await begin()
      for (const act of actions) await act(ours, person)
      const late = await events()
      await Promise.all([...late, ...late.toReversed(), ...late].map((event) => world.apply(event)))
      expect(await summary(ours, person)).toEqual(canonical)
    },
  )
})

test.each(Array.from({ length: 12 }, (_, seed) => seed + 1))(
  'somebody comes, goes and comes back, with old events repeated between and after: seed %i',
  async (seed) => {
    const { ours, person } = await begin()
    for (const act of [invites, accepts, leaves]) await act(ours, person)
    await world.applyAll(shuffled(await events(), seed))
    await invites(ours, person)
    await world.applyAll(shuffled(await events(), seed + 100))
    await accepts(ours, person)
    await promotes(ours, person)
    await world.applyAll(shuffled(await events(), seed + 200))
    expect(await summary(ours, person)).toEqual({
      seats: [
        { is_taken: true, role: 'member', status: 'revoked' },
        { is_taken: true, role: 'admin', status: 'active' },
      ],
      invitations: ['accepted', 'accepted'],
      plan: 'teams',
    })
  },
)

/** What is left when two runs of a history differ in who took part. */
async function summary(ours: Team, person: Person) {
  const { seats, invitations } = await world.books(ours)
  return {
    seats: seats.map(({ user_id, role, status }) => ({
      is_taken: user_id === person.user_id,
      role,
      status,
    })),
    invitations: invitations.map(({ status }) => status),
    plan: await world.planOf(person),
  }
}

/** Keeps what is known of an organization; returns the way back. */
async function snapshot({ organization }: Team): Promise<() => Promise<void>> {
  const { owner } = world.database
  const rowsOf = (table: 'seats' | 'team_invitations') =>
    owner.selectFrom(table).selectAll().where('organization_id', '=', organization.id).execute()
  const [seats, invitations] = await Promise.all([rowsOf('seats'), rowsOf('team_invitations')])
  return async () => {
    for (const table of ['seats', 'team_invitations', 'organization_members'] as const) {
      await owner.deleteFrom(table).where('organization_id', '=', organization.id).execute()
    }
    await owner
      .insertInto('team_invitations')
      .values(invitations as never)
      .execute()
    await owner
      .insertInto('seats')
      .values(seats.map(({ id: _, ...seat }) => seat) as never)
      .execute()
  }
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  )
}

/** The events in an order that a seed decides, each one to three times. */
function shuffled(items: readonly SandboxEvent[], seed: number): SandboxEvent[] {
  let state = Math.imul(seed, 2_654_435_761)
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return items
    .flatMap((event) => Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({ event, at: random() })))
    .toSorted((a, b) => a.at - b.at)
    .map(({ event }) => event)
}
