import { setTimeout } from 'node:timers/promises'
import type { Queue } from 'bullmq'
import { retryConflicts } from '../../schema/database/retry.ts'
import { connectQueueBackend } from '../../schema/inbox/queues/backend.ts'
import { freshJobId, QueueProducer } from '../../schema/inbox/queues/producer.ts'
import { type QueueName, queueNames } from '../../schema/inbox/queues/queues.ts'
import { createTestDatabase } from '../support/database/test-database.ts'
import { offerTrial } from '../support/factories/purchases.ts'
import { type FaultProxy, startFaultProxy } from '../support/faults/fault-proxy.ts'
import { producerWith } from '../support/product/producer-with.ts'
import { startTestProduct, type TestProduct } from '../support/product/start-test-product.ts'
import type { TestServer } from '../support/product/test-server.ts'
import { tried } from '../support/tried.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type DyingServer, startDyingServer } from './dying-server.ts'
import { patience_ms } from './seed.ts'
import { startIncarnation, timing, type WorkerIncarnation } from './worker-incarnation.ts'

/** Queues whose jobs try rows. */
const rowQueues = ['stripe-events', 'clerk-events', 'checkout-completions', 'subscription-syncs'] as const

/** The product with a worker that runs, and a handle on everything that can go wrong. */
export interface FaultyProduct
  extends Pick<TestProduct, 'database' | 'server' | 'stripe' | 'clerk' | 'clock' | 'advanceDays' | 'close'> {
  /** Between the server and its database. */
  readonly serverProxy: FaultProxy
  readonly worker: WorkerIncarnation
  /** The number of mishaps that took effect. */
  readonly mishaps: Record<'worker_crashes' | 'server_crashes' | 'lost_enqueues' | 'lost_queues', number>
  /** Kills the present worker during its work. */
  crashWorker(): void
  /** Kills the server during its work; another one replaces it at once. */
  crashServer(): void
  /** Sends a request for a page to a server that is killed when Stripe has made it. */
  killWhileOpening(request: (server: TestServer) => Promise<unknown>): Promise<void>
  /** The next `count` jobs that the server wants to enqueue are lost, as when it dies after the commit. */
  loseEnqueues(count: number): void
  /** Deletes every queue with all that is in it, schedules too. */
  loseQueues(): Promise<void>
  /** Starts another worker in place of the present one. */
  reviveWorker(): Promise<void>
  /** Free days of the plans that are bought from now on. */
  setTrialDays(days: number): Promise<void>
  /** Gives the worker the time to come to the statement at which it is to die. */
  letStrike(): Promise<void>
  /** Runs a task of the schedule now, and waits for its end unless the worker is dead. */
  runTask(task: string): Promise<void>
  /** Claims now, and waits for all that comes of it unless the worker is dead. */
  claim(): Promise<void>
  /** No worker takes new jobs until the queues are lost; only claims run. */
  pauseQueues(): Promise<void>
  /** Syncs a subscription as the claim has it synced. */
  syncSubscription(id: string): Promise<void>
  /** When the claim takes a new event; null for the usual time. */
  setClaimAfter(milliseconds: number | null): void
  /** Sets our clock so far ahead of Stripe's, or behind it when below zero. */
  setClock(ahead_s: number): void
  /** Stripe's time, in seconds. */
  timeAtStripe(): number
  /** The number of delayed answers of Stripe's. */
  heldAnswers(): Promise<number>
  /** How many jobs of the queues of rows are running or waiting for a worker. */
  countJobs(): Promise<number>
  isIdle(): Promise<boolean>
  /** Waits until nothing is left to do for a worker that lives. */
  rest(): Promise<void>
  /** Everything works again. */
  repair(): Promise<void>
}

