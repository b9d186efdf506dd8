import { expect, test } from 'vitest'
import {
  acceptInvitation,
  buildTeam,
  changeRole,
  invite,
  readTeam,
  removeMember,
} from '../../../tests/support/factories/teams.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { signUp } from '../../../tests/support/services/clerk.ts'
import { waitUntil } from '../../../tests/support/wait-until.ts'
import { tryEvent } from '../try-event.ts'

const product = testProduct({ clerk: 'sandbox', webhooks: ['clerk'] })
const { database, clerk, worker } = product
const newTeam = (seats = 3) => buildTeam(product, { seats })

/** Does what the worker is told to by the jobs of the events that have arrived so far. */
async function applyArrived(): Promise<void> {
  const arrived = await database.owner
    .selectFrom('inbox_events')
    .select('id')
    .where('state', '=', 'received')
    .execute()
  for (const { id } of arrived) await tryEvent(worker.deps, { source: 'clerk', id })
}

test('a seat follows its person through signed webhooks that come twice', async () => {
  await clerk.knob('deliveries', { mode: 'twice' })
  const ours = await newTeam(2)
  const ada = await signUp(clerk)
  await invite(product, ours, ada.email)
  const seat = async () => (await readTeam(database, ours)).seats[0]
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
  await acceptInvitation(clerk, ada)
  await seatBecomes({ status: 'active', role: 'member' })
  expect(await seat()).toMatchObject({ user_id: ada.user_id })
  await changeRole(clerk, ours, ada, 'org:admin')
  await seatBecomes({ role: 'admin' })
  await removeMember(clerk, ours, ada)
  await seatBecomes({ status: 'revoked' })
})
