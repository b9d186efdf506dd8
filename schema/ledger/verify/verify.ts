import type { Kysely } from 'kysely'
import { type DatabaseTransaction, inSharedSnapshot } from '../../database/connect.ts'
import type { DB } from '../../database/types.ts'
import { checkAuditLog } from '../../support/audit-chain.ts'
import { findLatestProof, type Proof } from '../read/proofs.ts'
import { Accounts } from './accounts.ts'
import { checkGrants } from './grants.ts'
import { checkHolds } from './holds.ts'
import { checkIntents } from './intents.ts'
import { checkKeys } from './keys.ts'
import { checkMonths, checkUsage } from './months.ts'
import { checkOwners, lookUpOwners } from './owners.ts'
import { planToReadAll } from './planned.ts'
import type { LedgerProblem, ReportProblem } from './problems.ts'
import { digestAll, digestHeads, findFinalTransferId, type HeadsDigest, insertProof } from './proofs.ts'
import { type GrantOf, type Range, TransfersCheck } from './transfers.ts'
import { checkUsageDays } from './usage-days.ts'

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
  /**
   * Continues from the last proof: reads what was posted since, and the latest entry before that of each
   * account.
   */
  readonly incremental?: boolean
  /**
   * Records how far the books were proven, when nothing is wrong. Waits for transactions that are running.
   */
  readonly keepProof?: boolean
  /**
   * The last transfer to be read, after which nothing is posted before it; left out, the last one that there
   * is.
   */
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
 * Proves the books, in one snapshot, and returns what is wrong. Reads every transfer once and keeps one entry
 * per account in memory: time grows with what it reads and with nothing else. Hashes are computed by separate
 * code. Needs the tables' owner, who alone may keep proofs, and three connections: Postgres joins and sums
 * while the entries are checked here.
 *
 * Entries before the last proof are assumed to be right when it is `incremental`; what a full run finds
 * beyond that is a change to an old row that left the account's latest entry alone.
 */
export async function verifyLedger(db: Kysely<DB>, options: VerifyOptions = {}): Promise<LedgerReport> {
  const finalId = options.keepProof ? (options.upTo ?? (await findFinalTransferId(db))) : null
  const { report, proof } = await inSharedSnapshot(db, 3, ([main, transfers, entries]) => {
    if (!main || !transfers || !entries) throw new Error('There are not three connections')
    return verify({ main, transfers, entries }, finalId, options)
  })
  if (finalId === null || report.problems.length > 0) return { ...report, proof: null }
  await insertProof(db, proof)
  return { ...report, proof }
}

/** Each with the same snapshot. */
interface Connections {
  /** For what Postgres joins and sums up by itself. */
  readonly main: DatabaseTransaction
  readonly transfers: DatabaseTransaction
  readonly entries: DatabaseTransaction
}

interface Verified {
  readonly report: Omit<LedgerReport, 'proof'>
  readonly proof: Omit<Proof, 'proven_at'>
}

async function verify(
  connections: Connections,
  finalId: number | null,
  { incremental = false, onProgress = () => undefined }: VerifyOptions,
): Promise<Verified> {
  const known = await findLatestProof(connections.main)
  const upTo = finalId ?? Number.MAX_SAFE_INTEGER
  return known && incremental
    ? verifySince(known, connections, upTo, onProgress)
    : verifyAll(known, connections, upTo, onProgress)
}

async function verifyAll(
  known: Proof | null,
  connections: Connections,
  upTo: number,
  onProgress: NonNullable<VerifyOptions['onProgress']>,
): Promise<Verified> {
  const { main } = connections
  const range = { after: 0, upTo, is_all: true }
  const total = await countTransfers(main, range)
  // First those of the transfers, whichever are found first.
  const [inTransfers, problems] = [new Problems(), new Problems()]
  await planToReadAll(main)
  const accounts = new Accounts(main, range.after)
  await accounts.loadAll()
  const check = new TransfersCheck(accounts, inTransfers.add)
  let provenHeads: HeadsDigest | null = null
  const reading = check.read(connections, range, {
    onTransfer: (id) => {
      if (known && !provenHeads && id > known.transfer_id) provenHeads = digestAll(accounts)
    },
    onBatch: (done) => onProgress({ what: 'transfers', done, total }),
  })
  // Postgres sums up meanwhile.
  const summing = (async () => {
    await checkSpending(main, range, problems.add)
    const sums = await checkSums(main, null, problems.add)
    await checkAuditLog(main, problems.add)
    return sums
  })()
  const [sums] = await Promise.all([summing, reading])
  onProgress({ what: 'grants', done: sums.grants, total: null })
  await checkOwners(main, range, accounts, problems.add)
  const after = digestAll(accounts)
  checkProof(known, upTo, provenHeads ?? after, problems.add)
  const found = [...inTransfers.found, ...problems.found]
  return verified(check, { sums, problems: found, range, heads: after, from: null })
}

