import type { Selectable } from 'kysely'
import type { Database, DatabaseTransaction } from '../database/connect.ts'
import type { ExtensionSignIns } from '../database/types.ts'
import { createCode, hashSecret } from './secrets.ts'

export type SignIn = Selectable<ExtensionSignIns>

/** How long a sign-in may take, from its start to the exchange of its code. */
export const signInLifetimeMs = 10 * 60_000

/** Rows are kept for a day after that, so that a code that comes back late still ends the token it gave. */
const retentionMs = 24 * 3600_000

/** Why a sign-in could not continue. */
export type SignInRefusal = 'unknown' | 'expired' | 'used'

/**
 * Stores a sign-in that an extension began. False when the state has been used before: nobody may take over a sign-in by
 * naming its state, so nothing is changed then.
 */
export async function startSignIn(
  db: Database,
  signIn: { state: string; redirect_uri: string; code_challenge: string; now: Date },
): Promise<boolean> {
  await removeOldSignIns(db, signIn.now)
  return insertSignIn(db, { ...signIn, user_id: null })
}

/**
 * Binds the user and a new code to a sign-in with a challenge. It stays with the first user; the same one may come again (a page
 * that was reloaded) and gets a new code in place of the last. Returns the code and the address that it is sent to, which was
 * fixed at the start.
 */
export async function bindSignIn(
  db: Database,
  { state, user_id, now }: { state: string; user_id: string; now: Date },
): Promise<{ code: string; redirect_uri: string } | SignInRefusal> {
  const code = createCode()
  const bound = await db
    .updateTable('extension_sign_ins')
    .set({ user_id, code_hash: hashSecret(code) })
    .where('state_hash', '=', hashSecret(state))
    .where('code_challenge', 'is not', null)
    .where('exchanged_at', 'is', null)
    .where('expires_at', '>', now)
    .where(({ eb, or }) => or([eb('user_id', 'is', null), eb('user_id', '=', user_id)]))
    .returning('redirect_uri')
    .executeTakeFirst()
  if (bound) return { code, redirect_uri: bound.redirect_uri }
  const signIn = await findSignIn(db, state)
  const isTheirs = signIn?.code_challenge != null && (signIn.user_id === null || signIn.user_id === user_id)
  if (!isTheirs) return 'unknown'
  return signIn.exchanged_at ? 'used' : 'expired'
}

/**
 * A sign-in of the alternative page: no challenge, no code, the user and the address are there from the beginning. A state
 * that was seen before is refused, unless it is the same sign-in once more and nobody exchanged it.
 */
export async function completeSignIn(
  db: Database,
  signIn: { state: string; redirect_uri: string; user_id: string; now: Date },
): Promise<'completed' | SignInRefusal> {
  await removeOldSignIns(db, signIn.now)
  if (await insertSignIn(db, { ...signIn, code_challenge: null })) return 'completed'
  const earlier = await findSignIn(db, signIn.state)
  const isSame =
    earlier?.code_challenge === null &&
    earlier.user_id === signIn.user_id &&
    earlier.redirect_uri === signIn.redirect_uri
  if (!isSame || earlier.exchanged_at) return 'used'
  return earlier.expires_at > signIn.now ? 'completed' : 'expired'
}

/** Ends every sign-in of a person that was begun; one that is being exchanged is waited for. */
export async function deleteSignInsOf(trx: DatabaseTransaction, userId: string): Promise<void> {
  await trx.deleteFrom('extension_sign_ins').where('user_id', '=', userId).execute()
}

/** Records which token a sign-in was exchanged for. The caller has locked it. */
export async function recordExchange(
  trx: DatabaseTransaction,
  exchange: { state_hash: Buffer; token_id: string; now: Date },
): Promise<void> {
  await trx
    .updateTable('extension_sign_ins')
    .set({ exchanged_at: exchange.now, token_id: exchange.token_id })
    .where('state_hash', '=', exchange.state_hash)
    .execute()
}

async function insertSignIn(
  db: Database,
  signIn: {
    state: string
    redirect_uri: string
    code_challenge: string | null
    user_id: string | null
    now: Date
  },
): Promise<boolean> {
  const inserted = await db
    .insertInto('extension_sign_ins')
    .values({
      state_hash: hashSecret(signIn.state),
      redirect_uri: signIn.redirect_uri,
      code_challenge: signIn.code_challenge,
      user_id: signIn.user_id,
      created_at: signIn.now,
      expires_at: new Date(signIn.now.getTime() + signInLifetimeMs),
    })
    .onConflict((conflict) => conflict.column('state_hash').doNothing())
    .returning('state_hash')
    .executeTakeFirst()
  return inserted !== undefined
}

function findSignIn(db: Database, state: string): Promise<SignIn | undefined> {
  return db
    .selectFrom('extension_sign_ins')
    .selectAll()
    .where('state_hash', '=', hashSecret(state))
    .executeTakeFirst()
}

/**
 * Deletes up to `limit` sign-ins that have been over for a day. The worker takes no locks here: it may delete rows, not change them.
 * Returns how many it deleted.
 */
export async function deleteOldSignIns(
  db: Database,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('extension_sign_ins')
    .where('state_hash', 'in', (eb) =>
      eb
        .selectFrom('extension_sign_ins')
        .select('state_hash')
        .where('expires_at', '<', new Date(now.getTime() - retentionMs))
        .orderBy('expires_at')
        .limit(limit),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Anybody may start a sign-in, so each start deletes a few old ones; otherwise the table would only ever grow. */
async function removeOldSignIns(db: Database, now: Date): Promise<void> {
  await db
    .deleteFrom('extension_sign_ins')
    .where('state_hash', 'in', (eb) =>
      eb
        .selectFrom('extension_sign_ins')
        .select('state_hash')
        .where('expires_at', '<', new Date(now.getTime() - retentionMs))
        .orderBy('expires_at')
        .limit(20)
        .forUpdate()
        .skipLocked(),
    )
    .execute()
}
