import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { DB } from '../../database/types.ts'
import { type AccountHead, headUpTo } from './entries.ts'

/** How far the books were proven. */
export interface Proof {
  readonly transfer_id: number
  readonly proven_at: Date
  readonly accounts: number
  /** SHA-256 over the latest entry of every owner's account up to that transfer. */
  readonly heads_digest: Buffer
}

export async function findLatestProof(db: Kysely<DB>): Promise<Proof | null> {
  const proof = await db
    .selectFrom('ledger_proofs')
    .select(['transfer_id', 'proven_at', 'accounts', 'heads_digest'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return proof ?? null
}

export async function insertProof(db: Kysely<DB>, proof: Omit<Proof, 'proven_at'>): Promise<void> {
  await db.insertInto('ledger_proofs').values(proof).execute()
}

/**
 * The latest transfer, once nothing can be posted before it any more. A transfer takes its number some time before it is
 * committed, so the transactions that were running when the number was read are waited for: every transaction that posts is among them, because
 * the locks of the accounts come first. Null when one of them is still running after ten seconds.
 */
export async function findSettledTransferId(db: Kysely<DB>): Promise<number | null> {
  const { rows } = await sql<{ id: number; next_xid: string }>`
    SELECT coalesce(max(id), 0) AS id, pg_snapshot_xmax(pg_current_snapshot())::text AS next_xid FROM ledger_transfers
  `.execute(db)
  const { id = 0, next_xid = '0' } = rows[0] ?? {}
  for (let attempt = 0; attempt < 1000; attempt++) {
    const { rows: running } = await sql<{ is_over: boolean }>`
      SELECT pg_snapshot_xmin(pg_current_snapshot())::text::numeric >= ${next_xid}::numeric AS is_over`.execute(
      db,
    )
    if (running[0]?.is_over) return id
    await sql`SELECT pg_sleep(0.01)`.execute(db)
  }
  return null
}

interface HeadsDigest {
  readonly accounts: number
  readonly heads_digest: Buffer
}

/**
 * Digests the latest entries of all owners' accounts twice, in one pass: as they were up to a transfer, and as they are with what
 * came after it. Reads one entry per account.
 */
export async function digestHeads(
  trx: DatabaseTransaction,
  upTo: number,
  later: ReadonlyMap<number, AccountHead>,
): Promise<{ before: HeadsDigest; after: HeadsDigest }> {
  const before = startDigest()
  const after = startDigest()
  for (let last = 0; ; ) {
    const { rows } = await sql<{ account_id: number } & { [K in keyof AccountHead]: AccountHead[K] | null }>`
      SELECT account.id AS account_id, head.version, head.balance, head.hash
      FROM (SELECT id, owner_id FROM ledger_accounts WHERE id > ${last} AND owner_kind <> 'house' ORDER BY id LIMIT 2000) account
      LEFT JOIN LATERAL ${headUpTo(upTo)} head ON true ORDER BY account.id`.execute(trx)
    for (const { account_id, version, balance, hash } of rows) {
      const known = version !== null && balance !== null && hash !== null ? { version, balance, hash } : null
      before.add(account_id, known)
      after.add(account_id, later.get(account_id) ?? known)
    }
    const end = rows.at(-1)
    if (!end) return { before: before.finish(), after: after.finish() }
    last = end.account_id
  }
}

function startDigest() {
  const digest = createHash('sha256')
  let accounts = 0
  return {
    add(id: number, head: AccountHead | null): void {
      if (!head) return
      accounts++
      digest.update(`${id} ${head.version} ${head.balance} ${head.hash.toString('hex')}\n`)
    },
    finish: (): HeadsDigest => ({ accounts, heads_digest: digest.digest() }),
  }
}
