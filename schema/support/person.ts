import { type Kysely, sql } from 'kysely'
import { unfinishedStates } from '../billing/checkout/intents.ts'
import type { DB } from '../database/types.ts'
import type { PersonInInbox } from '../inbox/payloads.ts'
import { pseudonymOf } from '../people/users/forget-user.ts'
import { liveStatuses } from '../vendors/stripe/statuses.ts'

/** The names under which our tables have a person. */
export interface PersonTraces extends PersonInInbox {
  /** Every address that we know of them, in lower case. */
  readonly emails: readonly string[]
  /** Where they are or were a member. */
  readonly organizations: readonly string[]
  /** Their Stripe customers, without those of organizations. */
  readonly customers: readonly string[]
  /** What an act of support on it is about the person: themselves, their purchases, invitations to them. */
  readonly objects: readonly string[]
}

/** `addresses` are Clerk's; those of our own rows are added. */
export async function findTracesOf(
  db: Kysely<DB>,
  { user_id, addresses }: { readonly user_id: string; readonly addresses: readonly string[] },
): Promise<PersonTraces> {
  const { rows } = await sql<{
    what: 'own' | 'customer' | 'organization' | 'shared' | 'email' | 'name' | 'invitation' | 'object'
    name: string
  }>`
    WITH intents AS (SELECT * FROM checkout_intents WHERE user_id = ${user_id}),
    customers AS (
      SELECT customer_id AS name FROM stripe_customers WHERE owner_id = ${user_id}
      UNION SELECT stripe_customer_id FROM intents WHERE starts_with(owner_id, 'user_') AND stripe_customer_id IS NOT NULL),
    organizations AS (
      SELECT organization_id AS name FROM organization_members WHERE user_id = ${user_id}
      UNION SELECT organization_id FROM seats WHERE user_id = ${user_id} AND status = 'active'
      UNION SELECT owner_id FROM intents WHERE starts_with(owner_id, 'org_')),
    emails AS (
      SELECT unnest(${addresses}::text[]) AS name
      UNION SELECT lower(email) FROM users WHERE clerk_id = ${user_id}
      UNION SELECT s.email FROM seats s JOIN organizations o ON o.name = s.organization_id WHERE s.user_id = ${user_id}),
    invitations AS (SELECT v.* FROM team_invitations v JOIN emails e ON e.name = v.email)
    SELECT 'customer' AS what, name FROM customers
    UNION SELECT 'organization', name FROM organizations
    UNION SELECT 'own', id::text FROM intents WHERE starts_with(owner_id, 'user_')
    UNION SELECT 'own', stripe_charge_id FROM charges WHERE owner_id = ${user_id}
    UNION SELECT 'shared', coalesce(i.stripe_customer_id, i.id::text) FROM intents i WHERE starts_with(i.owner_id, 'org_') IS NOT FALSE
    UNION SELECT 'shared', c.customer_id FROM stripe_customers c
      JOIN organizations o ON o.name = c.owner_id
    UNION SELECT 'shared', organization_id FROM invitations
    UNION SELECT 'invitation', lower(clerk_invitation_id) FROM invitations WHERE clerk_invitation_id IS NOT NULL
    UNION SELECT 'object', id::text FROM invitations
    UNION SELECT 'name', lower(first_name || ' ' || last_name) FROM users
      WHERE clerk_id = ${user_id} AND first_name <> '' AND last_name <> ''
    UNION SELECT 'email', name FROM emails WHERE name <> '' AND name <> ${pseudonymOf(user_id)}
    ORDER BY what, name`.execute(db)
  const of = (what: (typeof rows)[number]['what']) =>
    rows.flatMap((row) => (row.what === what ? row.name : []))
  const [customers, organizations, emails] = [of('customer'), of('organization'), of('email')]
  return {
    emails,
    organizations,
    customers,
    own: [user_id, ...customers, ...of('own')],
    shared: [...organizations, ...of('shared')],
    objects: [user_id, ...of('own'), ...of('object')],
    // News of an invitation that comes after its address was replaced still has the address.
    names: [user_id.toLowerCase(), ...emails, ...of('name'), ...of('invitation')],
  }
}

/** The person's open checkouts that may still be paid, for any recipient. */
export async function listCheckoutsUnderWay(
  db: Kysely<DB>,
  { user_id, limit }: { readonly user_id: string; readonly limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('checkout_intents')
    .select('id')
    .where('user_id', '=', user_id)
    .where('state', 'in', unfinishedStates)
    .orderBy('created_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Organizations with a plan and no other admin: no other person could cancel it. */
export async function listOrganizationsWithoutOtherAdmin(db: Kysely<DB>, userId: string): Promise<string[]> {
  const { rows } = await sql<{ organization_id: string }>`
    SELECT m.organization_id FROM organization_members m
    WHERE m.user_id = ${userId} AND m.role = 'admin'
      AND EXISTS (SELECT 1 FROM subscriptions s WHERE s.owner_id = m.organization_id AND s.status = ANY (${liveStatuses}))
      AND NOT EXISTS (SELECT 1 FROM organization_members other WHERE other.organization_id = m.organization_id
        AND other.user_id <> m.user_id AND other.role = 'admin')
    ORDER BY m.organization_id`.execute(db)
  return rows.map(({ organization_id }) => organization_id)
}
