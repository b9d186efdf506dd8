import type { Kysely } from 'kysely'
import { type DatabaseTransaction, inSharedSnapshot } from '../../database/connect.ts'
import type { DB } from '../../database/types.ts'
import { findAccountsAfter } from './accounts.ts'
import { checkArchives } from './archives.ts'
import { EntryCheck, type GrantOf } from './entries.ts'
import { countTransfers, findParts } from './extent.ts'
import { checkGrants } from './grants.ts'
import { checkIntents } from './intents.ts'
import { checkMonths, checkUsage } from './months.ts'
import { checkKeys, findKeys, lookUpOwners, OwnersCheck } from './owners.ts'
import { planToReadAll } from './planned.ts'
import {
  digestAll,
  digestHeads,
  findLatestProof,
  findSettledTransferId,
  type HeadsDigest,
  insertProof,
  type Proof,
} from './proofs.ts'
import { checkReports, findSumsWithoutReports } from './reports.ts'

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
 * Proves the books, in one snapshot, and returns what is wrong. Reads every transfer once, as a stream, and keeps one entry per account
 * in memory: time grows with what it reads and with nothing else. Hashes are computed by separate code. Needs the tables'
 * owner, who alone may keep proofs, and four connections: Postgres joins and sums while the entries are checked here.
 *
 * Entries before the last proof are assumed to be right when it is `incremental`; what a full run finds beyond that is a change to an
 * old row that left the account's latest entry alone.
 */
export async function verifyLedger(db: Kysely<DB>, options: VerifyOptions = {}): Promise<LedgerReport> {
  const settledId = options.keepProof ? (options.upTo ?? (await findSettledTransferId(db))) : null
  const { report, proof } = await inSharedSnapshot(db, 4, ([main, sums, transfers, entries]) => {
    if (!main || !sums || !transfers || !entries) throw new Error('There are not four connections')
    return verify({ main, sums, transfers, entries }, settledId, options)
  })
  if (settledId === null || report.problems.length > 0) return { ...report, proof: null }
  await insertProof(db, proof)
  return { ...report, proof }
}

/** Each with the same snapshot. */
interface Connections {
  readonly main: DatabaseTransaction
  /** For what Postgres sums up by itself, of all the books. */
  readonly sums: DatabaseTransaction
  readonly transfers: DatabaseTransaction
  readonly entries: DatabaseTransaction
}

async function verify(
  { main, sums, ...streams }: Connections,
  settledId: number | null,
  { incremental = false, onProgress = () => undefined }: VerifyOptions,
): Promise<{ report: Omit<LedgerReport, 'proof'>; proof: Omit<Proof, 'proven_at'> }> {
  const [known, parts] = await Promise.all([findLatestProof(main), findParts(sums)])
  const from = incremental ? known : null
  const range = {
    after: from?.transfer_id ?? Math.max(0, parts.archived_end - 1),
    upTo: settledId ?? Number.MAX_SAFE_INTEGER,
    is_all: from === null,
  }
  // In this order, whichever is found first.
  const problems = {
    entries: new Problems(),
    keys: new Problems(),
    owners: new Problems(),
    reports: new Problems(),
    heads: new Problems(),
    sums: new Problems(),
  }

  const check = new EntryCheck(
    { findAccounts: findAccountsAfter(main, range.after), keepsGrants: from !== null },
    problems.entries.add,
  )
  let provenHeads: HeadsDigest | null = null
  const first = Promise.withResolvers<void>()
  let total = 0
  const counting = countTransfers(sums, range).then((count) => {
    total = count
  })
  const reading = check.read(streams, range, {
    whenReady: Promise.all([
      counting,
      from ? null : planToReadAll(main).then(() => check.accounts.loadAll(main)),
    ]),
    onProgress: (done) => {
      first.resolve()
      onProgress({ what: 'transfers', done, total })
    },
    mark: {
      after: known && !from ? known.transfer_id : Number.POSITIVE_INFINITY,
      onReached: () => {
        provenHeads = digestAll(check.accounts)
      },
    },
  })
  // What was read says which sums to check, when that is not everything. Otherwise Postgres has time for them when it has sent the first rows.
  await (from ? reading : Promise.race([reading, first.promise]))
  const progress = later(onProgress)
  const summing = async () => {
    const since =
      from && check.grants ? { proven_at: from.proven_at, grants: [...check.grants.values()] } : null
    const summed = await checkSums(sums, since, problems.sums.add, (done) =>
      progress.tell({ what: 'grants', done, total: null }),
    )
    if (!from && parts.has_archives) await checkArchives(sums, problems.owners.add)
    const reports = parts.has_reports
      ? await checkReports(sums, range, problems.reports.add)
      : { kept: 0, sums: 0 }
    return { reports, summed }
  }
  const comparing = async () => {
    const keys = await findKeys(main, range)
    if (from) await lookUpOwners(main, 'all', problems.owners.add)
    else await new OwnersCheck(main, range).finish(reading, check.accounts, problems.owners.add)
    return keys
  }
  const [{ reports, summed }, keys] = await Promise.all([
    summing(),
    comparing(),
    reading.then(progress.begin),
  ])
  await checkKeys(main, range, keys, check.transfers + reports.kept, problems.keys.add)
  if (reports.sums !== check.sums) await findSumsWithoutReports(main, range, problems.reports.add)
  const heads = from
    ? await digestHeads(main, Math.min(from.transfer_id, range.upTo), check.accounts)
    : { before: provenHeads, after: digestAll(check.accounts) }
  if (known && known.transfer_id <= range.upTo && !heads.before?.heads_digest.equals(known.heads_digest)) {
    problems.heads.add('what was proven is still there', `proof of ${known.proven_at.toISOString()}`)
  }
  return {
    report: {
      counts: {
        accounts: heads.after.accounts,
        transfers: check.transfers,
        entries: check.entries,
        ...summed,
      },
      problems: Object.values(problems).flatMap(({ found }) => found),
      continued_from: from,
    },
    proof: { transfer_id: range.upTo, ...heads.after },
  }
}

/** Holds the latest progress back until it begins: of what goes on beside what is told. */
function later(onProgress: (progress: VerifyProgress) => void) {
  let held: VerifyProgress | null = null
  let isHeldBack = true
  return {
    tell(progress: VerifyProgress): void {
      if (isHeldBack) held = progress
      else onProgress(progress)
    },
    begin(): void {
      isHeldBack = false
      if (held) onProgress(held)
    },
  }
}

class Problems {
  readonly found: LedgerProblem[] = []
  readonly add = (check: string, subject: string): void => {
    this.found.push({ check, subject })
  }
}

/** Checks what Postgres sums up: grants, months, usage and intents, all of them or those that changed since the proof. */
async function checkSums(
  trx: DatabaseTransaction,
  since: { readonly proven_at: Date; readonly grants: readonly GrantOf[] } | null,
  problem: Problems['add'],
  onProgress: (grants: number) => void,
): Promise<{ grants: number; settled_intents: number }> {
  let grants = 0
  const read = await checkGrants(trx, since ? since.grants : 'all', problem, (count) => {
    grants = count
    onProgress(count)
  })
  await checkMonths(trx, read.subscriptionIds, problem)
  await checkUsage(trx, since ? read.planOwners : 'all', problem)
  return { grants, settled_intents: await checkIntents(trx, since?.proven_at ?? null, problem) }
}