async function verifySince(
  from: Proof,
  connections: Connections,
  upTo: number,
  onProgress: NonNullable<VerifyOptions['onProgress']>,
): Promise<Verified> {
  const { main } = connections
  const range = { after: from.transfer_id, upTo, is_all: false }
  const total = await countTransfers(main, range)
  const problems = new Problems()
  const accounts = new Accounts(main, range.after)
  const check = new TransfersCheck(accounts, problems.add)
  await check.read(connections, range, {
    onTransfer: () => undefined,
    onBatch: (done) => onProgress({ what: 'transfers', done, total }),
  })
  await checkSpending(main, range, problems.add)
  // What was read says which sums to check.
  const since = { proven_at: from.proven_at, grants: [...check.grants.values()] }
  const sums = await checkSums(main, since, problems.add)
  onProgress({ what: 'grants', done: sums.grants, total: null })
  await lookUpOwners(main, 'all', problems.add)
  const heads = await digestHeads(main, Math.min(from.transfer_id, upTo), accounts)
  checkProof(from, upTo, heads.before, problems.add)
  return verified(check, { sums, problems: problems.found, range, heads: heads.after, from })
}

function verified(
  { transfers, entries }: TransfersCheck,
  of: {
    readonly sums: { readonly grants: number; readonly settled_intents: number }
    readonly problems: readonly LedgerProblem[]
    readonly range: Range
    readonly heads: HeadsDigest
    readonly from: Proof | null
  },
): Verified {
  const counts = { accounts: of.heads.accounts, transfers, entries, ...of.sums }
  return {
    report: { counts, problems: of.problems, continued_from: of.from },
    proof: { transfer_id: of.range.upTo, ...of.heads },
  }
}

class Problems {
  readonly found: LedgerProblem[] = []
  readonly add: ReportProblem = (check, subject) => {
    this.found.push({ check, subject })
  }
}

async function countTransfers(trx: DatabaseTransaction, { after, upTo }: Range): Promise<number> {
  const { count } = await trx
    .selectFrom('ledger_transfers')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .executeTakeFirstOrThrow()
  return count
}

/** Checks what Postgres compares of a range: keys, holds and the sums of usage. */
async function checkSpending(trx: DatabaseTransaction, range: Range, problem: ReportProblem): Promise<void> {
  await checkKeys(trx, range, problem)
  await checkHolds(trx, range, problem)
  await checkUsageDays(trx, range, problem)
}

/**
 * Checks what Postgres sums up: grants, months, usage and intents, all of them or those that changed since
 * the proof.
 */
async function checkSums(
  trx: DatabaseTransaction,
  since: { readonly proven_at: Date; readonly grants: readonly GrantOf[] } | null,
  problem: ReportProblem,
): Promise<{ grants: number; settled_intents: number }> {
  const { grants, subscriptionIds, planOwners } = await checkGrants(trx, since?.grants ?? 'all', problem)
  await checkMonths(trx, subscriptionIds, problem)
  await checkUsage(trx, since ? planOwners : 'all', problem)
  return { grants, settled_intents: await checkIntents(trx, since?.proven_at ?? null, problem) }
}

/** `before`: the latest entries up to the proof, as they are now. */
function checkProof(known: Proof | null, upTo: number, before: HeadsDigest, problem: ReportProblem): void {
  if (!known || known.transfer_id > upTo || before.heads_digest.equals(known.heads_digest)) return
  problem('what was proven is still there', `proof of ${known.proven_at.toISOString()}`)
}
