import { createHash, randomUUID } from 'node:crypto'
import type pg from 'pg'
import { adjustmentGrant } from '../../schema/ledger/grants.ts'
import { postTransfers, type Transfer } from '../../schema/ledger/post/post.ts'
import { connectProduct } from './database-load.ts'

/** Whose credits move: so many users, or one organization in which each of them has a seat. */
export const wallets = 1000
export const hotPool = { owner_kind: 'organization', owner_id: 'org_bench' } as const

export function walletId(index: number): string {
  return `user_bench_${index}`
}

export function anyWallet() {
  return { owner_kind: 'user', owner_id: walletId(Math.floor(Math.random() * wallets)) } as const
}

/** The long-lived token of a wallet's user. */
export function tokenOf(index: number): string {
  return `tide_bench_${index}`
}

/** Users with tokens and seats, and credits in every wallet that no measurement uses up. */
export async function createWallets(databaseUrl: string, pool: pg.Pool): Promise<void> {
  const ids = Array.from({ length: wallets }, (_, index) => walletId(index))
  const hashes = ids.map((_, index) => createHash('sha256').update(tokenOf(index)).digest())
  await pool.query(
    `INSERT INTO users (clerk_id, email, profile_updated_at) SELECT id, id || '@tidemark.test', now() FROM unnest($1::text[]) id`,
    [ids],
  )
  await pool.query(
    `INSERT INTO extension_tokens (id, user_id, token_hash, created_at, expires_at, last_used_at)
     SELECT gen_random_uuid(), id, hash, now(), now() + interval '1 month', now() + interval '1 hour'
     FROM unnest($1::text[], $2::bytea[]) AS token (id, hash)`,
    [ids, hashes],
  )
  await pool.query(
    `INSERT INTO seats (organization_id, email, user_id, role, status)
     SELECT $2, id || '@tidemark.test', id, 'member', 'active' FROM unnest($1::text[]) id`,
    [ids, hotPool.owner_id],
  )
  const worker = connectProduct(databaseUrl, 'tidemark_worker')
  try {
    const owners = [...ids.map((owner_id) => ({ owner_kind: 'user', owner_id }) as const), hotPool]
    for (let first = 0; first < owners.length; first += 100) {
      await postTransfers(
        worker.db,
        owners.slice(first, first + 100).map((owner) => giving(owner, 100_000_000)),
      )
    }
  } finally {
    await worker.close()
  }
}

/** Credits from the house, as an adjustment: a transfer that needs nothing but its wallet. */
export function giving(
  owner: { readonly owner_kind: 'user' | 'organization'; readonly owner_id: string },
  credits: number,
): Transfer {
  return {
    idempotency_key: `bench/${randomUUID()}`,
    kind: 'adjustment',
    occurred_at: new Date(),
    intent_id: null,
    event_id: null,
    actor: 'bench',
    reason: 'Bench',
    grant: adjustmentGrant(owner, 'purchased'),
    plan: 0,
    purchased: credits,
    house: 'adjusted',
  }
}
