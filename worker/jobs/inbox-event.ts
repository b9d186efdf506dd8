import { UnrecoverableError } from 'bullmq'
import { ZodError } from 'zod'
import { eventTypeLabel } from '../../schema/inbox/event-type-label.ts'
import { type EventKey, findEvent, recordFailedAttempt, settleEvent } from '../../schema/inbox/events.ts'
import { IdempotencyConflictError, UnbalancedTransferError } from '../../schema/ledger/errors.ts'
import { maximumAttempts, retryDelayMs } from '../../schema/queues/queues.ts'
import { applyEvent, type PrepareEvent } from '../apply/apply-event.ts'
import { prepareClerkEvent } from '../apply/clerk-event.ts'
import { prepareStripeEvent } from '../apply/stripe-event.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'

const prepareBySource: Record<EventKey['source'], PrepareEvent> = {
  stripe: prepareStripeEvent,
  clerk: prepareClerkEvent,
}

/**
 * Applies one event of the inbox. A failure is recorded on the row, because the row outlives the queue; after the last attempt,
 * or when no attempt can help, the row is marked as failed and kept, where people can see it.
 */
export async function processInboxEvent(deps: WorkerDependencies, key: EventKey): Promise<void> {
  const log = deps.log.child({ event_id: key.id })
  try {
    const applied = await applyEvent(deps, key, prepareBySource[key.source])
    if (applied.outcome !== 'settled_before') {
      const seconds = (deps.now().getTime() - applied.received_at.getTime()) / 1000
      deps.metrics.settleSeconds.observe(
        { type: eventTypeLabel({ ...key, type: applied.type }) },
        Math.max(0, seconds),
      )
    }
    log.info({ outcome: applied.outcome }, 'Event processed')
  } catch (error) {
    const isFinal = await recordFailure(deps, key, error)
    log.error({ err: error, final: isFinal }, 'Event could not be applied')
    if (isFinal) throw new UnrecoverableError(messageOf(error))
    throw error
  }
}

async function recordFailure(deps: WorkerDependencies, key: EventKey, error: unknown): Promise<boolean> {
  const attempts = ((await findEvent(deps.db, key))?.attempts ?? 0) + 1
  const isFinal = isPermanent(error) || attempts >= maximumAttempts
  const sweepAt = new Date(deps.now().getTime() + retryDelayMs(attempts) + deps.sweepAfterMs)
  await recordFailedAttempt(deps.db, key, { last_error: messageOf(error), sweep_at: sweepAt })
  if (isFinal) await settleEvent(deps.db, key, { state: 'failed', reason: messageOf(error) })
  return isFinal
}

/** Errors that every retry would meet again: the event contradicts our data, or has a shape that we do not know. */
function isPermanent(error: unknown): boolean {
  return (
    error instanceof PermanentError ||
    error instanceof IdempotencyConflictError ||
    error instanceof UnbalancedTransferError ||
    error instanceof ZodError
  )
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 1000)
}
