import type { Kysely } from 'kysely'
import type { DB } from '../../database/types.ts'

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
    .orderBy('transfer_id', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return proof ?? null
}
