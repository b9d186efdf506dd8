import type { Kysely, Selectable } from 'kysely'
import type { Database, DatabaseTransaction } from '../database/connect.ts'
import type { DB, ExtensionSignIns } from '../database/types.ts'
import { createCode, hashSecret } from './secrets.ts'
import { type SignInRequest, signInLifetimeMs } from './sign-in-request.ts'

export type SignIn = Selectable<ExtensionSignIns>

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

/**
 * Stores a sign-in to which its user has agreed, with a new code. The state belongs to the first user who
 * agrees; the same one may come again (a page that was reloaded) and gets a new code in place of the last.
 */
export async function bindSignIn(
  db: Database,
  request: SignInRequest &
    SignedInUser & {
      readonly editor_name: string | null
      readonly payer: string
      readonly expires_at: Date
      readonly now: Date
    },
): Promise<{ code: string } | SignInRefusal> {
  const { state, redirect_uri, code_challenge, user_id, session_id, expires_at, now } = request
  const { editor_name, payer } = request
  const code = createCode()
  if (expires_at > now) {
    const bound = await db
      .insertInto('extension_sign_ins')
      .values({
        state_hash: hashSecret(state),
        redirect_uri,
        code_challenge,
        user_id,
        code_hash: hashSecret(code),
        clerk_session_id: session_id,
        editor_name,
        payer,
        created_at: now,
        expires_at,
      })
      .onConflict((conflict) =>
        conflict
          .column('state_hash')
          .doUpdateSet({ code_hash: hashSecret(code), clerk_session_id: session_id, editor_name, payer })
          .where('extension_sign_ins.user_id', '=', user_id)
          .where('extension_sign_ins.code_challenge', '=', code_challenge)
          .where('extension_sign_ins.redirect_uri', '=', redirect_uri)
          .where('extension_sign_ins.exchanged_at', 'is', null),
      )
      .returning('state_hash')
      .executeTakeFirst()
    if (bound) return { code }
  }
  const known = await findSignIn(db, state)
  if (!known) return 'expired'
  return known.exchanged_at || !isSame(known, request) ? 'used' : 'expired'
}

/** Whether a stored sign-in is the one that a page shows to its user. */
function isSame(
  known: SignIn,
  shown: { readonly user_id: string; readonly redirect_uri: string; readonly code_challenge: string | null },
): boolean {
  return (
    known.user_id === shown.user_id &&
    known.redirect_uri === shown.redirect_uri &&
    known.code_challenge === shown.code_challenge
  )
}

/**
 * Stores a sign-in of the alternative page, which has no challenge and no code, and whose user and address
 * are there from the beginning. It gives nothing until it is confirmed: returns what the page has to present
 * for that, once and in time, when its user has agreed. The same sign-in may be prepared again (a page that
 * was reloaded), which replaces the confirmation before; any other is refused.
 */
export async function prepareSignIn(
  db: Database,
  signIn: SignedInUser & { state: string; redirect_uri: string; editor_name: string | null; now: Date },
): Promise<{ confirmation: string } | SignInRefusal> {
  const { state, redirect_uri, user_id, session_id, editor_name, now } = signIn
  await db
    .insertInto('extension_sign_ins')
    .values({
      state_hash: hashSecret(state),
      redirect_uri,
      code_challenge: null,
      user_id,
      created_at: now,
      expires_at: new Date(now.getTime() + signInLifetimeMs),
    })
    .onConflict((conflict) => conflict.column('state_hash').doNothing())
    .execute()
  const confirmation = createCode()
  const prepared = await db
    .updateTable('extension_sign_ins')
    .set({
      confirmation_hash: hashSecret(confirmation),
      confirmation_expires_at: new Date(now.getTime() + confirmationLifetimeMs),
      clerk_session_id: session_id,
      editor_name,
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
 * another. The code is the user's id, as in the specification, and a random proof: the sender of the link
 * knows the state and may know the id, and never sees what goes to the editor of the person who clicks.
 */
export async function confirmSignIn(
  db: Database,
  signIn: {
    readonly state: string
    readonly redirect_uri: string
    readonly user_id: string
    readonly confirmation: string
    readonly payer: string
    readonly now: Date
  },
): Promise<{ code: string } | 'unconfirmed' | SignInRefusal> {
  const { state, redirect_uri, user_id, confirmation, payer, now } = signIn
  const code = `${user_id}.${createCode()}`
  const confirmed = await db
    .updateTable('extension_sign_ins')
    .set({ code_hash: hashSecret(code), payer, confirmation_hash: null, confirmation_expires_at: null })
    .where('state_hash', '=', hashSecret(state))
    .where('confirmation_hash', '=', hashSecret(confirmation))
    .where('confirmation_expires_at', '>', now)
    .where('user_id', '=', user_id)
    .where('redirect_uri', '=', redirect_uri)
    .where('exchanged_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('state_hash')
    .executeTakeFirst()
  return confirmed ? { code } : ((await whyNotTheirs(db, signIn)) ?? 'unconfirmed')
}

/** Why a sign-in of the alternative page cannot go on for a user; null when it can. */
async function whyNotTheirs(
  db: Database,
  signIn: { state: string; redirect_uri: string; user_id: string; now: Date },
): Promise<SignInRefusal | null> {
  const known = await findSignIn(db, signIn.state)
  if (!known) return 'unknown'
  if (!isSame(known, { ...signIn, code_challenge: null }) || known.exchanged_at) return 'used'
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

export function findSignIn(db: Kysely<DB>, state: string): Promise<SignIn | undefined> {
  return db
    .selectFrom('extension_sign_ins')
    .selectAll()
    .where('state_hash', '=', hashSecret(state))
    .executeTakeFirst()
}

/** Deletes sign-ins that ended a day ago, and returns how many. */
export async function deleteOldSignIns(db: Database, now: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('extension_sign_ins')
    .where('expires_at', '<', new Date(now.getTime() - retentionMs))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
