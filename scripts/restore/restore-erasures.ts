import { retryTransaction } from '../../schema/database/retry.ts'
import { recordAudit } from '../../schema/support/audit.ts'
import { reasonText } from '../../web/content/support/failures.ts'
import type { WorkerDependencies } from '../../worker/dependencies.ts'
import { PermanentError } from '../../worker/errors.ts'
import { forgetPerson } from '../../worker/support/forget.ts'

export interface RestoredErasures {
  readonly erased: readonly string[]
  /** Forgotten in the backup already. */
  readonly known: number
  readonly left: readonly { readonly user_id: string; readonly why: string }[]
}

/**
 * Erases people again whom a restored database still names: two people agreed to it before, so no act is
 * asked for. A person who has an account at Clerk was not erased, and is left. Safe to repeat.
 */
export async function restoreErasures(
  deps: WorkerDependencies,
  { user_ids, actor }: { readonly user_ids: readonly string[]; readonly actor: string },
): Promise<RestoredErasures> {
  const erased: string[] = []
  const left: { user_id: string; why: string }[] = []
  let known = 0
  for (const user_id of new Set(user_ids)) {
    if (!(await deps.clerk.isGone(user_id))) {
      left.push({ user_id, why: 'Clerk has an account of theirs: they were not erased' })
      continue
    }
    try {
      if (await eraseAgain(deps, { user_id, actor })) erased.push(user_id)
      else known += 1
    } catch (error) {
      if (!(error instanceof PermanentError)) throw error
      left.push({ user_id, why: reasonText(error.message) })
    }
  }
  return { erased, known, left }
}

/** Whether there was anything to erase. */
function eraseAgain(
  deps: WorkerDependencies,
  { user_id, actor }: { readonly user_id: string; readonly actor: string },
): Promise<boolean> {
  return retryTransaction(deps.db, async (trx) => {
    const { did, erasure } = await forgetPerson({ ...deps, db: trx }, { user_id, is_dry_run: false })
    if (!did) return false
    await recordAudit(trx, {
      actor,
      act_id: null,
      what: 'forget',
      outcome: 'done',
      target: { kind: 'user', id: user_id },
      owner_id: user_id,
      reason: null,
      detail: 'Again, after a restore',
      after: erasure?.removed ?? {},
    })
    return true
  })
}
