import { retryTransaction } from '../../schema/database/retry.ts'
import { deleteOldSignIns } from '../../schema/extension/sign-ins.ts'
import { deleteOldTries } from '../../schema/inbox/claim/failed-tries.ts'
import { deleteOldRequests } from '../../schema/inbox/idempotent-requests.ts'
import { removeOldPayloads, removePayloadsOf } from '../../schema/inbox/payloads.ts'
import { deleteMails } from '../../schema/mails/mails.ts'
import { listForgotten } from '../../schema/people/users/forget-user.ts'
import { deleteOldDryRuns } from '../../schema/support/acts.ts'
import { findTracesOf } from '../../schema/support/person.ts'
import type { WorkerDependencies } from '../dependencies.ts'

const dayMs = 24 * 3600 * 1000

/** docs/operations.md has the whole list of what is kept how long. */
const payloadRetentionMs = 90 * dayMs
const triesRetentionMs = 400 * dayMs
const dryRunRetentionMs = 7 * dayMs

/** Removes what has been kept long enough. Returns how many rows of each kind it changed. */
export async function deleteOldRows(deps: WorkerDependencies): Promise<Readonly<Record<string, number>>> {
  const now = deps.now()
  const payloads = await removeOldPayloads(deps.db, new Date(now.getTime() - payloadRetentionMs))
  const sign_ins = await deleteOldSignIns(deps.db, now)
  const requests = await deleteOldRequests(deps.db, now)
  const tries = await deleteOldTries(deps.db, new Date(now.getTime() - triesRetentionMs))
  const dry_runs = await deleteOldDryRuns(deps.db, new Date(now.getTime() - dryRunRetentionMs))
  const mails = await deleteMails(deps.db, 'old')
  const late = await removeLatePayloads(deps, now)
  const removed = { payloads, sign_ins, requests, tries, dry_runs, mails, late }
  if (Object.values(removed).some((count) => count > 0)) deps.log.info(removed, 'Removed what is old')
  return removed
}

/** A try of an event is made within a day; a failed one waits for a person. */
const lateMs = 7 * dayMs

/** Removes what Stripe and Clerk said of people after they were forgotten, as soon as it is applied. */
async function removeLatePayloads({ db }: WorkerDependencies, now: Date): Promise<number> {
  const since = new Date(now.getTime() - lateMs)
  let removed = 0
  for (const user_id of await listForgotten(db)) {
    const traces = await findTracesOf(db, { user_id, addresses: [] })
    removed += await retryTransaction(db, (trx) => removePayloadsOf(trx, { ...traces, since }))
  }
  return removed
}
