import type { Producer } from '../../../schema/inbox/queues/producer.ts'

/** A producer that adds jobs in another way. */
export function producerWith(producer: Producer, changed: Pick<Producer, 'add'>): Producer {
  return {
    add: changed.add,
    addMany: (queue, jobs) => producer.addMany(queue, jobs),
    counts: () => producer.counts(),
    countWaiting: (queue) => producer.countWaiting(queue),
    queue: (name) => producer.queue(name),
    close: () => producer.close(),
  }
}
