import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Database, DatabaseTransaction, ReadDatabase } from '../database/connect.ts'
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

/** What a sign-in knows of its editor; a token that was generated has none. */
export interface SignedInEditor {
  /** Of the address that the sign-in went to; the host of an editor that runs in a browser. */
  readonly scheme: string
  /** What the editor calls itself; not verified. */
  readonly editor_name: string | null
  readonly payer: string
}

export interface ListedToken extends StoredToken {
  /** Who pays for calls that name no payer: `personal` or an organization. It gives no right. */
  readonly payer: string
  /** Null for a token that was generated. */
  readonly scheme: string | null
  readonly editor_name: string | null
}

/** How many editors a person may have signed in at once. The token that they generate is not counted. */
export const editorsMax = 10

/** Generates a token in place of the previous one. Locks the user's row, so that one is left. */
export async function generateToken(
  trx: DatabaseTransaction,
  who: Who & Pick<ListedToken, 'payer'>,
): Promise<IssuedToken> {
  await lockUser(trx, who)
  await revokeTokens(trx, { ...who, kind: 'generated' })
  return insertToken(trx, { ...who, scheme: null, editor_name: null })
}

/**
 * Issues a token to an editor that was signed in, which ends no other; null when the user has as many as they
 * may. Locks the user's row, so that sign-ins at the same moment count each other.
 */
export async function issueEditorToken(
  trx: DatabaseTransaction,
  editor: Who & SignedInEditor,
): Promise<IssuedToken | null> {
  await lockUser(trx, editor)
  return (await mayAddEditor(trx, editor)) ? insertToken(trx, editor) : null
}

/** Whether the user may sign in one more editor. Only under the lock of their row does the answer last. */
export async function mayAddEditor(db: Kysely<DB>, who: Who): Promise<boolean> {
  const tokens = await listActiveTokens(db, who)
  return tokens.filter(({ scheme }) => scheme !== null).length < editorsMax
}

interface Who {
  readonly user_id: string
  readonly now: Date
}

