import type { ActOutcome } from '../../schema/api/support-acts.ts'
import type { SupportActRow } from '../../schema/support/acts.ts'
import type { WorkerDependencies } from '../dependencies.ts'

/** What an act did beside what can be seen in rows and books. */
export interface ActDone extends Partial<Pick<ActOutcome, 'changes' | 'erasure' | 'first' | 'invoice'>> {
  /** Something was done elsewhere. */
  readonly did?: boolean
  /** Why nothing followed, if nothing did. */
  readonly note?: string | null
  /** Organizations that have more or fewer seats now: see `syncSeatsWithClerk`. */
  readonly seats_changed_in?: readonly string[]
}

/**
 * Does an act with a database that is one transaction, which is rolled back after a dry run.
 * During a dry run nothing in `deps` changes anything at Stripe or Clerk: see `withoutEffects`.
 */
export type DoAct = (deps: WorkerDependencies, act: SupportActRow) => Promise<ActDone>

/**
 * Options of a call that changes something at Stripe: a try that comes again gets the answer of the first one, also
 * its refusal, for at least 24 hours (https://docs.stripe.com/api/idempotent_requests); an act is tried for one.
 */
export function onceAtStripe({ id }: Pick<SupportActRow, 'id'>): { readonly idempotencyKey: string } {
  return { idempotencyKey: `support_act_${id}` }
}
