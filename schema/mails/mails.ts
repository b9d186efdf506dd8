import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import type { DB, Mails, Users } from '../database/types.ts'
import type { Claimable } from '../inbox/claim/claimable.ts'

export type News = Pick<Selectable<Mails>, 'kind' | 'owner_id' | 'occasion' | 'figures'>
export interface Mail extends Selectable<Mails>, Pick<Selectable<Users>, 'email' | 'first_name'> {
  /** Its recipient has an address, and may still hear of it and wants to. */
  readonly is_wanted: boolean
}

export const claimableMails = {
  table: 'mails',
  key: ['owner_id', 'id'],
  unfinished: sql<SqlBool>`state = 'due'`,
} as const satisfies Claimable

/** Writes down what is to be told by e-mail, once for each occasion of an owner. */
export async function tell(db: Kysely<DB>, { kind, owner_id, occasion, figures }: News): Promise<void> {
  const told = JSON.stringify(figures)
  await sql`SELECT mails_tell(${kind}, ${owner_id}, NULL, ${occasion}, ${told}::jsonb)`.execute(db)
}

/** The latest of all, or that with a key, with their recipients. */
export async function listMails(db: Kysely<DB>, key?: { owner_id: unknown; id: unknown }): Promise<Mail[]> {
  const isOne = key ? sql`m.owner_id = ${key.owner_id} AND m.id::text = ${key.id}` : sql`true`
  const { rows } = await sql<Mail>`
    SELECT m.*, u.email, u.first_name, u.email <> '' AND NOT u.is_banned AND m.owner_id <> ALL (u.no_mail_of)
      AND (m.owner_id = m.user_id OR EXISTS (SELECT FROM organization_members o WHERE o.organization_id = m.owner_id
        AND o.user_id = m.user_id AND (o.role = 'admin' OR m.figures ->> 'scope' LIKE 'member%'))) AS is_wanted
    FROM mails m JOIN users u ON u.clerk_id = m.user_id
    WHERE ${isOne} ORDER BY m.created_at DESC LIMIT 20`.execute(db)
  return rows
}

/** How many have been due for more than an hour, by the database's clock. */
export async function countLateMails(db: Kysely<DB>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM mails WHERE state = 'due' AND created_at < now() - interval '1 hour'`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** No other try is made. `failure`: why; null when it was sent. */
export async function finishMail(
  db: Kysely<DB>,
  { owner_id, id }: Mail,
  failure: string | null,
): Promise<void> {
  const state = failure === null ? 'sent' : 'failed'
  const mails = db.updateTable('mails').set({ state, failure })
  await mails.where('owner_id', '=', owner_id).where('id', '=', id).execute()
}

/** Deletes what was told a person, or what is older than 90 days by the database's clock. Returns how many. */
export async function deleteMails(db: Kysely<DB>, of: { readonly user_id: string } | 'old'): Promise<number> {
  const isOne = of === 'old' ? sql`created_at < now() - interval '90 days'` : sql`user_id = ${of.user_id}`
  const { numAffectedRows } = await sql`DELETE FROM mails WHERE ${isOne}`.execute(db)
  return Number(numAffectedRows)
}
