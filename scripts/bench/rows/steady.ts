import { setTimeout as delay } from 'node:timers/promises'
import { connectQueueBackend } from '../../../schema/queues/backend.ts'
import { freshJobId, QueueProducer } from '../../../schema/queues/producer.ts'
import { fillFinishedEvents } from '../fill.ts'
import type { QueueKind } from '../machine.ts'
import type { Bench, Line, Row } from '../row.ts'
import { createSettlingSide } from '../settling.ts'
import { createProduct, type Part, startServer, startWorker } from '../sides.ts'
import { type Side, takeTurns } from '../turns.ts'

export const steady: Row = {
  name: 'steady',
  about: 'Events from a full queue into the ledger after 10,000 and 100,000 events, beside after 1,000',
  measure,
}

/** What the queue has done before; more of it only with --full, because each takes a real job. */
const jobsAtMost = 2000

async function measure(bench: Bench): Promise<Line[]> {
  const { queues } = bench.machine
  const lines = await measureOn(bench, 'postgres')
  return bench.isFull && queues === 'redis' ? [...(await measureOn(bench, 'redis')), ...lines] : lines
}

async function measureOn(bench: Bench, queues: QueueKind): Promise<Line[]> {
  await using running = new AsyncDisposableStack()
  const after = (events: number) => sideAfter(bench, running, { events, queues })
  const figures = await takeTurns(bench, {
    most: await after(100_000),
    many: await after(10_000),
    few: await after(1000),
  })
  const line = { row: 'steady', unit: 'events/s', floor: figures.few, target: { at_least: 0.95 } }
  const note = `the tables were filled set-based; jobs for ${jobsAtMost.toLocaleString('en-US')} of them at most went through the real queue`
  return [
    { ...line, what: `after 10,000 events, queue on ${queues}`, measured: figures.many },
    {
      ...line,
      what: `after 100,000 events, queue on ${queues}`,
      measured: figures.most,
      ...(!bench.isFull && { note }),
    },
  ]
}

async function sideAfter(
  bench: Bench,
  running: AsyncDisposableStack,
  { events, queues }: { readonly events: number; readonly queues: QueueKind },
): Promise<Side> {
  const { machine } = bench
  const product = await createProduct(machine, running, queues)
  await fillFinishedEvents(product.place.databaseUrl, events)
  const worker = await startWorker(machine, running, product)
  await runJobs(product, bench.isFull ? events : Math.min(events, jobsAtMost))
  const server = await startServer(machine, running, product)
  return createSettlingSide({ ...product, server, worker, table: 'ledger_transfers' })
}

/**
 * Lets the queue do its part of so many events: jobs for events that are settled already, which go through
 * the real queue and the real worker, and leave behind in both what the jobs of new ones would.
 */
async function runJobs({ place }: Part, count: number): Promise<void> {
  const onError = () => undefined
  const poolMax = 8
  const backend = connectQueueBackend({
    ...place,
    role: 'tidemark_server',
    poolMax,
    whenUnavailable: 'wait',
    onError,
  })
  const producer = new QueueProducer(backend, { onError })
  try {
    let added = 0
    const add = async () => {
      while (added < count) {
        const event_id = `evt_fill_${added++}`
        await producer.add('stripe-events', freshJobId(event_id), { event_id })
      }
    }
    await Promise.all(Array.from({ length: poolMax }, add))
    const queue = producer.queue('stripe-events')
    while ((await queue.getJobCountByTypes('waiting', 'active')) > 0) await delay(50)
  } finally {
    await producer.close()
    await backend.close()
  }
}
