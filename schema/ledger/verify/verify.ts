import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { DB } from '../../database/types.ts'
import { checkAuditLog } from '../../support/audit-chain.ts'
import { findLatestProof, type Proof } from '../read/proofs.ts'
import { comparisons } from './comparisons.ts'
import { Entries } from './entries.ts'
import { checkGrants, checkMonths } from './grants.ts'
import type { LedgerProblem, ReportProblem } from './problems.ts'

export interface LedgerReport {
  /** What was read. */
  readonly counts: Readonly<
    Record<'accounts' | 'transfers' | 'entries' | 'grants' | 'settled_intents', number>
  >
  readonly problems: readonly LedgerProblem[]
  /** What was kept as proven. */
  readonly proof: Pick<Proof, 'transfer_id' | 'heads_digest'> | null
}

export interface VerifyOptions {
  /** Records how far the books were proven, when nothing is wrong. */
  readonly keepProof?: boolean
  /** Called after some thousand entries. */
  readonly onProgress?: (read: Pick<LedgerReport['counts'], 'transfers' | 'entries'>) => void
}

/**
 * Proves the books, all of them, in one snapshot, and returns what is wrong. Hashes are computed by separate code.
 * Memory grows with the number of accounts, time with the number of entries. Needs the tables' owner, who alone may
 * keep proofs, and two connections.
 */
export async function verifyLedger(
  db: Kysely<DB>,
  { keepProof = false, onProgress = () => undefined }: VerifyOptions = {},
): Promise<LedgerReport> {
  const begin = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  const { report, proof } = await begin.execute(async (snapshot) => {
    if (keepProof) await beginBetweenTransactions(db, snapshot)
    return verify(snapshot, onProgress)
  })
  if (!keepProof || report.problems.length > 0) return { ...report, proof: null }
  await db.insertInto('ledger_proofs').values(proof).execute()
  return { ...report, proof }
}

/**
 * Takes the snapshot when no transaction is spending or posting, so that nothing is posted later with a lower
 * number: each locks a row of `ledger_owners` before it takes one. They wait meanwhile. Throws when one runs for
 * longer than ten seconds.
 */
async function beginBetweenTransactions(db: Kysely<DB>, snapshot: DatabaseTransaction): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`SET LOCAL lock_timeout = '10s'`.execute(trx)
    await sql`LOCK TABLE ledger_owners IN EXCLUSIVE MODE`.execute(trx)
    await sql`SELECT`.execute(snapshot)
  })
}

async function verify(trx: DatabaseTransaction, onProgress: NonNullable<VerifyOptions['onProgress']>) {
  const problems: LedgerProblem[] = []
  const problem: ReportProblem = (check, subject) => problems.push({ check, subject })
  // Postgres believes of new books, which have no statistics, that there are few rows, and of a cursor that only the
  // first ones are wanted: without this it looks each row of a joined table up.
  await sql`
    SELECT set_config('enable_nestloop', 'off', true), set_config('cursor_tuple_fraction', '1', true),
      set_config('work_mem', '64MB', true)`.execute(trx)
  const known = await findLatestProof(trx)
  const entries = new Entries(problem)
  let provenDigest: Buffer | null = null
  let transfer_id = 0
  await entries.read(trx, {
    beforeTransfer(id) {
      if (known && !provenDigest && id > known.transfer_id) provenDigest = digestOf(entries.heads())
      transfer_id = id
    },
    onBatch: onProgress,
  })
  for (const [check, wrong] of comparisons) {
    const found = sql<{ subject: string }>`SELECT subject FROM (${wrong}) found ORDER BY subject`
    for (const { subject } of (await found.execute(trx)).rows) problem(check, subject)
  }
  const grants = await checkGrants(trx, problem)
  await checkMonths(trx, problem)
  await checkAuditLog(trx, problem)
  const heads = entries.heads()
  const heads_digest = digestOf(heads)
  if (known && !(provenDigest ?? heads_digest).equals(known.heads_digest)) {
    problem('what was proven is still there', `proof of ${known.proven_at.toISOString()}`)
  }
  const { settled_intents } = await trx
    .selectFrom('checkout_intents')
    .select((of) => of.fn.countAll<number>().as('settled_intents'))
    .where('state', '=', 'settled')
    .executeTakeFirstOrThrow()
  const counts = {
    accounts: heads.length,
    transfers: entries.transfers,
    entries: entries.entries,
    grants,
    settled_intents,
  }
  return { report: { counts, problems }, proof: { transfer_id, accounts: heads.length, heads_digest } }
}

/** Of the latest entries of all owners' accounts. */
function digestOf(heads: ReturnType<Entries['heads']>): Buffer {
  const digest = createHash('sha256')
  for (const { account_id, version, balance, hash } of heads) {
    digest.update(`${account_id} ${version} ${balance} ${hash}\n`)
  }
  return digest.digest()
}
