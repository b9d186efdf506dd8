import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { DB } from '../../database/types.ts'
import type { Proof } from '../read/proofs.ts'
import { type AccountHead, type Accounts, headOf, headUpTo } from './accounts.ts'

export async function insertProof(db: Kysely<DB>, proof: Omit<Proof, 'proven_at'>): Promise<void> {
  await db.insertInto('ledger_proofs').values(proof).execute()
}

/**
 * The latest transfer, once nothing can be posted before it any more. A transfer takes its number some time
 * before it is committed, under locks that its transaction holds to its end, so every session that holds
 * locks in this database and writes is waited for when the number has been read. Neither numbers of
 * transactions nor snapshots would do: who begins later may take its number earlier, and a snapshot also
 * waits for those who write in other databases. Null when one is still running after ten seconds.
 */
export async function findFinalTransferId(db: Kysely<DB>): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`SELECT coalesce(max(id), 0) AS id FROM ledger_transfers`.execute(
    db,
  )
  const { id = 0 } = rows[0] ?? {}
  const running = await findWriters(db)
  for (let attempt = 0; attempt < 1000; attempt++) {
    const still = new Set(await findWriters(db))
    if (!running.some((transaction) => still.has(transaction))) return id
    await sql`SELECT pg_sleep(0.01)`.execute(db)
  }
  return null
}

/** Transactions that hold a lock in this database and have written something, or are about to. */
async function findWriters(db: Kysely<DB>): Promise<string[]> {
  const { rows } = await sql<{ virtualtransaction: string }>`
    SELECT virtualtransaction FROM pg_locks GROUP BY virtualtransaction
    HAVING bool_or(locktype = 'transactionid' AND mode = 'ExclusiveLock')
      AND bool_or(locktype = 'relation' AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`.execute(
    db,
  )
  return rows.map(({ virtualtransaction }) => virtualtransaction)
}

export interface HeadsDigest {
  readonly accounts: number
  readonly heads_digest: Buffer
}

/** Digests the latest entries of all owners' accounts, which are all in memory. */
export function digestAll(accounts: Accounts): HeadsDigest {
  const digest = startDigest()
  for (const { account_id, ...head } of accounts.heads()) digest.add(account_id, head)
  return digest.finish()
}

/**
 * The same when only those of later transfers are, twice, in one pass: as they were up to a transfer, and as
 * they are with what came after it. Reads one entry per account.
 */
export async function digestHeads(
  trx: DatabaseTransaction,
  upTo: number,
  later: Accounts,
): Promise<{ before: HeadsDigest; after: HeadsDigest }> {
  const before = startDigest()
  const after = startDigest()
  for (let last = 0; ; ) {
    const { rows } = await sql<{ account_id: number } & { [K in keyof AccountHead]: AccountHead[K] | null }>`
      SELECT account.id AS account_id, head.version, head.balance, head.hash
      FROM (SELECT id, owner_id FROM ledger_accounts WHERE id > ${last} AND owner_id <> 'house' ORDER BY id LIMIT 2000) account
      LEFT JOIN LATERAL ${headUpTo(upTo)} head ON true ORDER BY account.id`.execute(trx)
    for (const { account_id, ...row } of rows) {
      const known = headOf(row)
      before.add(account_id, known)
      after.add(account_id, later.headOf(account_id) ?? known)
    }
    const end = rows.at(-1)
    if (!end) return { before: before.finish(), after: after.finish() }
    last = end.account_id
  }
}

function startDigest() {
  const digest = createHash('sha256')
  let accounts = 0
  let text = ''
  return {
    add(id: number, head: AccountHead | null): void {
      if (!head) return
      accounts++
      text += `${id} ${head.version} ${head.balance} ${head.hash}\n`
      if (text.length < 65_536) return
      digest.update(text)
      text = ''
    },
    finish: (): HeadsDigest => ({ accounts, heads_digest: digest.update(text).digest() }),
  }
}
