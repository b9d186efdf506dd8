import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { assignSeat, getOrganizationSeats, revokeSeat } from '../../schema/api/organization-seats.ts'
import { newMember, newPerson, type Team } from '../../tests/support/team.ts'
import { openTeamWorld, type TeamWorld } from '../../tests/support/team-world.ts'

let world: TeamWorld
beforeAll(async () => {
  world = await openTeamWorld()
})
afterAll(() => world?.close())
afterEach(() => world.clerk.clear('faults'))

const calls = [
  ['see the seats', getOrganizationSeats, 200],
  ['assign', assignSeat, 403],
  ['revoke', revokeSeat, 403],
] as const

function call(endpoint: (typeof calls)[number][1], { organization, admin }: Team, token?: string) {
  const org_id = organization.id
  const caller = token === undefined ? {} : { token }
  if (endpoint === getOrganizationSeats) return world.server.api(endpoint, { ...caller, query: { org_id } })
  const change = endpoint === assignSeat ? { email: 'somebody@tidemark.test' } : { user_id: admin.user_id }
  return world.server.api(endpoint, { ...caller, body: { org_id, ...change } })
}

describe('who may do what with seats', () => {
  test.each(calls)('%s: nobody without a token', async (_, endpoint) => {
    expect(await call(endpoint, await world.team(1))).toMatchObject({ status: 401 })
  })

  test.each(calls)('%s: an outsider, also an admin elsewhere, learns nothing', async (_, endpoint) => {
    const [ours, theirs] = [await world.team(1), await world.team(1)]
    for (const token of [theirs.admin.token, (await newPerson(world.clerk)).token]) {
      const refused = await call(endpoint, ours, token)
      const unknown = await call(endpoint, { ...ours, organization: { id: 'org_unknown', name: '' } }, token)
      expect(refused).toMatchObject({ status: 404, body: { code: 'organization_not_found' } })
      expect({ ...(refused.body as object), request_id: '' }).toEqual({
        ...(unknown.body as object),
        request_id: '',
      })
    }
  })

  test.each(calls)('%s: a member gets %s %i', async (_, endpoint, status) => {
    const ours = await world.team(1)
    const ada = await newMember(world.clerk, ours)
    const answer = await call(endpoint, ours, ada.token)
    expect(answer.status).toBe(status)
    if (status === 403) {
      expect(answer.body).toMatchObject({
        code: 'not_admin',
        error: expect.stringMatching(/^Only organization administrators can /),
      })
    }
  })

  test('somebody who is no admin any more is refused although their token still says so', async () => {
    const ours = await world.team(1)
    await newMember(world.clerk, ours, 'org:admin')
    const { jwt } = await world.clerk.knob<{ jwt: string }>('tokens', {
      user_id: ours.admin.user_id,
      organization_id: ours.organization.id,
    })
    await world.leave(ours, ours.admin)
    expect(await call(assignSeat, ours, jwt)).toMatchObject({ status: 404 })
  })

  test('when Clerk does not answer nobody is let in, and is told why', async () => {
    const ours = await world.team(1)
    await world.clerk.knob('faults', { status: 500, count: 100, path_prefix: '/bapi/v1/organizations' })
    for (const [, endpoint] of calls) {
      expect(await call(endpoint, ours, ours.admin.token)).toMatchObject({
        status: 503,
        body: { code: 'sign_in_unavailable' },
      })
    }
  })
})
