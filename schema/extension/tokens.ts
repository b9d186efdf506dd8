import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Database, DatabaseTransaction } from '../database/connect.ts'
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

/**
 * Gives the user a new token and ends the one before, in the caller's transaction. A user has one at most: the row of the
 * user is locked, so of two tabs the later one wins and one token is left.
 */
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

/** When a token issued now expires: after four calendar months, to the second; the last day of a month stays the last. */
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

/** Ends this token of the user. */
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

/** The row of a presented token, whether it still works or not. */
export async function findToken(db: Database, access_token: string): Promise<StoredToken | undefined> {
  return db
    .selectFrom('extension_tokens')
    .select(storedColumns)
    .where('token_hash', '=', hashSecret(access_token))
    .executeTakeFirst()
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

export function isActive(token: StoredToken, now: Date): boolean {
  return token.revoked_at === null && token.expires_at > now
}

const useResolutionMs = 60_000

/** Whether its use now is to be recorded: to the minute, because a busy editor must not write a row for each of its calls. */
export function isUseToBeRecorded({ last_used_at }: Pick<StoredToken, 'last_used_at'>, now: Date): boolean {
  return last_used_at === null || last_used_at.getTime() <= now.getTime() - useResolutionMs
}

/** Records that a token was used, unless somebody else did within the last minute. */
export async function recordTokenUse(
  db: Database,
  token: Pick<StoredToken, 'user_id' | 'id'>,
  now: Date,
): Promise<void> {
  const before = new Date(now.getTime() - useResolutionMs)
  await db
    .updateTable('extension_tokens')
    .set({ last_used_at: now })
    .where('user_id', '=', token.user_id)
    .where('id', '=', token.id)
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', before)]))
    .execute()
}

/** Deletes a person's tokens; their sign-ins, which name them, are deleted before. Returns how many. */
export async function deleteTokensOf(trx: DatabaseTransaction, userId: string): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom('extension_tokens')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
