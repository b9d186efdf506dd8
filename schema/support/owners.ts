import { sql } from 'kysely'
import type { ReadDatabase } from '../database/connect.ts'
import { isOwnerId } from '../ledger/accounts.ts'

/** The owners of objects named by events: customers, charges, checkouts, or ids of Clerk's. */
export async function findOwners(db: ReadDatabase, names: readonly string[]): Promise<Map<string, string>> {
  const owners = new Map<string, string>()
  const asked = new Set<string>()
  for (const name of names) {
    if (isOwnerId(name)) owners.set(name, name)
    else asked.add(name)
  }
  if (asked.size === 0) return owners
  const { rows } = await sql<{ owner_id: string; name: string }>`
    SELECT named.name, found.owner_id FROM unnest(${[...asked]}::text[]) AS named(name)
    CROSS JOIN LATERAL (
      SELECT owner_id FROM stripe_customers WHERE customer_id = named.name
      UNION ALL
      (SELECT coalesce(i.owner_id, i.user_id) FROM checkout_intents i
        WHERE i.id = CASE WHEN named.name ~ ${uuidPattern} THEN named.name::uuid END)
      UNION ALL
      SELECT owner_id FROM charges WHERE stripe_charge_id = named.name
      UNION ALL
      -- A customer that was replaced, or whose checkout is not settled: one of its sessions names the checkout.
      (SELECT coalesce(i.owner_id, i.user_id) FROM inbox_events e
        JOIN checkout_intents i
          ON i.id = CASE WHEN e.client_reference_id ~ ${uuidPattern} THEN e.client_reference_id::uuid END
        WHERE e.subject = named.name LIMIT 1)
      LIMIT 1) found`.execute(db)
  // A purchase for an organization that does not exist yet is listed under its buyer.
  for (const { name, owner_id } of rows) owners.set(name, owner_id)
  return owners
}

/** The owner to whom the first of the names leads that leads to one. */
export async function findFirstOwner(db: ReadDatabase, names: readonly string[]): Promise<string | null> {
  const owners = await findOwners(db, names)
  return names.map((name) => owners.get(name)).find((owner_id) => owner_id !== undefined) ?? null
}

const uuidPattern = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
