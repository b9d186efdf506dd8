import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../database/connect.ts'
import { lookupEach } from '../database/lookup-each.ts'
import { prepared } from '../database/prepared.ts'
import type { DB } from '../database/types.ts'
import { createToken, hashSecret } from './secrets.ts'

export interface IssuedToken {
  readonly id: string
  /** Shown only now; only its hash is stored. */
  readonly access_token: string
  readonly expires_at: Date
}

export interface StoredToken {
  readonly id: string
  readonly user_id: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly last_used_at: Date | null
  readonly revoked_at: Date | null
}

const storedColumns = ['id', 'user_id', 'created_at', 'expires_at', 'last_used_at', 'revoked_at'] as const

/** Issues a token and ends the previous one. Locks the user's row, so that one token is left. */
export async function issueToken(
  trx: DatabaseTransaction,
  { user_id, now }: { user_id: string; now: Date },
): Promise<IssuedToken> {
  await trx
    .selectFrom('users')
    .select('clerk_id')
    .where('clerk_id', '=', user_id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  await revokeTokens(trx, { user_id, now })
  const access_token = createToken()
  const token = { id: randomUUID(), expires_at: tokenExpiry(now) }
  await trx
    .insertInto('extension_tokens')
    .values({ ...token, user_id, token_hash: hashSecret(access_token), created_at: now })
    .execute()
  return { ...token, access_token }
}

const lifetimeMonths = 4

/** Four calendar months after it was issued, to the second, clamped to the last day of a month. */
export function tokenExpiry(createdAt: Date): Date {
  const expiry = new Date(createdAt)
  expiry.setUTCMonth(expiry.getUTCMonth() + lifetimeMonths)
  // 31 October plus four months is "31 February", which JavaScript turns into a day in March.
  if (expiry.getUTCDate() !== createdAt.getUTCDate()) expiry.setUTCDate(0)
  return expiry
}

/** Ends the user's token, if it was made by then; says whether there was one that still worked. */
export async function revokeTokens(
  db: Kysely<DB>,
  { user_id, now, made_until }: { user_id: string; now: Date; made_until?: Date },
): Promise<boolean> {
  const revoked = await db
    .updateTable('extension_tokens')
    .set({ revoked_at: now })
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .$if(made_until !== undefined, (query) => query.where('created_at', '<=', made_until ?? now))
    .returning('expires_at')
    .execute()
  return revoked.some(({ expires_at }) => expires_at > now)
}

export async function revokeToken(
  db: Kysely<DB>,
  { user_id, id, now }: Pick<StoredToken, 'user_id' | 'id'> & { readonly now: Date },
): Promise<void> {
  await db
    .updateTable('extension_tokens')
    .set({ revoked_at: now })
    .where('user_id', '=', user_id)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
}

/** The rows of presented tokens in their order, valid or not; undefined for unknown tokens. */
export async function findTokens(
  db: Database,
  accessTokens: readonly string[],
): Promise<(StoredToken | undefined)[]> {
  const statement = sql<StoredToken | NotFound>`
    SELECT token.id, token.user_id, token.created_at, token.expires_at, token.last_used_at, token.revoked_at
    FROM unnest((SELECT ${accessTokens.map(hashSecret)}::bytea[])) WITH ORDINALITY AS presented (token_hash, ordinal)
    LEFT JOIN ${lookupEach(
      sql`SELECT id, user_id, created_at, expires_at, last_used_at, revoked_at FROM extension_tokens
        WHERE token_hash = presented.token_hash`,
      'token',
    )} ON true
    ORDER BY presented.ordinal`
  const { rows } = await prepared('presented_tokens', statement).execute(db)
  return rows.map((row) => (row.id === null ? undefined : row))
}

interface NotFound {
  readonly id: null
}

export async function findActiveToken(
  db: Database,
  { user_id, now }: { user_id: string; now: Date },
): Promise<StoredToken | undefined> {
  return db
    .selectFrom('extension_tokens')
    .select(storedColumns)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** A person's tokens, the newest first. */
export async function listTokens(
  db: Kysely<DB>,
  { user_id, limit }: { readonly user_id: string; readonly limit: number },
): Promise<StoredToken[]> {
  return db
    .selectFrom('extension_tokens')
    .select(storedColumns)
    .where('user_id', '=', user_id)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

export function isActive(token: StoredToken, now: Date): boolean {
  return token.revoked_at === null && token.expires_at > now
}

const useResolutionMs = 60_000

/** Uses are recorded to the minute, so that a busy editor does not write a row per call. */
export function isUseToBeRecorded({ last_used_at }: Pick<StoredToken, 'last_used_at'>, now: Date): boolean {
  return last_used_at === null || last_used_at.getTime() <= now.getTime() - useResolutionMs
}

export interface TokenUse extends Pick<StoredToken, 'user_id' | 'id'> {
  readonly used_at: Date
}

/**
 * Records that tokens were used, except tokens recorded within the last minute and rows that are locked by a
 * concurrent recording or revocation: no call waits for a lock, so two servers that record the same tokens
 * cannot block each other.
 */
export async function recordTokenUses(db: Database, uses: readonly TokenUse[]): Promise<void> {
  const statement = sql`
    UPDATE extension_tokens token SET last_used_at = due.used_at
    FROM (
      SELECT locked.user_id, locked.id, used.used_at
      FROM unnest(
        (SELECT ${uses.map(({ user_id }) => user_id)}::text[]),
        (SELECT ${uses.map(({ id }) => id)}::uuid[]),
        (SELECT ${uses.map(({ used_at }) => used_at)}::timestamptz[])) AS used (user_id, id, used_at)
      CROSS JOIN LATERAL (
        SELECT user_id, id FROM extension_tokens
        WHERE user_id = used.user_id AND id = used.id
          AND (last_used_at IS NULL OR last_used_at <= used.used_at - interval '1 millisecond' * ${useResolutionMs}::int)
        FOR NO KEY UPDATE SKIP LOCKED) locked) due
    WHERE token.user_id = due.user_id AND token.id = due.id`
  await prepared('token_uses', statement).execute(db)
}

/** Deletes a person's tokens; their sign-ins, which name them, are deleted before. Returns how many. */
export async function deleteTokensOf(trx: DatabaseTransaction, userId: string): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom('extension_tokens')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
