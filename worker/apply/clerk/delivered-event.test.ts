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

/** Does what the worker is told to by the jobs of the events that have arrived so far. */
async function applyArrived(): Promise<void> {
  const deps = createTestDependencies(world.database, { clerk: world.directory })
  const arrived = await world.database.owner
    .selectFrom('inbox_events')
    .select('id')
    .where('state', '=', 'received')
    .execute()
  for (const { id } of arrived) await processInboxEvent(deps, { source: 'clerk', id })
}

test('a seat follows its person through signed webhooks that come twice', async () => {
  await world.clerk.knob('deliveries', { mode: 'twice' })
  const ours = await world.team(2)
  const ada = await newPerson(world.clerk)
  await world.invite(ours, ada.email)
  const seat = async () => (await world.books(ours)).seats[0]
  const seatBecomes = (wanted: { status?: string; role?: string }) =>
    waitUntil(
      async () => {
        await applyArrived()
        const found = await seat()
        return Object.entries(wanted).every(([field, value]) => found?.[field as 'status' | 'role'] === value)
      },
      async () => `${JSON.stringify(wanted)}, is ${JSON.stringify(await seat())}`,
    )

  expect(await seat()).toMatchObject({ status: 'pending', user_id: null })
  await world.accept(ada)
  await seatBecomes({ status: 'active', role: 'member' })
  expect(await seat()).toMatchObject({ user_id: ada.user_id })
  await world.become(ours, ada, 'org:admin')
  await seatBecomes({ role: 'admin' })
  await world.leave(ours, ada)
  await seatBecomes({ status: 'revoked' })
})
