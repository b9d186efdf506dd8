import { type Kysely, sql } from 'kysely'
import type { ReadDatabase } from '../database/connect.ts'
import type { DB } from '../database/types.ts'
import { kindOf, type OwnerKind } from '../ledger/accounts.ts'

/** A member of an organization, or an organization of a member's. */
export interface Relation {
  readonly kind: OwnerKind
  readonly id: string
  readonly email: string | null
  readonly role: 'admin' | 'member' | null
  readonly has_seat: boolean
  /** The credits of an organization's pool; null for a member. */
  readonly pool: number | null
}

const relationsMax = 100

const poolBalance = sql`
  coalesce((SELECT o.plan_balance + o.purchased_balance - o.held FROM ledger_owners o
    WHERE o.owner_id = m.organization_id), 0)`

/** A person's organizations or an organization's members, by Clerk's events. */
export async function listRelations(db: Kysely<DB>, owner_id: string): Promise<Relation[]> {
  const isOrganization = kindOf(owner_id) === 'organization'
  const { rows } = await sql<Relation>`
    SELECT ${sql.lit(isOrganization ? 'user' : 'organization')} AS kind,
      ${sql.ref(isOrganization ? 'm.user_id' : 'm.organization_id')} AS id,
      ${isOrganization ? sql`u.email` : sql`NULL`} AS email, m.role,
      EXISTS (SELECT 1 FROM seats s WHERE s.organization_id = m.organization_id AND s.user_id = m.user_id
        AND s.status = 'active') AS has_seat,
      ${isOrganization ? sql`NULL` : poolBalance} AS pool
    FROM organization_members m LEFT JOIN users u ON u.clerk_id = m.user_id
    WHERE ${sql.ref(isOrganization ? 'm.organization_id' : 'm.user_id')} = ${owner_id} AND m.role IS NOT NULL
    ORDER BY m.role, id LIMIT ${relationsMax}`.execute(db)
  return rows
}

/** Stripe's customers of an owner, the present one first. */
export async function listCustomers(
  db: Kysely<DB>,
  owner_id: string,
): Promise<{ customer_id: string; livemode: boolean }[]> {
  return db
    .selectFrom('stripe_customers')
    .select(['customer_id', 'livemode'])
    .where('owner_id', '=', owner_id)
    .orderBy(sql`livemode = stripe_livemode()`, 'desc')
    .execute()
}

/** Our copies of people's addresses, for lists. */
export async function findEmails(db: ReadDatabase, userIds: readonly string[]): Promise<Map<string, string>> {
  if (userIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('users')
    .select(['clerk_id', 'email'])
    .where('clerk_id', 'in', [...new Set(userIds)])
    .execute()
  return new Map(rows.map(({ clerk_id, email }) => [clerk_id, email]))
}
