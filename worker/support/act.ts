import type { ActOutcome } from '../../schema/api/support-acts.ts'
import type { SupportActRow } from '../../schema/support/acts.ts'
import type { WorkerDependencies } from '../dependencies.ts'

/** What an act did beside what can be seen in rows and books. */
export interface ActDone extends Partial<Pick<ActOutcome, 'changes' | 'erasure' | 'invoice'>> {
  /** Something was done elsewhere. */
  readonly did?: boolean
  /** Why nothing followed, if nothing did. */
  readonly note?: string | null
  /** Organizations that have more or fewer seats now: see `followSeats`. */
  readonly seats_changed_in?: readonly string[]
}

/**
 * Does an act with a database that is one transaction, which is rolled back after a dry run.
 * During a dry run nothing in `deps` changes anything at Stripe or Clerk: see `withoutEffects`.
 */
export type DoAct = (deps: WorkerDependencies, act: SupportActRow) => Promise<ActDone>
