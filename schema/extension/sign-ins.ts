import { type Selectable, sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../database/connect.ts'
import type { ExtensionSignIns } from '../database/types.ts'
import { createCode, hashSecret } from './secrets.ts'

export type SignIn = Selectable<ExtensionSignIns>

/** How long a sign-in may take, from its start to the exchange of its code. */
export const signInLifetimeMs = 10 * 60_000

/** Rows are kept for a day after that, so that a code that comes back late still ends the token it gave. */
const retentionMs = 24 * 3600_000

/** The user who approves a sign-in, and their session at Clerk. */
interface SignedInUser {
  user_id: string
  session_id: string | null
}

export type SignInRefusal = 'unknown' | 'expired' | 'used'

/** How long the alternative page may wait for a click. */
export const confirmationLifetimeMs = 5 * 60_000

/** Maximum rows without a signed-in user: open ones per network, and all in total. */
const anonymousRows = { network: 100, all: 20_000 } as const

/**
 * Stores a sign-in that an extension began. `used`: the state is taken; nothing is changed, so that a sign-in
 * cannot be taken over by naming its state. `full`: too many are open. A few concurrent calls may exceed the
 * limit.
 */
export async function startSignIn(
  db: Database,
  signIn: { state: string; redirect_uri: string; code_challenge: string; client_network: string; now: Date },
): Promise<'started' | 'used' | 'full'> {
  await removeOldSignIns(db, signIn.now)
  if (!(await hasRoom(db, signIn))) return 'full'
  return (await insertSignIn(db, { ...signIn, user_id: null })) ? 'started' : 'used'
}

/** When all places are taken, ended sign-ins are deleted before their day has passed. */
async function hasRoom(db: Database, caller: { client_network: string; now: Date }): Promise<boolean> {
  const taken = await countAnonymous(db, caller)
  if (taken.network >= anonymousRows.network) return false
  if (taken.all < anonymousRows.all) return true
  const { numDeletedRows } = await db
    .deleteFrom('extension_sign_ins')
    .where('user_id', 'is', null)
    .where('expires_at', '<=', caller.now)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Counts no further than the bounds, in one index. */
async function countAnonymous(
  db: Database,
  { client_network, now }: { client_network: string; now: Date },
): Promise<{ network: number; all: number }> {
  const { rows } = await sql<{ network: number; all: number }>`
    SELECT
      (SELECT count(*) FROM (SELECT FROM extension_sign_ins WHERE user_id IS NULL AND client_network = ${client_network}
        AND expires_at > ${now} LIMIT ${sql.lit(anonymousRows.network)}) one)::integer AS network,
      (SELECT count(*) FROM (SELECT FROM extension_sign_ins WHERE user_id IS NULL
        LIMIT ${sql.lit(anonymousRows.all)}) every_one)::integer AS all`.execute(db)
  return rows[0] ?? { network: 0, all: 0 }
}

/**
 * Binds the user and a new code to a sign-in with a challenge. It stays with the first user; the same one may
 * come again (a page that was reloaded) and gets a new code in place of the last. Returns the code and the
 * address that it is sent to, which was fixed at the start.
 */
export async function bindSignIn(
  db: Database,
  { state, user_id, session_id, now }: SignedInUser & { state: string; now: Date },
): Promise<{ code: string; redirect_uri: string } | SignInRefusal> {
  const code = createCode()
  const bound = await db
    .updateTable('extension_sign_ins')
    .set({ user_id, code_hash: hashSecret(code), clerk_session_id: session_id })
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
 * Stores a sign-in of the alternative page, which has no challenge and no code, and whose user and address
 * are there from the beginning. It gives nothing until it is confirmed: returns what the page has to present
 * for that, once and in time, when its user has agreed. The same sign-in may be prepared again (a page that
 * was reloaded), which replaces the confirmation before; any other is refused.
 */
export async function prepareSignIn(
  db: Database,
  signIn: SignedInUser & { state: string; redirect_uri: string; now: Date },
): Promise<{ confirmation: string } | SignInRefusal> {
  await removeOldSignIns(db, signIn.now)
  const { state, redirect_uri, user_id, session_id, now } = signIn
  await insertSignIn(db, { state, redirect_uri, user_id, code_challenge: null, client_network: null, now })
  const confirmation = createCode()
  const prepared = await db
    .updateTable('extension_sign_ins')
    .set({
      confirmation_hash: hashSecret(confirmation),
      confirmation_expires_at: new Date(now.getTime() + confirmationLifetimeMs),
      clerk_session_id: session_id,
    })
    .where('state_hash', '=', hashSecret(state))
    .where('code_challenge', 'is', null)
    .where('user_id', '=', user_id)
    .where('redirect_uri', '=', redirect_uri)
    .where('exchanged_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('state_hash')
    .executeTakeFirst()
  return prepared ? { confirmation } : ((await whyNotTheirs(db, signIn)) ?? 'unknown')
}

/**
 * Confirms a sign-in of the alternative page. The confirmation belongs to one state, address and user, and
 * works once. `unconfirmed`: it is not the one that this page was given, or too old; the page may ask for
 * another.
 */
export async function confirmSignIn(
  db: Database,
  signIn: { state: string; redirect_uri: string; user_id: string; confirmation: string; now: Date },
): Promise<'completed' | 'unconfirmed' | SignInRefusal> {
  const { state, redirect_uri, user_id, confirmation, now } = signIn
  const confirmed = await db
    .updateTable('extension_sign_ins')
    .set({ confirmed_at: now, confirmation_hash: null, confirmation_expires_at: null })
    .where('state_hash', '=', hashSecret(state))
    .where('confirmation_hash', '=', hashSecret(confirmation))
    .where('confirmation_expires_at', '>', now)
    .where('user_id', '=', user_id)
    .where('redirect_uri', '=', redirect_uri)
    .where('exchanged_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('state_hash')
    .executeTakeFirst()
  return confirmed ? 'completed' : ((await whyNotTheirs(db, signIn)) ?? 'unconfirmed')
}

/** Why a sign-in of the alternative page cannot go on for a user; null when it can. */
async function whyNotTheirs(
  db: Database,
  signIn: { state: string; redirect_uri: string; user_id: string; now: Date },
): Promise<SignInRefusal | null> {
  const known = await findSignIn(db, signIn.state)
  if (!known) return 'unknown'
  const isSame =
    known.code_challenge === null &&
    known.user_id === signIn.user_id &&
    known.redirect_uri === signIn.redirect_uri
  if (!isSame || known.exchanged_at) return 'used'
  return known.expires_at > signIn.now ? null : 'expired'
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
    client_network: string | null
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
      client_network: signIn.client_network,
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

/** Deletes up to `limit` sign-ins that ended a day ago, and returns how many. Takes no locks. */
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

/** Starting a sign-in needs no session, so each start also deletes a few old rows. */
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
