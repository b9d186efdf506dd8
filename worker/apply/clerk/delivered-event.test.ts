import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFreePort } from '../../../scripts/processes/ports.ts'
import { newPerson } from '../../../tests/support/team.ts'
import { openTeamWorld, type TeamWorld } from '../../../tests/support/team-world.ts'
import { waitUntil } from '../../../tests/support/wait-until.ts'
import { createTestDependencies } from '../../../tests/support/worker.ts'
import { processInboxEvent } from '../../jobs/inbox-event.ts'

let world: TeamWorld
beforeAll(async () => {
  world = await openTeamWorld({ port: await findFreePort() })
})
afterAll(() => world?.close())

const received = (type: string) =>
  world.database.owner
    .selectFrom('inbox_events')
    .select(['id', 'state'])
    .where('type', '=', type)
    .orderBy('received_at', 'desc')
    .execute()

/** Waits for Clerk's signed webhooks to arrive, and does what the worker is told by their jobs. */
async function applyDelivered(...types: string[]): Promise<void> {
  const deps = createTestDependencies(world.database, { clerk: world.directory })
  for (const type of types) {
    const rows = await waitUntil(async () => {
      const found = await received(type)
      return found.some(({ state }) => state === 'received') && found
    }, `an event ${type}`)
    for (const { id } of rows) await processInboxEvent(deps, { source: 'clerk', id })
    expect((await received(type)).every(({ state }) => state !== 'received')).toBe(true)
  }
}

test('a seat follows its person through signed webhooks that come twice', async () => {
  await world.clerk.knob('deliveries', { mode: 'twice' })
  const ours = await world.team(2)
  const ada = await newPerson(world.clerk)
  const seat = async () => (await world.books(ours)).seats[0]

  await world.invite(ours, ada.email)
  await applyDelivered('organizationInvitation.created')
  expect(await seat()).toMatchObject({ status: 'pending', user_id: null })

  await world.accept(ada)
  await applyDelivered('organizationMembership.created', 'organizationInvitation.accepted')
  expect(await seat()).toMatchObject({ status: 'active', user_id: ada.user_id, role: 'member' })

  await world.become(ours, ada, 'org:admin')
  await applyDelivered('organizationMembership.updated')
  expect(await seat()).toMatchObject({ role: 'admin' })

  await world.leave(ours, ada)
  await applyDelivered('organizationMembership.deleted')
  expect(await seat()).toMatchObject({ status: 'revoked' })
})
