import { setTimeout as delay } from 'node:timers/promises'
import { freshJobId } from '../../schema/inbox/queues/producer.ts'
import { createRandom } from '../support/random.ts'
import { createClient } from './client.ts'
import type { Customer, World } from './customer.ts'
import { countCopies, whatStripeSent } from './deliveries.ts'
import { judge } from './judge.ts'
import { live } from './life.ts'
import { type StormOptions, startStorm } from './storm.ts'
import { type System, type SystemOptions, startSystem } from './system.ts'

export interface ChaosOptions extends SystemOptions {
  readonly seed: number
  /** The storm lasts until so many events and kills, or for so long. */
  readonly events: number
  readonly kills: number
  readonly longest_ms: number
  /** How many customers do something at the same time. */
  readonly crowd: number
  readonly storm: StormOptions
  /**
   * Advances the clock and runs the scheduled tasks at the end; otherwise waits until payments are settled.
   */
  readonly isInHurry: boolean
  readonly say: (text: string) => void
}

export type ChaosReport = Awaited<ReturnType<typeof run>>

/** Waits for no more than this for everything to be at rest. */
const patience_ms = 20 * 60_000

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const system = await startSystem(options)
  try {
    return await run(system, options)
  } finally {
    await system.close()
  }
}

async function run(system: System, options: ChaosOptions) {
  const { seed, say } = options
  const random = createRandom(seed)
  const client = createClient(system.url)
  let isClosing = false
  const world: World = { system, client, isClosing: () => isClosing }
  const customers: Customer[] = []
  say(`queues on ${system.backend}, seed ${seed}: everything runs`)

  const began = Date.now()
  const storm = startStorm(system, random.fork('storm'), options.storm)
  const failures: string[] = []
  let lives = 0
  const crowd = Array.from({ length: options.crowd }, async () => {
    while (!isClosing) {
      const name = `life ${lives++}`
      await live(world, random.fork(name), (born) => customers.push(born)).catch((error: unknown) =>
        failures.push(`${name}: ${error instanceof Error ? error.stack : error}`),
      )
    }
  })
  const isEnough = async () => {
    const events = await countCopies(system)
    say(`${seconds(began)} s: ${events} events sent, ${storm.kills()} kills, ${customers.length} customers`)
    return events >= options.events && storm.kills() >= options.kills
  }
  while (failures.length < 5 && Date.now() - began < options.longest_ms && !(await isEnough()))
    await delay(Math.min(10_000, options.longest_ms / 10))
  isClosing = true
  // Calls that wait for an answer get it while the storm continues.
  const crowded = Promise.all(crowd)
  await Promise.race([crowded, delay(5000)])
  await storm.stop()
  const storm_s = seconds(began)
  const lastFault = Date.now()
  say(`${storm_s} s: the storm is over`)
  await crowded

  const calmed = await waitUntilSettled(system, { ...options, lastFault })
  const settled_after_s = seconds(lastFault)
  say(`everything that waited was settled ${settled_after_s} s after the last fault`)
  const problems = await judgePatiently(world, customers, options)
  const members = [...system.servers, ...system.workers]
  return {
    seed,
    backend: system.backend,
    storm_s,
    sent: (await whatStripeSent(system)).figures,
    faults: storm.counts,
    kills: storm.kills(),
    calls: client.counts,
    customers: customers.length,
    usage_reports: customers.reduce((sum, { reports }) => sum + reports.length, 0),
    reservations: customers.reduce((sum, { reservations }) => sum + reservations.length, 0),
    payments: customers.reduce((sum, { paid }) => sum + paid.size, 0),
    /** Seconds from the last fault until nothing waited. */
    settled_after_s,
    /** How far the clock was advanced, beyond the real time. */
    clock_moved_s: calmed.clock_moved_s,
    problems: [
      ...failures,
      ...problems,
      ...customers.flatMap(({ complaints }) => complaints),
      ...members.flatMap(({ unexpectedExits }) => unexpectedExits),
    ],
  }
}

/** Until nothing waits: every event has come, and is applied. */
async function waitUntilSettled(
  system: System,
  { isInHurry, lastFault, say }: Pick<ChaosOptions, 'isInHurry' | 'say'> & { lastFault: number },
): Promise<{ clock_moved_s: number }> {
  let clock_moved_s = 0
  for (let polls = 0; ; polls++) {
    const waiting = await whatWaits(system)
    const what = Object.entries(waiting).map(([name, ids]) => `${ids.length} ${name}`)
    if (what.length === 0) return { clock_moved_s }
    if (Date.now() - lastFault > patience_ms) throw new Error(`It waits for ever: ${JSON.stringify(waiting)}`)
    if (polls % 10 === 9) say(`${seconds(lastFault)} s after the last fault: ${what.join(', ')}`)
    if (isInHurry) {
      await runTasks(system)
      clock_moved_s += await moveClock(system, Math.min(600, 15 * polls))
    }
    if (isInHurry || polls > 24) {
      // Clerk waits up to hours by the real time before it tries again.
      for (const id of waiting['events of Clerk that have not come'] ?? [])
        await system.clerk.knob(`events/${id}/deliver`)
    }
    await delay(isInHurry ? 500 : 5000)
  }
}

async function whatWaits(system: System): Promise<Record<string, string[]>> {
  const sent = await whatStripeSent(system)
  const events = await system.database.selectFrom('inbox_events').select(['id', 'state']).execute()
  const known = new Set(events.map(({ id }) => id))
  const waiting = {
    'events of Stripe that have not come': sent.events.filter((id) => !known.has(id)),
    'events of Clerk that have not come': sent.pendingOfClerk.filter((id) => !known.has(id)),
    'events that are not applied': events.filter(({ state }) => state === 'received').map(({ id }) => id),
  }
  return Object.fromEntries(Object.entries(waiting).filter(([, ids]) => ids.length > 0))
}

/**
 * Time-dependent states are brought to their end: unpaid pages, comparisons that run every few hours, and
 * invitations that Clerk's hourly quota delayed. Whatever differs after that is a failure.
 */
async function judgePatiently(
  world: World,
  customers: readonly Customer[],
  { say, longest_ms }: ChaosOptions,
): Promise<readonly string[]> {
  const { system } = world
  await moveClock(system, 25 * 3600)
  const deadline = Date.now() + Math.max(240_000, Math.min(patience_ms, longest_ms))
  let doubted = customers
  for (;;) {
    await runTasks(system)
    await delay(1000)
    await waitUntilSettled(system, { isInHurry: true, lastFault: Date.now(), say })
    const { problems, differing } = await judge(world, customers, doubted)
    if (problems.length === 0 || Date.now() > deadline) return problems
    doubted = differing
    say(`${problems.length} differences, such as: ${problems[0]?.slice(0, 300)}`)
    await moveClock(system, 600)
    await delay(1000)
  }
}

/** Tasks that run every minute, run at once. */
async function runTasks({ producer }: System): Promise<void> {
  for (const task of ['read_stripe_events', 'compare_seats', 'end_holds'] as const)
    await producer().add('tasks', freshJobId(task), { task })
}

async function moveClock({ stripe }: System, s: number): Promise<number> {
  if (s > 0) await stripe.knob('clock/advance', { seconds: s })
  return s
}

function seconds(since_ms: number): number {
  return Math.round((Date.now() - since_ms) / 1000)
}
