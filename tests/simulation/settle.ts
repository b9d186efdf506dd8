import { waitUntil } from '../support/wait-until.ts'
import { belongings, type Life } from './model.ts'
import { type Owner, toldBelongings } from './owner.ts'
import { deliver } from './owner-events.ts'
import type { Turn } from './owner-history.ts'
import { whatHappened } from './what-happened.ts'
import type { World } from './world.ts'

/** How long a difference may last. Whoever looks for failures wants to see them sooner. */
const patience_ms = Number(process.env.SIMULATION_PATIENCE_MS || 30_000)

/** Lets the rest of the events arrive, and waits until the product says what the model says and nothing waits any more. */
export async function settle(
  world: World,
  owner: Owner,
  arrival: Pick<Turn, 'order' | 'times'>,
): Promise<void> {
  await world.mend()
  await deliver(world, owner, { ...arrival, share: 1 })
  let rounds = 0
  let life = await whatHappened(world, owner)
  const differences = () => differencesOf(world, owner, life)
  await waitUntil(
    async () => {
      if ((await differences()).length === 0) return true
      // The same time for everybody, so that what falls due in it happens at Stripe too.
      const seconds = ++rounds < 40 ? 10 : 600
      world.advance(seconds * 1000)
      await world.stripeSandbox.knob('clock/advance', { seconds })
      await deliver(world, owner, { share: 1, order: 'sent', times: 1 })
      life = await whatHappened(world, owner)
      return false
    },
    async () => `the model to agree\n${(await differences()).join('\n')}\n${JSON.stringify(life)}`,
    patience_ms,
  )
}

async function differencesOf(world: World, owner: Owner, life: Life): Promise<string[]> {
  const found = await toldBelongings(world, owner)
  const expected = belongings(life, world.now().getTime() / 1000)
  const waiting = await world.database.owner
    .selectFrom('inbox_events')
    .select(['id', 'type', 'state', 'reason', 'last_error'])
    .where('id', 'in', ['', ...owner.delivered])
    .where('state', 'not in', ['applied', 'ignored'])
    .execute()
  const differences = waiting.map((event) => `waits: ${JSON.stringify(event)}`)
  for (const what of ['plan', 'purchased', 'plan_type', 'seats_total', 'settled'] as const) {
    if (JSON.stringify(found[what]) !== JSON.stringify(expected[what]))
      differences.push(
        `${what}: expected ${JSON.stringify(expected[what])}, found ${JSON.stringify(found[what])}`,
      )
  }
  return differences
}
