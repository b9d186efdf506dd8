import { type Kysely, type Selectable, sql } from 'kysely'
import type { DatabaseTransaction, ReadDatabase } from '../../database/connect.ts'
import type { DB, Users } from '../../database/types.ts'

export type UserRecord = Selectable<Users>

/** What Clerk knows about a person. Clerk is the source; our row is a copy for joins and e-mails. */
export interface UserProfile {
  readonly clerk_id: string
  readonly email: string
  readonly first_name: string | null
  readonly last_name: string | null
  /** When Clerk last changed any of this. */
  readonly profile_updated_at: Date
}

export async function findUser(db: Kysely<DB>, clerkId: string): Promise<UserRecord | undefined> {
  return db.selectFrom('users').selectAll().where('clerk_id', '=', clerkId).executeTakeFirst()
}

/**
 * Makes sure that the person has an account, on the starter plan when it is new, and that name and e-mail are
 * Clerk's. Two tabs at once create one account. `created` is true for the call that created it.
 */
export async function ensureUser(
  db: Kysely<DB>,
  profile: UserProfile,
): Promise<{ user: UserRecord; created: boolean }> {
  const inserted = await db
    .insertInto('users')
    .values(profile)
    .onConflict((conflict) => conflict.column('clerk_id').doNothing())
    .returningAll()
    .executeTakeFirst()
  if (inserted) return { user: inserted, created: true }
  await updateProfile(db, profile)
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('clerk_id', '=', profile.clerk_id)
    .executeTakeFirstOrThrow()
  return { user, created: false }
}

/**
 * Copies e-mail and name unless ours are newer; says whether there is such an account. Who was forgotten
 * stays so.
 */
export async function updateProfile(db: Kysely<DB>, profile: UserProfile): Promise<boolean> {
  const updated = await db
    .updateTable('users')
    .set((eb) => {
      const isNewer = eb('profile_updated_at', '<', profile.profile_updated_at)
      return {
        email: eb.case().when(isNewer).then(profile.email).else(eb.ref('email')).end(),
        first_name: eb.case().when(isNewer).then(profile.first_name).else(eb.ref('first_name')).end(),
        last_name: eb.case().when(isNewer).then(profile.last_name).else(eb.ref('last_name')).end(),
        profile_updated_at: eb.fn<Date>('greatest', [
          'profile_updated_at',
          eb.val(profile.profile_updated_at),
        ]),
      }
    })
    .where('clerk_id', '=', profile.clerk_id)
    .where('forgotten_at', 'is', null)
    .returning('clerk_id')
    .executeTakeFirst()
  return updated !== undefined
}

/** Records whether a person is banned, unless a newer profile is known. */
export async function recordBan(
  trx: DatabaseTransaction,
  { clerk_id, profile_updated_at }: UserProfile,
  is_banned: boolean,
): Promise<void> {
  await trx
    .updateTable('users')
    .set({ is_banned })
    .where('clerk_id', '=', clerk_id)
    .where('profile_updated_at', '<=', profile_updated_at)
    .where('is_banned', '<>', is_banned)
    .execute()
}

/**
 * What people are called by, by their ids: a name, or the e-mail address of a person without a name. Those
 * without an account, and those who were forgotten, are left out.
 */
export async function listNames(
  db: ReadDatabase,
  clerkIds: readonly string[],
): Promise<Map<string, { readonly name: string | null; readonly email: string }>> {
  if (clerkIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('users')
    .select(['clerk_id', 'email', 'first_name', 'last_name'])
    .where('clerk_id', 'in', [...new Set(clerkIds)])
    .where('forgotten_at', 'is', null)
    .execute()
  return new Map(
    rows.map(({ clerk_id, email, first_name, last_name }) => {
      const name = [first_name, last_name].filter((part) => part).join(' ')
      return [clerk_id, { name: name || null, email }] as const
    }),
  )
}

/** Whether a person gets mails about an owner: themselves, or their organization. */
export async function switchMails(
  db: Kysely<DB>,
  { user_id, owner_id, on }: { readonly user_id: string; readonly owner_id: string; readonly on: boolean },
): Promise<void> {
  const added = on ? [] : [owner_id]
  await sql`UPDATE users SET no_mail_of = array_remove(no_mail_of, ${owner_id}) || ${added}::text[]
    WHERE clerk_id = ${user_id}`.execute(db)
}
