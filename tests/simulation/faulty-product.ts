import { setTimeout } from 'node:timers/promises'
import type { Queue } from 'bullmq'
import { retryConflicts } from '../../schema/database/retry.ts'
import { freshJobId } from '../../schema/inbox/queues/producer.ts'
import { type QueueName, queueNames } from '../../schema/inbox/queues/queues.ts'
import { createTestDatabase } from '../support/database/test-database.ts'
import { offerTrial } from '../support/factories/purchases.ts'
import { startFaultProxy } from '../support/faults/fault-proxy.ts'
import { producerWith } from '../support/product/producer-with.ts'
import { startTestProduct } from '../support/product/start-test-product.ts'
import type { TestServer } from '../support/product/test-server.ts'
import { openQueues } from '../support/services/queues.ts'
import { tried } from '../support/tried.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type DyingServer, startDyingServer } from './dying-server.ts'
import { patience_ms } from './seed.ts'
import { startIncarnation, timing, type WorkerIncarnation } from './worker-incarnation.ts'

/** Queues whose jobs try rows. */
const rowQueues = ['stripe-events', 'clerk-events', 'checkout-completions', 'subscription-syncs'] as const

export type FaultyProduct = Awaited<ReturnType<typeof startFaultyProduct>>

/** The product with a worker that runs, and a handle on everything that can go wrong. */
export async function startFaultyProduct({ redisUrl }: { redisUrl: string | undefined }) {
  const database = await createTestDatabase()
  const serverProxy = await startFaultProxy(database.url)
  const queues = openQueues({ databaseUrl: database.url, redisUrl, role: 'tidemark_server' })
  const { producer } = queues
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
  const faulty = {
    ...product,
    /** Between the server and its database. */
    serverProxy,
    get worker(): WorkerIncarnation {
      return worker
    },
    /** The number of mishaps that took effect. */
    mishaps,
    /** Kills the present worker during its work. */
    crashWorker(): void {
      mishaps.worker_crashes++
      tried({ kills: 1 })
      worker.crash()
    },
    /** Kills the server during its work; another one replaces it at once. */
    crashServer(): void {
      mishaps.server_crashes++
      tried({ kills: 1 })
      serverProxy.cut()
      serverProxy.repair()
    },
    /** Sends a request for a page to a server that is killed when Stripe has made it. */
    async killWhileOpening(request: (server: TestServer) => Promise<unknown>): Promise<void> {
      dying ??= startDyingServer(product)
      await (await dying).abandon(request)
    },
    /** The next `count` jobs that the server wants to enqueue are lost, as when it dies after the commit. */
    loseEnqueues(count: number): void {
      enqueuesToLose = count
    },
    /** Deletes every queue with all that is in it, schedules too. */
    loseQueues(): Promise<void> {
      // Two at once would find each other's queue half gone, which is BullMQ's affair and not ours.
      losing = losing.then(async () => {
        mishaps.lost_queues++
        for (const name of queueNames) await deleteQueue(producer.queue(name))
        isPaused = false
      })
      return losing
    },
    /** Starts another worker in place of the present one. */
    async reviveWorker(): Promise<void> {
      const previous = worker
      previous.crash()
      worker = await incarnate()
      await previous.discard()
    },
    /** Free days of the plans that are bought from now on. */
    setTrialDays: (days: number) => offerTrial(product.database, days),
    /** Gives the worker the time to come to the statement at which it is to die. */
    async letStrike(): Promise<void> {
      const deadline = Date.now() + 1000
      while (worker.proxy.armed && Date.now() < deadline) await setTimeout(10)
    },
    /** Runs a task of the schedule now, and waits for its end unless the worker is dead. */
    async runTask(task: string): Promise<void> {
      await producer.add('tasks', freshJobId(task), { task })
      await ended(['tasks'])
    },
    /** Claims now, and waits for all that comes of it unless the worker is dead. */
    async claim(): Promise<void> {
      for (const task of ['enqueue_due_rows', 'sync_due_invitations']) {
        await producer.add('tasks', freshJobId(task), { task })
      }
      await ended(['tasks'])
      await faulty.rest()
    },
    /** No worker takes new jobs until the queues are lost; only claims run. */
    async pauseQueues(): Promise<void> {
      isPaused = true
      for (const name of rowQueues) await producer.queue(name).pause()
    },
    /** Syncs a subscription as the claim has it synced. */
    syncSubscription: (id: string) =>
      producer.add('subscription-syncs', freshJobId(id), { subscription_id: id }),
    /** When the claim takes a new event; null for the usual time. */
    setClaimAfter(milliseconds: number | null): void {
      const claim_after_ms = milliseconds ?? timing.claimAfterMs
      Object.assign(product.server.deps.settings, { claim_after_ms })
    },
    /** Sets our clock so far ahead of Stripe's, or behind it when below zero. */
    setClock(ahead_s: number): void {
      clock.advance((ahead_s - clockAhead_s) * 1000)
      clockAhead_s = ahead_s
    },
    /** Stripe's time, in seconds. */
    timeAtStripe: () => clock.now().getTime() / 1000 - clockAhead_s,
    /** The number of delayed answers of Stripe's. */
    async heldAnswers(): Promise<number> {
      const index = await fetch(`${stripe.url}/_sandbox`)
      return ((await index.json()) as { held_answers: number }).held_answers
    },
    /** How many jobs of the queues of rows are running or waiting for a worker. */
    countJobs: () => countJobs(rowQueues),
    isIdle: async () => (await countJobs(rowQueues)) === 0,
    /** Waits until nothing is left to do for a worker that lives. */
    async rest(): Promise<void> {
      if (!isPaused) await ended(rowQueues)
    },
    /** Everything works again. */
    async repair(): Promise<void> {
      enqueuesToLose = 0
      serverProxy.disarm()
      serverProxy.repair()
      worker.proxy.disarm()
      await stripe.clear('faults')
      if (worker.isDead || worker.proxy.struck) await faulty.reviveWorker()
    },
    async close(): Promise<void> {
      await worker.discard()
      await (await dying)?.close()
      await product.close()
      await queues.close()
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
