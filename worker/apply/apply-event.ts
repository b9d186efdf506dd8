import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import type { Json } from '../../schema/database/types.ts'
import { type EventKey, lockEvent, settleEvent } from '../../schema/inbox/events.ts'
import { NotYetError } from '../errors.ts'

/** What became of an event: its consequences were carried out, or there are none and `reason` says why. */
export type EventOutcome =
  | { readonly state: 'applied'; readonly reason: string | null }
  | { readonly state: 'ignored'; readonly reason: string }

/** Carries out what follows from one kind of event, inside the given transaction. */
export type EventApplier = (trx: DatabaseTransaction, payload: Json) => Promise<EventOutcome>

export type AppliedEvent =
  | { readonly outcome: 'settled_before' }
  | { readonly outcome: EventOutcome['state']; readonly type: string; readonly received_at: Date }

/**
 * Applies one event of the inbox in one transaction: the row is locked, its consequences are carried out, and it is marked, or
 * none of that. A second worker waits at the lock and then finds it settled.
 */
export async function applyEvent(
  trx: DatabaseTransaction,
  key: EventKey,
  apply: EventApplier,
): Promise<AppliedEvent> {
  const row = await lockEvent(trx, key)
  if (!row) throw new NotYetError(`Event ${key.id} is not in the inbox`)
  if (row.state !== 'received') return { outcome: 'settled_before' }
  const outcome = await apply(trx, row.payload)
  await settleEvent(trx, key, outcome)
  return { outcome: outcome.state, type: row.type, received_at: row.received_at }
}
