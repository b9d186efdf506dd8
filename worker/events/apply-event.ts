import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import type { Json } from '../../schema/database/types.ts'
import { type InboxEvent, type LockedEvent, lockEvent, settleEvent } from '../../schema/inbox/events.ts'
import type { WorkerDependencies } from '../dependencies.ts'

/** What became of an event: it was applied, or nothing follows from it and `reason` says why. */
export type EventOutcome =
  | {
      readonly state: 'applied'
      readonly reason: string | null
      /** The checkout that it is about, for the log. */
      readonly intent_id?: string
      /** An organization that has more or fewer seats now: see `keepRoom`. */
      readonly seats_changed_in?: string
    }
  | { readonly state: 'ignored'; readonly reason: string }

/** Carries out what follows from an event, inside the transaction that also marks it. */
export type ApplyInTransaction = (trx: DatabaseTransaction) => Promise<EventOutcome>

/**
 * Parses an event and fetches what may have changed at its sender since, before any transaction is open; then returns what
 * is to be done in one.
 */
export type PrepareEvent = (deps: WorkerDependencies, payload: Json) => Promise<ApplyInTransaction>

export type AppliedEvent =
  | { readonly outcome: 'settled_before' }
  | {
      readonly outcome: EventOutcome['state']
      /** Why nothing followed from it. */
      readonly reason: string | null
      readonly type: string
      readonly received_at: Date
      readonly intent_id: string | undefined
      readonly seats_changed_in: string | undefined
    }

/** For an event that has no consequences. */
export function ignore(reason: string): ApplyInTransaction {
  return async () => ({ state: 'ignored', reason })
}

/**
 * Applies one event of the inbox in one transaction: the row is locked, its consequences are carried out, and it is marked, or
 * nothing at all happens. A second worker waits at the lock and then finds it settled. `isReplay`: a person asked for it again, whatever
 * became of it; one that was applied stays as it is, and a forged one is never applied.
 */
export async function applyEvent(
  deps: WorkerDependencies,
  event: InboxEvent,
  prepare: PrepareEvent,
  { isReplay = false }: { readonly isReplay?: boolean } = {},
): Promise<AppliedEvent> {
  const isToBeApplied = ({ state }: Pick<InboxEvent, 'state'>) =>
    isReplay ? state !== 'forged' : state === 'received'
  if (!isToBeApplied(event)) return { outcome: 'settled_before' }
  const apply = await prepare(deps, event.payload)
  return retryTransaction(deps.db, async (trx): Promise<AppliedEvent> => {
    const row = await lockEvent(trx, event)
    if (!row || !isToBeApplied(row)) return { outcome: 'settled_before' }
    const outcome = await apply(trx)
    if (row.state !== 'applied') await settleEvent(trx, event, { ...outcome, now: deps.now() })
    return appliedEvent(row, outcome)
  })
}

/** Whether a try that was made for a claim still counts. */
export function isToBeTried(event: Pick<InboxEvent, 'state' | 'claims'>, claim: number | undefined): boolean {
  return event.state === 'received' && (claim === undefined || claim === event.claims)
}

export function appliedEvent(
  { type, received_at }: Pick<LockedEvent, 'type' | 'received_at'>,
  outcome: EventOutcome,
): AppliedEvent {
  const { intent_id, seats_changed_in } = outcome.state === 'applied' ? outcome : {}
  return {
    outcome: outcome.state,
    reason: outcome.reason,
    type,
    received_at,
    intent_id,
    seats_changed_in,
  }
}
