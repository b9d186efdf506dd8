import type { DatabaseTransaction } from '../../database/connect.ts'
import { listArchives } from '../archive/archives.ts'
import { digestKept, digestOpenings } from '../archive/digests.ts'
import { keptOf, latestOpenings } from '../archive/kept.ts'
import type { ReportProblem } from './problems.ts'

/**
 * Checks what is kept of the months that left: that openings and sums of grants are those that were written
 * down, that each archive goes on where the one before it ended, and that the keys of their transfers are all
 * there.
 */
export async function checkArchives(trx: DatabaseTransaction, problem: ReportProblem): Promise<void> {
  const archives = await listArchives(trx)
  let end = 0
  let heads = (await digestOpenings([])).digest
  let keys = 0
  for (const archive of archives) {
    const name = `archive ${archive.id}`
    if (archive.first_transfer_id !== end || !archive.heads_digest_before.equals(heads)) {
      problem('every archive goes on where the one before it ended', name)
    }
    if (!archive.kept_digest.equals(await digestKept(keptOf(trx, archive.id)))) {
      problem('what is kept of an archive is what was written down', name)
    }
    end = archive.end_transfer_id
    heads = archive.heads_digest
    keys += archive.keys
  }
  if (!heads.equals((await digestOpenings(latestOpenings(trx))).digest)) {
    problem('the openings are the end of the last archive', `archive ${archives.at(-1)?.id ?? 0}`)
  }
  if (archives.length > 0) await countKeys(trx, { end, keys }, problem)
}

/** A report that comes again after years is known by its key alone. */
async function countKeys(
  trx: DatabaseTransaction,
  expected: { readonly end: number; readonly keys: number },
  problem: ReportProblem,
): Promise<void> {
  const { keys } = await trx
    .selectFrom('ledger_keys')
    .select((of) => of.fn.countAll<number>().as('keys'))
    .where('transfer_id', '<', expected.end)
    .executeTakeFirstOrThrow()
  if (keys !== expected.keys) {
    problem('the keys of archived transfers are all there', `${keys} keys instead of ${expected.keys}`)
  }
}
