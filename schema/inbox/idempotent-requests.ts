import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/connect.ts'
import type { DB, Json } from '../database/types.ts'

/** How long a key is remembered, as Stripe does. */
const retentionMs = 24 * 3600_000

/** Longer than any request takes: after that its server was killed, and the next try may go on with it. */
const lockMs = 90_000

interface RequestKey {
  readonly user_id: string
  readonly key: string
}

export type BegunRequest =
  /** To be done now, under this name; an earlier try may have got half way under the same one. */
  | { readonly outcome: 'begun'; readonly attempt_id: string }
  | { readonly outcome: 'answered'; readonly answer: Json }
  | { readonly outcome: 'in_progress' }
  | { readonly outcome: 'other_request' }

/**
 * Begins a request under a caller's key, unless it is answered, another process works on it, or the key was
 * used for another one.
 */
export async function beginRequest(
  db: Database,
  request: RequestKey & { readonly request_hash: Buffer; readonly attempt_id: string; readonly now: Date },
): Promise<BegunRequest> {
  const { user_id, key, request_hash, attempt_id, now } = request
  const locked_until = new Date(now.getTime() + lockMs)
  const forgotten = new Date(now.getTime() - retentionMs)
  const { rows } = await sql<{ attempt_id: string }>`
    INSERT INTO idempotent_requests AS known (user_id, key, request_hash, attempt_id, locked_until, created_at)
    VALUES (${user_id}, ${key}, ${request_hash}, ${attempt_id}, ${locked_until}, ${now})
    ON CONFLICT (user_id, key) DO UPDATE SET
      request_hash = EXCLUDED.request_hash,
      attempt_id = CASE WHEN known.created_at <= ${forgotten} THEN EXCLUDED.attempt_id ELSE known.attempt_id END,
      locked_until = EXCLUDED.locked_until,
      answer = NULL,
      created_at = CASE WHEN known.created_at <= ${forgotten} THEN EXCLUDED.created_at ELSE known.created_at END
    WHERE known.created_at <= ${forgotten}
      OR (known.answer IS NULL AND known.request_hash = EXCLUDED.request_hash
        AND (known.locked_until IS NULL OR known.locked_until <= ${now}))
    RETURNING attempt_id`.execute(db)
  if (rows[0]) return { outcome: 'begun', attempt_id: rows[0].attempt_id }
  const known = await db
    .selectFrom('idempotent_requests')
    .select(['request_hash', 'answer'])
    .where('user_id', '=', user_id)
    .where('key', '=', key)
    .executeTakeFirst()
  if (known && !known.request_hash.equals(request_hash)) return { outcome: 'other_request' }
  return known?.answer == null ? { outcome: 'in_progress' } : { outcome: 'answered', answer: known.answer }
}

/** Keeps the answer of a request that succeeded, for those who repeat it. */
export async function keepAnswer(db: Database, { user_id, key }: RequestKey, answer: Json): Promise<void> {
  await db
    .updateTable('idempotent_requests')
    .set({ answer: JSON.stringify(answer), locked_until: null })
    .where('user_id', '=', user_id)
    .where('key', '=', key)
    .execute()
}

/** Lets the next try go on with a request of which it is not known how it ended. */
export async function releaseRequest(db: Database, { user_id, key }: RequestKey): Promise<void> {
  await db
    .updateTable('idempotent_requests')
    .set({ locked_until: null })
    .where('user_id', '=', user_id)
    .where('key', '=', key)
    .execute()
}

/** Forgets a request that was refused: nothing came of it, and the same key may be used once more. */
export async function forgetRequest(db: Database, { user_id, key }: RequestKey): Promise<void> {
  await db
    .deleteFrom('idempotent_requests')
    .where('user_id', '=', user_id)
    .where('key', '=', key)
    .where('answer', 'is', null)
    .execute()
}

export async function deleteOldRequests(db: Database, now: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('idempotent_requests')
    .where('created_at', '<=', new Date(now.getTime() - retentionMs))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes the keys and the kept answers of a person's requests. Returns how many. */
export async function deleteRequestsOf(db: Kysely<DB>, userId: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('idempotent_requests')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