async function lockUser(trx: DatabaseTransaction, { user_id }: Who): Promise<void> {
  await trx
    .selectFrom('users')
    .select('clerk_id')
    .where('clerk_id', '=', user_id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
}

async function insertToken(
  trx: DatabaseTransaction,
  { user_id, now, ...made }: Who & Pick<ListedToken, 'scheme' | 'editor_name' | 'payer'>,
): Promise<IssuedToken> {
  const access_token = createToken()
  const token = { id: randomUUID(), expires_at: tokenExpiry(now) }
  await trx
    .insertInto('extension_tokens')
    .values({ ...token, user_id, token_hash: hashSecret(access_token), created_at: now, ...made })
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

/** How many tokens of the user were ended as of a moment, and would still work. */
export async function countTokensRevokedAt(
  db: Kysely<DB>,
  { user_id, at, now }: Who & { readonly at: Date },
): Promise<number> {
  const { count } = await db
    .selectFrom('extension_tokens')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', user_id)
    .where('revoked_at', '=', at)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Ends the user's tokens, or only those that were made by then, or only the one that was generated; says how
 * many of them still worked.
 */
export async function revokeTokens(
  db: Kysely<DB>,
  { user_id, now, made_until, kind }: Who & { readonly made_until?: Date; readonly kind?: 'generated' },
): Promise<number> {
  const revoked = await db
    .updateTable('extension_tokens')
    .set({ revoked_at: now })
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .$if(made_until !== undefined, (query) => query.where('created_at', '<=', made_until ?? now))
    .$if(kind === 'generated', (query) => query.where('scheme', 'is', null))
    .returning('expires_at')
    .execute()
  return revoked.filter(({ expires_at }) => expires_at > now).length
}

/** Ends one of the user's tokens, if it has not ended yet; says whether the user has a token of this id. */
export async function revokeToken(
  db: Kysely<DB>,
  { user_id, id, now }: Who & Pick<StoredToken, 'id'>,
): Promise<boolean> {
  const found = await db
    .updateTable('extension_tokens')
    .set(({ fn, ref, val }) => ({ revoked_at: fn.coalesce(ref('revoked_at'), val(now)) }))
    .where('user_id', '=', user_id)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return found !== undefined
}

/**
 * Chooses who pays for the calls of one of the user's tokens, or of the one that they generated; says whether
 * there is such a token that works.
 */
export async function setPayer(
  db: Kysely<DB>,
  { user_id, id, payer, now }: Who & Pick<ListedToken, 'payer'> & { readonly id: string | 'generated' },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('extension_tokens')
    .set({ payer })
    .where('user_id', '=', user_id)
    .where((token) => (id === 'generated' ? token('scheme', 'is', null) : token('id', '=', id)))
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The row of a presented token, valid or not; undefined for an unknown one. */
export async function findToken(db: Database, access_token: string): Promise<StoredToken | undefined> {
  const statement = sql<StoredToken>`
    SELECT id, user_id, created_at, expires_at, last_used_at, revoked_at FROM extension_tokens
    WHERE token_hash = ${hashSecret(access_token)}`
  const { rows } = await prepared('presented_token', statement).execute(db)
  return rows[0]
}

/** The user's tokens that work, the last used first: at most `editorsMax` and the one that was generated. */
export async function listActiveTokens(db: Kysely<DB>, { user_id, now }: Who): Promise<ListedToken[]> {
  return selectTokens(db, user_id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy(({ fn }) => fn.coalesce('last_used_at', 'created_at'), 'desc')
    .execute()
}

/** A person's tokens: those that are not revoked, then the others, the newest first. */
export async function listTokens(
  db: Kysely<DB>,
  { user_id, limit }: { readonly user_id: string; readonly limit: number },
): Promise<ListedToken[]> {
  return selectTokens(db, user_id)
    .orderBy('revoked_at', (order) => order.desc().nullsFirst())
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

/** Tokens of several people, also ended ones, by their ids. */
export async function findEditors(
  db: ReadDatabase,
  tokens: readonly Pick<StoredToken, 'user_id' | 'id'>[],
): Promise<ReadonlyMap<string, ListedToken>> {
  if (tokens.length === 0) return new Map()
  const found = await db
    .selectFrom('extension_tokens')
    .select(listedColumns)
    .where('user_id', 'in', [...new Set(tokens.map(({ user_id }) => user_id))])
    .where('id', 'in', [...new Set(tokens.map(({ id }) => id))])
    .execute()
  return new Map(found.map((token) => [token.id, token]))
}

const selectTokens = (db: Kysely<DB>, user_id: string) =>
  db.selectFrom('extension_tokens').select(listedColumns).where('user_id', '=', user_id)

const listedColumns = [
  'id',
  'user_id',
  'created_at',
  'expires_at',
  'last_used_at',
  'revoked_at',
  'scheme',
  'editor_name',
  'payer',
] as const

export function isActive(token: StoredToken, now: Date): boolean {
  return token.revoked_at === null && token.expires_at > now && hasBegun(token, now)
}

/** Servers' clocks differ a little. A row of a later day was invented, so that it lasts for longer. */
export function hasBegun({ created_at }: Pick<StoredToken, 'created_at'>, now: Date): boolean {
  return created_at.getTime() <= now.getTime() + 60_000
}

export const useResolutionMs = 5 * 60_000

/** Uses are recorded every five minutes, so that a busy editor does not write a row per call. */
export function isUseToBeRecorded({ last_used_at }: Pick<StoredToken, 'last_used_at'>, now: Date): boolean {
  return last_used_at === null || last_used_at.getTime() <= now.getTime() - useResolutionMs
}

/**
 * Records that a token was used, unless its use was recorded within the last five minutes or its row is locked
 * by a concurrent recording or revocation: no call waits for a lock.
 */
export async function recordTokenUse(
  db: Database,
  { user_id, id }: Pick<StoredToken, 'user_id' | 'id'>,
  now: Date,
): Promise<void> {
  await sql`
    UPDATE extension_tokens SET last_used_at = ${now}
    WHERE user_id = ${user_id} AND id = (
      SELECT id FROM extension_tokens
      WHERE user_id = ${user_id} AND id = ${id}
        AND (last_used_at IS NULL OR last_used_at <= ${new Date(now.getTime() - useResolutionMs)})
      FOR NO KEY UPDATE SKIP LOCKED)`.execute(db)
}

/** Deletes a person's tokens; their sign-ins, which name them, are deleted before. Returns how many. */
export async function deleteTokensOf(trx: DatabaseTransaction, userId: string): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom('extension_tokens')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
