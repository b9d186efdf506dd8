import { sql } from 'kysely'
import type { ReadDatabase } from '../database/connect.ts'
import { kindOf } from '../ledger/accounts.ts'

const hitsMax = 20

/** The strongest last in the alphabet. */
type HeldBy = 'invitation' | 'plan' | 'seat'

/**
 * The user with this address, and organizations that gave or reserved a seat for it, or for which they bought
 * a plan, also those that are gone.
 */
export async function findHeldBy(
  db: ReadDatabase,
  email: string,
): Promise<{
  readonly users: string[]
  readonly organizations: { readonly organization_id: string; readonly via: HeldBy }[]
}> {
  const users = await db
    .selectFrom('users')
    .select('clerk_id')
    .where(sql`lower(email)`, '=', email)
    .limit(hitsMax)
    .execute()
  const { rows } = await sql<{ organization_id: string; via: HeldBy }>`
    SELECT organization_id, max(via) AS via FROM (
      SELECT s.owner_id AS organization_id, 'plan' AS via FROM subscriptions s
        WHERE s.user_id = ANY (${users.map(({ clerk_id }) => clerk_id)}) AND starts_with(s.owner_id, 'org_') UNION ALL
      SELECT organization_id, CASE status WHEN 'pending' THEN 'invitation' ELSE 'seat' END AS via FROM seats WHERE email = ${email}
      UNION ALL SELECT organization_id, 'invitation' FROM team_invitations WHERE email = ${email}) held
    GROUP BY organization_id ORDER BY organization_id LIMIT ${hitsMax}`.execute(db)
  return { users: users.map(({ clerk_id }) => clerk_id), organizations: rows }
}

export async function isKnownOwner(db: ReadDatabase, owner_id: string): Promise<boolean> {
  const isThere =
    kindOf(owner_id) === 'user'
      ? sql`EXISTS (SELECT 1 FROM users WHERE clerk_id = ${owner_id})
          OR EXISTS (SELECT 1 FROM checkout_intents WHERE user_id = ${owner_id})`
      : sql`EXISTS (SELECT 1 FROM checkout_intents WHERE owner_id = ${owner_id})
          OR EXISTS (SELECT 1 FROM seats WHERE organization_id = ${owner_id})
          OR EXISTS (SELECT 1 FROM organization_members WHERE organization_id = ${owner_id})`
  const { rows } = await sql<{ is_known: boolean }>`
    SELECT ${isThere} OR EXISTS (
      SELECT 1 FROM ledger_owners WHERE owner_id = ${owner_id}) AS is_known`.execute(db)
  return rows[0]?.is_known ?? false
}

/**
 * Transfers with this idempotency key, or of the grant with this id, the newest first. The keys of usages are
 * hashes, and are not searched for.
 */
export async function findTransferIds(
  db: ReadDatabase,
  key: string,
): Promise<{ readonly id: string; readonly owner_id: string }[]> {
  const { rows } = await sql<{ id: string; owner_id: string }>`
    SELECT transfer_id::text AS id, owner_id FROM ledger_keys
    WHERE idempotency_key = ${key} AND NOT starts_with(idempotency_key, 'usage/')
    UNION ALL
    (SELECT t.id::text, t.owner_id FROM ledger_grants g JOIN ledger_transfers t ON t.owner_id = g.owner_id AND t.grant_id = g.id
      WHERE g.id = ${key} ORDER BY t.id DESC LIMIT ${hitsMax})`.execute(db)
  return rows
}
