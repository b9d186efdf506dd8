import { beforeEach, describe, expect, test } from 'vitest'
import {
  acceptInvitation,
  buildTeam,
  changeRole,
  invite,
  readTeam,
  removeMember,
  type Team,
} from '../../../tests/support/factories/teams.ts'
import { buildAccount, readPlanType } from '../../../tests/support/factories/users.ts'
import { isLong } from '../../../tests/support/long.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { createRandom } from '../../../tests/support/random.ts'
import type { ClerkSandboxEvent, Person } from '../../../tests/support/services/clerk.ts'

const product = testProduct({ clerk: 'sandbox' })
const { database, clerk, worker } = product
const newTeam = (seats = 3) => buildTeam(product, { seats })
beforeEach(() => clerk.forgetEvents())

type Action = (ours: Team, person: Person) => Promise<unknown>
const invites: Action = (ours, person) => invite(product, ours, person.email)
const accepts: Action = (_ours, person) => acceptInvitation(clerk, person)
const leaves: Action = (ours, person) => removeMember(clerk, ours, person)
const promotes: Action = (ours, person) => changeRole(clerk, ours, person, 'org:admin')
const closes: Action = (_ours, person) => clerk.client.users.deleteUser(person.user_id)
const disbands: Action = (ours) => clerk.client.organizations.deleteOrganization(ours.organization.id)
const revokes: Action = async (ours) => {
  const [pending] = await clerk.directory.listInvitations(ours.organization.id)
  if (pending) await clerk.directory.revokeInvitation(pending)
}

const histories: [string, Action[]][] = [
  ['invited and revoked at Clerk', [invites, revokes]],
  ['joined', [invites, accepts]],
  ['joined and promoted', [invites, accepts, promotes]],
  ['joined and left', [invites, accepts, leaves]],
  ['joined and closed the account', [invites, accepts, closes]],
  ['joined, and the organization was deleted', [invites, accepts, disbands]],
]
/** The longest of a kind by default: those of a seat that is taken, freed, and lost with all others. */
const tried = isLong ? histories : histories.slice(3).filter(([name]) => !name.includes('closed'))
const events = () => clerk.listEvents('organization', 'user.deleted')

async function begin() {
  const ours = await newTeam()
  const person = await buildAccount(product)
  await clerk.forgetEvents()
  return { ours, person }
}

/** The books as they are when every event is applied as it happens. */
async function canonicalBooks(actions: readonly Action[]) {
  const { ours, person } = await begin()
  for (const act of actions) {
    await act(ours, person)
    await worker.applyAllOfClerk(await events())
    await clerk.forgetEvents()
  }
  return summary(ours, person)
}

describe('the events of a history end in the same books', () => {
  test.each(tried)(
    'events end in the same seats in every order, also within one second: %s',
    async (_, actions) => {
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
        await worker.applyAllOfClerk(order)
        expect(await summary(ours, person), order.map(({ type }) => type).join(', ')).toEqual(canonical)
      }
    },
  )

  test.each(tried)('applied by several workers at once, each event three times: %s', async (_, actions) => {
    const canonical = await canonicalBooks(actions)
    const { ours, person } = await begin()
    for (const act of actions) await act(ours, person)
    const late = await events()
    await Promise.all([...late, ...late.toReversed(), ...late].map((event) => worker.applyClerk(event)))
    expect(await summary(ours, person)).toEqual(canonical)
  })
})

test.each(Array.from({ length: isLong ? 12 : 2 }, (_, seed) => seed + 1))(
  'a person joins, leaves and comes back, with old events repeated between and after: seed %i',
  async (seed) => {
    const { ours, person } = await begin()
    for (const act of [invites, accepts, leaves]) await act(ours, person)
    await worker.applyAllOfClerk(shuffled(await events(), seed))
    await invites(ours, person)
    await worker.applyAllOfClerk(shuffled(await events(), seed + 100))
    await accepts(ours, person)
    await promotes(ours, person)
    await worker.applyAllOfClerk(shuffled(await events(), seed + 200))
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
  const { seats, invitations } = await readTeam(database, ours)
  return {
    seats: seats.map(({ user_id, role, status }) => ({
      is_taken: user_id === person.user_id,
      role,
      status,
    })),
    invitations: invitations.map(({ status }) => status),
    plan: await readPlanType(database.owner, person),
  }
}

/** Keeps what is known of an organization; returns the way back. */
async function snapshot({ organization }: Team): Promise<() => Promise<void>> {
  const { owner } = database
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
function shuffled(items: readonly ClerkSandboxEvent[], seed: number): ClerkSandboxEvent[] {
  const { next, int } = createRandom(seed)
  return items
    .flatMap((event) => Array.from({ length: int(1, 3) }, () => ({ event, at: next() })))
    .toSorted((a, b) => a.at - b.at)
    .map(({ event }) => event)
}