export async function startFaultyProduct(options: { redisUrl: string | undefined }): Promise<FaultyProduct> {
  const { redisUrl } = options
  const database = await createTestDatabase()
  const serverProxy = await startFaultProxy(database.url)
  const backend = connectQueueBackend({
    databaseUrl: database.url,
    redisUrl,
    role: 'tidemark_server',
    poolMax: 4,
    whenUnavailable: 'wait',
    onError: () => undefined,
  })
  const producer = new QueueProducer(backend, { onError: () => undefined })
  let enqueuesToLose = 0
  let losing = Promise.resolve()
  const mishaps = { worker_crashes: 0, server_crashes: 0, lost_enqueues: 0, lost_queues: 0 }
  const product = await startTestProduct({
    database,
    redisUrl,
    stripe: 'empty',
    clerk: 'sandbox',
    webhooks: ['stripe'],
    server: {
      databaseUrl: serverProxy.url(database.url),
      settings: { claim_after_ms: timing.claimAfterMs },
      deps: {
        producer: producerWith(producer, {
          async add(queue, jobId, payload) {
            if (enqueuesToLose > 0) {
              enqueuesToLose--
              mishaps.lost_enqueues++
              throw new Error('The server died here')
            }
            await producer.add(queue, jobId, payload)
          },
        }),
      },
    },
  })
  const { stripe, clerk, clock } = product
  // Events are made, but which arrive, when and how often, the history says.
  await stripe.knob('deliveries', { mode: 'never' })
  await stripe.setUp()
  const incarnate = () =>
    startIncarnation({
      databaseUrl: database.url,
      redisUrl,
      stripeUrl: stripe.url,
      clerkApiUrl: `${clerk.url}/bapi`,
      now: clock.now,
    })
  let worker = await incarnate()

  let isPaused = false
  let clockAhead_s = 0
  let dying: Promise<DyingServer> | undefined
  const countJobs = async (names: readonly QueueName[]) => {
    const counts = await Promise.all(
      names.map((name) => producer.queue(name).getJobCounts('active', 'waiting', 'prioritized')),
    )
    return counts.flatMap((states) => Object.values(states)).reduce((sum, count) => sum + count, 0)
  }
  /** A dead worker ends nothing. */
  const ended = (names: readonly QueueName[]) =>
    waitUntil(
      async () => worker.isDead || (await countJobs(names)) === 0,
      `${names} to end`,
      10 * patience_ms,
    )
  const faulty: FaultyProduct = {
    ...product,
    serverProxy,
    get worker() {
      return worker
    },
    mishaps,
    crashWorker() {
      mishaps.worker_crashes++
      tried({ kills: 1 })
      worker.crash()
    },
    crashServer() {
      mishaps.server_crashes++
      tried({ kills: 1 })
      serverProxy.cut()
      serverProxy.repair()
    },
    async killWhileOpening(request) {
      dying ??= startDyingServer(product)
      await (await dying).abandon(request)
    },
    loseEnqueues(count) {
      enqueuesToLose = count
    },
    loseQueues() {
      // Two at once would find each other's queue half gone, which is BullMQ's affair and not ours.
      losing = losing.then(async () => {
        mishaps.lost_queues++
        for (const name of queueNames) await deleteQueue(producer.queue(name))
        isPaused = false
      })
      return losing
    },
    async reviveWorker() {
      const previous = worker
      previous.crash()
      worker = await incarnate()
      await previous.discard()
    },
    setTrialDays: (days) => offerTrial(product.database, days),
    async letStrike() {
      const deadline = Date.now() + 1000
      while (worker.proxy.armed && Date.now() < deadline) await setTimeout(10)
    },
    async runTask(task) {
      await producer.add('tasks', freshJobId(task), { task })
      await ended(['tasks'])
    },
    async claim() {
      for (const task of ['enqueue_due_rows', 'sync_due_invitations']) {
        await producer.add('tasks', freshJobId(task), { task })
      }
      await ended(['tasks'])
      await faulty.rest()
    },
    async pauseQueues() {
      isPaused = true
      for (const name of rowQueues) await producer.queue(name).pause()
    },
    syncSubscription: (id) => producer.add('subscription-syncs', freshJobId(id), { subscription_id: id }),
    setClaimAfter(milliseconds) {
      const claim_after_ms = milliseconds ?? timing.claimAfterMs
      Object.assign(product.server.deps.settings, { claim_after_ms })
    },
    setClock(ahead_s) {
      clock.advance((ahead_s - clockAhead_s) * 1000)
      clockAhead_s = ahead_s
    },
    timeAtStripe: () => clock.now().getTime() / 1000 - clockAhead_s,
    async heldAnswers() {
      const index = await fetch(`${stripe.url}/_sandbox`)
      return ((await index.json()) as { held_answers: number }).held_answers
    },
    countJobs: () => countJobs(rowQueues),
    isIdle: async () => (await countJobs(rowQueues)) === 0,
    async rest() {
      if (!isPaused) await ended(rowQueues)
    },
    async repair() {
      enqueuesToLose = 0
      serverProxy.disarm()
      serverProxy.repair()
      worker.proxy.disarm()
      await stripe.clear('faults')
      if (worker.isDead || worker.proxy.struck) await faulty.reviveWorker()
    },
    async close() {
      await worker.discard()
      await (await dying)?.close()
      await product.close()
      await producer.close()
      await backend.close()
      await serverProxy.close()
      await database.close()
    },
  }
  // As a new worker does within a minute: what happens from now on is missed by no later reading.
  await faulty.runTask('read_stripe_events')
  return faulty
}

async function deleteQueue(queue: Queue): Promise<void> {
  // On Postgres a process that opens the queue at this moment writes the same rows in another order.
  await retryConflicts(() => queue.obliterate({ force: true }))
  for (const scheduler of await queue.getJobSchedulers()) await queue.removeJobScheduler(scheduler.key)
  await queue.resume()
}
