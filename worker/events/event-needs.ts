import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import type { LogIds } from '../../schema/stripe/log-ids.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import type { CheckoutToApply } from './apply-checkout.ts'

/** What became of an event: it was applied, or nothing follows from it and `reason` says why. */
export type EventOutcome =
  | {
      readonly state: 'applied'
      readonly reason: string | null
      /** What the event does not name itself, for the log. */
      readonly ids?: LogIds
      /** An organization that has more or fewer seats now: see `followSeats`. */
      readonly seats_changed_in?: string
    }
  | { readonly state: 'ignored'; readonly reason: string }

/** Carries out what follows from an event, inside the transaction that also marks it. */
export type ApplyInTransaction = (trx: DatabaseTransaction) => Promise<EventOutcome>

/** What an event needs before it can be applied. */
export type EventNeeds =
  /** Nothing follows from it. */
  | { readonly needs: 'nothing'; readonly reason: string }
  /** It says all that is to be known of a checkout without a subscription. */
  | { readonly needs: 'checkout'; readonly checkout: CheckoutToApply }
  /** What it is about has to be fetched from its sender, before any transaction is open. */
  | { readonly needs: 'fetch'; readonly fetch: (deps: WorkerDependencies) => Promise<ApplyInTransaction> }

/** For an event from which nothing follows. */
export function ignore(reason: string): ApplyInTransaction {
  return async () => ({ state: 'ignored', reason })
}
