import { type Kysely, sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { DB } from '../../database/types.ts'
import type { MemberKey, OrganizationRole } from '../../vendors/clerk/memberships.ts'

/** A membership as Clerk had it, and the snapshot's number. */
export interface MembershipSnapshot extends MemberKey {
  readonly snapshot_order: number
  /** Null: not a member. */
  readonly role: OrganizationRole | null
}

/** Stores a snapshot unless a newer one exists. Returns the resulting role, locked until the commit. */
export async function recordMembership(
  trx: DatabaseTransaction,
  snapshot: MembershipSnapshot,
): Promise<OrganizationRole | null> {
  const { role } = await trx
    .insertInto('organization_members')
    .values({
      organization_id: snapshot.organization_id,
      user_id: snapshot.user_id,
      role: snapshot.role,
      snapshot_order: snapshot.snapshot_order,
    })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'user_id']).doUpdateSet({
        role: sql`CASE WHEN excluded.snapshot_order > organization_members.snapshot_order
          THEN excluded.role ELSE organization_members.role END`,
        snapshot_order: sql`greatest(excluded.snapshot_order, organization_members.snapshot_order)`,
      }),
    )
    .returning('role')
    .executeTakeFirstOrThrow()
  return role
}

/** Whether we have heard of members of the organization, and none of them is an admin. */
export async function lacksAdmin(db: Kysely<DB>, organizationId: string): Promise<boolean> {
  const { members, admins } = await db
    .selectFrom('organization_members')
    .select(({ fn }) => [
      fn.countAll().as('members'),
      fn.countAll().filterWhere('role', '=', 'admin').as('admins'),
    ])
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return Number(members) > 0 && Number(admins) === 0
}

export async function listAdmins(db: Kysely<DB>, organizationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('organization_members')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'admin')
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** Whether we have heard of a person that they are a member of the organization no more. */
export async function hasLeft(db: Kysely<DB>, { organization_id, user_id }: MemberKey): Promise<boolean> {
  const row = await db
    .selectFrom('organization_members')
    .select('role')
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  return row?.role === null
}

/** Records that an organization has no members; snapshots newer than its deletion keep their order. */
export async function endMembershipsOf(
  trx: DatabaseTransaction,
  { organization_id, snapshot_order }: { organization_id: string; snapshot_order: number },
): Promise<void> {
  await trx
    .updateTable('organization_members')
    .set({ role: null, snapshot_order: sql`greatest(snapshot_order, ${snapshot_order})` })
    .where('organization_id', '=', organization_id)
    .execute()
}

/** The organizations in which a user is a member or has a seat, in the global lock order. */
export async function listOrganizationsOf(trx: DatabaseTransaction, userId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('organization_members')
    .select('organization_id')
    .where('user_id', '=', userId)
    .union(
      trx
        .selectFrom('seats')
        .select('organization_id')
        .where('user_id', '=', userId)
        .where('status', '=', 'active'),
    )
    .orderBy('organization_id')
    .execute()
  return rows.map((row) => row.organization_id)
}
