import { deleteOldSignIns } from '../../schema/extension/sign-ins.ts'
import { deleteOldRequests } from '../../schema/idempotency/requests.ts'
import { removePayloads } from '../../schema/inbox/remove-payloads.ts'
import { deleteOldTries } from '../../schema/sweep/failed-tries.ts'
import type { WorkerDependencies } from '../dependencies.ts'

const dayMs = 24 * 3600 * 1000

/** docs/operations.md has the whole list of what is kept how long. */
const payloadRetentionMs = {
  applied: 90 * dayMs,
  ignored: 90 * dayMs,
  /** A person may need what it said. */
  failed: 400 * dayMs,
  forged: 400 * dayMs,
} as const

/** As long as the event that they were about. */
const triesRetentionMs = 400 * dayMs

const batchSize = 500
/** A run ends after so many batches, so that it does not keep the disk busy; the next one goes on. */
const maximumBatches = 20

/** Removes what has been kept long enough, in small batches. Returns how many rows of each kind it changed. */
export async function deleteOldRows(
  deps: WorkerDependencies,
): Promise<{ readonly payloads: number; readonly sign_ins: number }> {
  const now = deps.now()
  let payloads = 0
  for (const [state, retentionMs] of Object.entries(payloadRetentionMs)) {
    const old = {
      state: state as keyof typeof payloadRetentionMs,
      settled_before: new Date(now.getTime() - retentionMs),
      limit: batchSize,
      now,
    }
    payloads += await inBatches(() => removePayloads(deps.db, old))
  }
  const sign_ins = await inBatches(() => deleteOldSignIns(deps.db, { now, limit: batchSize }))
  const requests = await inBatches(() => deleteOldRequests(deps.db, { now, limit: batchSize }))
  const over_before = new Date(now.getTime() - triesRetentionMs)
  const tries = await inBatches(() => deleteOldTries(deps.db, { over_before, limit: batchSize }))
  if (payloads + sign_ins + requests + tries > 0) {
    deps.log.info({ payloads, sign_ins, requests, tries }, 'Removed what is old')
  }
  return { payloads, sign_ins }
}

async function inBatches(removeBatch: () => Promise<number>): Promise<number> {
  let removed = 0
  for (let batch = 0; batch < maximumBatches; batch += 1) {
    const count = await removeBatch()
    removed += count
    if (count < batchSize) break
  }
  return removed
}
