import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../support/random.ts'
import type { Member } from './member.ts'
import type { System } from './system.ts'

export interface StormOptions {
  /** The pause between two kills is chosen from here. */
  readonly kill_every_ms: readonly [from: number, to: number]
  /** The same for Postgres, and for Redis. */
  readonly databases_every_ms: readonly [from: number, to: number]
  readonly clock_every_ms: readonly [from: number, to: number]
}

const noFaults = {
  'worker killed': 0,
  'server killed': 0,
  'Postgres killed': 0,
  'Postgres stopped at once': 0,
  'Postgres restarted': 0,
  'Redis killed, and empty afterwards': 0,
  'calls to Stripe answered 500': 0,
  'calls to Stripe answered 429': 0,
  'calls to Stripe done and not answered': 0,
  'calls to Clerk answered 500': 0,
  'calls to Clerk answered 429': 0,
  'moves of the clock': 0,
  'days that it moved': 0,
}

/** Everything that operations may throw at the product, one thing beside the other, until it is stopped. */
export function startStorm(system: System, random: Random, options: StormOptions) {
  const counts = { ...noFaults }
  const stopping = new AbortController()
  const comingBack = new Set<Promise<void>>()
  let isDatabaseDown = false

  /** One thing after the other, with pauses between them. */
  const repeat = async (
    name: string,
    [from, to]: readonly [number, number],
    strike: (random: Random) => Promise<void> | void,
  ) => {
    const own = random.fork(name)
    while (!stopping.signal.aborted) {
      await delay(own.int(from, to), undefined, { signal: stopping.signal }).catch(() => undefined)
      if (!stopping.signal.aborted) await strike(own)
    }
  }

  const killMember = (own: Random) => {
    const kind = own.chance(0.6) ? 'worker' : 'server'
    const all = kind === 'worker' ? system.workers : system.servers
    const up = all.filter(({ isUp }) => isUp)
    // Now and then there is none; where processes start slowly it must not be so all the time.
    if (up.length === 0 || (up.length < all.length && !own.chance(0.15))) return
    const victim: Member = own.pick(up)
    counts[`${kind} killed`]++
    const back = victim.kill(own.int(0, 1500))
    comingBack.add(back)
    void back.finally(() => comingBack.delete(back))
  }

  const hitPostgres = async (own: Random) => {
    isDatabaseDown = true
    const { postgres } = system
    const how =
      counts['Postgres killed'] === 0
        ? 'killed'
        : own.pick(['killed', 'stopped at once', 'restarted'] as const)
    counts[`Postgres ${how}`]++
    if (how === 'killed') await postgres.kill()
    // Immediate shutdown: no checkpoint, so that the next start recovers from the log too.
    if (how === 'stopped at once') process.kill(postgres.pid, 'SIGQUIT')
    await delay(own.int(0, 1000))
    await postgres.restart()
    isDatabaseDown = false
  }

  const hitRedis = async (own: Random) => {
    if (!system.redis || isDatabaseDown) return
    counts['Redis killed, and empty afterwards']++
    await system.redis.kill()
    await delay(own.int(0, 1000))
    await system.redis.restart()
  }

  const failStripe = async (own: Random) => {
    const count = own.int(2, 15)
    const fault = own.pick(['500', '429', 'drop'] as const)
    if (fault === 'drop') {
      counts['calls to Stripe done and not answered'] += 2
      await system.stripe.knob('faults', { drop_after: true, count: 2, path_prefix: '/v1/' })
    } else {
      counts[`calls to Stripe answered ${fault}`] += count
      await system.stripe.knob('faults', { status: Number(fault), count, path_prefix: '/v1/' })
    }
  }

  const failClerk = async (own: Random) => {
    const count = own.int(1, 4)
    const status = own.pick([500, 429] as const)
    counts[`calls to Clerk answered ${status}`] += count
    await system.clerk.knob('faults', { status, count, ...(status === 429 && { retry_after_s: 1 }) })
  }

  const deliver = async (own: Random) => {
    const mode = own.weighted([
      [50, { mode: 'normal' }],
      [14, { mode: 'twice', copies: own.int(2, 4) }],
      [14, { mode: 'out_of_order', delay_ms: own.int(200, 2000) }],
      [8, { mode: 'late', delay_ms: own.int(500, 5000) }],
      [14, { mode: 'never' }],
    ] as const)
    await system.stripe.knob('deliveries', mode)
    const ofClerk = own.pick(['normal', 'normal', 'twice', 'late', 'never'] as const)
    await system.clerk.knob('deliveries', {
      mode: ofClerk,
      ...(ofClerk === 'late' && { delay_ms: own.int(500, 5000) }),
    })
  }

  const moveClock = async (own: Random) => {
    const days = own.pick([1, 3, 8, 16, 32])
    counts['moves of the clock']++
    counts['days that it moved'] += days
    await system.stripe.knob('clock/advance', { days })
    system.clockMoves.push(Date.now())
  }

  const running = Promise.all([
    repeat('kills', options.kill_every_ms, killMember),
    repeat('postgres', options.databases_every_ms, hitPostgres),
    repeat('redis', options.databases_every_ms, hitRedis),
    repeat('stripe', [1000, 5000], failStripe),
    repeat('clerk', [2000, 8000], failClerk),
    repeat('deliveries', [500, 2500], deliver),
    repeat('clock', options.clock_every_ms, moveClock),
  ])
  // The caller that stops the storm gets its failure.
  running.catch(() => undefined)
  return {
    counts,
    /** Processes of the product that were killed; databases and Redis come on top. */
    kills: () => counts['worker killed'] + counts['server killed'],
    /** Resolves when everything works again. */
    async stop() {
      stopping.abort()
      await running
      await Promise.all(comingBack)
      await system.stripe.clear('faults')
      await system.clerk.clear('faults')
      await system.stripe.knob('deliveries', { mode: 'normal' })
      await system.clerk.knob('deliveries', { mode: 'normal' })
    },
  }
}
