import { connectQueueBackend, type QueueBackendOptions } from '../../../schema/inbox/queues/backend.ts'
import { QueueProducer } from '../../../schema/inbox/queues/producer.ts'

/** Queues, as a worker opens them unless told otherwise, and a producer for them. */
export function openQueues(options: Pick<QueueBackendOptions, 'databaseUrl'> & Partial<QueueBackendOptions>) {
  const onError = () => undefined
  const backend = connectQueueBackend({
    role: 'tidemark_worker',
    poolMax: 4,
    whenUnavailable: 'wait',
    onError,
    ...options,
  })
  const producer = new QueueProducer(backend, { onError })
  const close = async () => {
    try {
      await producer.close()
    } finally {
      await backend.close()
    }
  }
  return { backend, producer, close }
}
