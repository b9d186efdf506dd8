import { type Kysely, sql } from 'kysely'
import type { DatabaseTransaction } from '../database/connect.ts'
import type { DB } from '../database/types.ts'
import type { MemberKey, OrganizationRole } from './memberships.ts'

/** What Clerk said of a membership, and the number that was drawn before it was asked. */
export interface MembershipLook extends MemberKey {
  readonly look_order: number
  /** Null: not a member. */
  readonly role: OrganizationRole | null
}

/** The number of a look; to be drawn before Clerk is asked, so that a later look has seen at least as much. */
export async function nextLookOrder(db: Kysely<DB>): Promise<number> {
  const { look_order } = await db
    .selectNoFrom(sql<number>`nextval('clerk_looks')`.as('look_order'))
    .executeTakeFirstOrThrow()
  return look_order
}

/**
 * Keeps what was seen unless somebody has looked later. Returns the role that holds after both, and keeps others from changing
 * it until the transaction ends.
 */
export async function recordLook(
  trx: DatabaseTransaction,
  look: MembershipLook,
): Promise<OrganizationRole | null> {
  const { role } = await trx
    .insertInto('organization_members')
    .values({
      organization_id: look.organization_id,
      user_id: look.user_id,
      role: look.role,
      look_order: look.look_order,
    })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'user_id']).doUpdateSet({
        role: sql`CASE WHEN excluded.look_order > organization_members.look_order
          THEN excluded.role ELSE organization_members.role END`,
        look_order: sql`greatest(excluded.look_order, organization_members.look_order)`,
        updated_at: sql`now()`,
      }),
    )
    .returning('role')
    .executeTakeFirstOrThrow()
  return role
}
