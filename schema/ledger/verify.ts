import type { Kysely } from 'kysely'
import type { DatabaseTransaction } from '../database/connect.ts'
import type { DB } from '../database/types.ts'
import { checkArchives, findArchivedEnd } from './verify/archives.ts'
import { EntryCheck } from './verify/entries.ts'
import { checkGrants, checkIntents, checkMonths, checkUsage } from './verify/grants.ts'
import { checkKeys, checkOwners } from './verify/owners.ts'
import {
  digestHeads,
  findLatestProof,
  findSettledTransferId,
  insertProof,
  type Proof,
} from './verify/proofs.ts'

/** One thing that is wrong in the books. `subject` says where: a transfer, an account, a grant or an intent. */
export interface LedgerProblem {
  readonly check: string
  readonly subject: string
}

export interface LedgerReport {
  /** What was read. */
  readonly counts: {
    readonly accounts: number
    readonly transfers: number
    readonly entries: number
    readonly grants: number
    readonly settled_intents: number
  }
  readonly problems: readonly LedgerProblem[]
  /** The proof from which an incremental run continued. */
  readonly continued_from: Proof | null
  /** What was kept as proven. */
  readonly proof: Pick<Proof, 'transfer_id' | 'heads_digest'> | null
}

export interface VerifyOptions {
  /** Continues from the last proof: reads what was posted since, and the latest entry before that of each account. */
  readonly incremental?: boolean
  /** Records how far the books were proven, when nothing is wrong. Waits for transactions that are running. */
  readonly keepProof?: boolean
  /** The last transfer to be read, after which nothing is posted before it; left out, the last one that there is. */
  readonly upTo?: number
  readonly onProgress?: (progress: VerifyProgress) => void
}

export interface VerifyProgress {
  readonly what: 'transfers' | 'grants'
  readonly done: number
  /** Unknown for what is found on the way. */
  readonly total: number | null
}

/**
 * Proves the books, in one snapshot, and returns what is wrong. Reads every transfer once, in batches, and keeps one entry per account
 * in memory: time grows with what it reads and with nothing else. Hashes are computed by separate code. Needs the tables'
 * owner, who alone may keep proofs.
 *
 * Entries before the last proof are assumed to be right when it is `incremental`; what a full run finds beyond that is a change to an
 * old row that left the account's latest entry alone.
 */
export async function verifyLedger(db: Kysely<DB>, options: VerifyOptions = {}): Promise<LedgerReport> {
  const settledId = options.keepProof ? (options.upTo ?? (await findSettledTransferId(db))) : null
  const { report, proof } = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((trx) => verify(trx, settledId, options))
  if (settledId === null || report.problems.length > 0) return { ...report, proof: null }
  await insertProof(db, proof)
  return { ...report, proof }
}

async function verify(
  trx: DatabaseTransaction,
  settledId: number | null,
  { incremental = false, onProgress = () => undefined }: VerifyOptions,
): Promise<{ report: Omit<LedgerReport, 'proof'>; proof: Omit<Proof, 'proven_at'> }> {
  const problems: LedgerProblem[] = []
  const problem = (check: string, subject: string) => problems.push({ check, subject })
  const known = await findLatestProof(trx)
  const from = incremental ? known : null
  const startsAfter = from?.transfer_id ?? Math.max(0, (await findArchivedEnd(trx)) - 1)
  const upTo = settledId ?? Number.MAX_SAFE_INTEGER

  const check = new EntryCheck(trx, startsAfter, problem)
  const total = await countTransfers(trx, startsAfter, upTo)
  await check.read({ after: startsAfter, upTo }, (done) => onProgress({ what: 'transfers', done, total }))
  await checkKeys(trx, startsAfter, problem)
  await checkOwners(trx, problem)
  if (!from) await checkArchives(trx, problem)
  const heads = await digestHeads(trx, Math.min(known?.transfer_id ?? 0, upTo), check.heads)
  if (known && known.transfer_id <= upTo && !heads.before.heads_digest.equals(known.heads_digest)) {
    problem('what was proven is still there', `proof of ${known.proven_at.toISOString()}`)
  }

  let grants = 0
  const read = await checkGrants(trx, from ? check.grantIds : 'all', problem, (count) => {
    grants = count
    onProgress({ what: 'grants', done: count, total: null })
  })
  await checkMonths(trx, read.subscriptionIds, problem)
  await checkUsage(trx, from ? read.planOwners : 'all', problem)
  const settledIntents = await checkIntents(trx, from?.proven_at ?? null, problem)
  return {
    report: {
      counts: {
        accounts: heads.after.accounts,
        transfers: check.transfers,
        entries: check.entries,
        grants,
        settled_intents: settledIntents,
      },
      problems,
      continued_from: from,
    },
    proof: { transfer_id: upTo, ...heads.after },
  }
}

async function countTransfers(trx: DatabaseTransaction, after: number, upTo: number): Promise<number> {
  const { count } = await trx
    .selectFrom('ledger_transfers')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .executeTakeFirstOrThrow()
  return count
}
