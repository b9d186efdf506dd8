import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { FaultyProduct } from './faulty-product.ts'
import { type Life, monthBegunAt } from './model.ts'
import type { Owner } from './owner.ts'

export function payerOf({ kind, person, organization_id }: Owner): string | null {
  if (organization_id) return organization_id
  return kind === 'team' ? null : person.user_id
}

export interface Posted {
  readonly occurred_at: Date
  readonly plan: number
  readonly purchased: number
  /** The latest that the product knew. */
  readonly month_starts_at: Date | null
}

export function monthOf(life: Life, { month_starts_at }: Posted, now: number): { month: string | null } {
  const month = month_starts_at && monthBegunAt(life, month_starts_at.getTime() / 1000, now)
  return { month: month?.name ?? null }
}

/** The key under which the ledger has a report. */
export function usageKeyOf({ person }: Owner, reportersKey: string): string {
  return `usage/${createHash('sha256').update(`${person.user_id}\0${reportersKey}`).digest('hex')}`
}

/** What a usage took, and the latest month that the product knew when it was posted. */
export async function findPosted(
  { database }: FaultyProduct,
  { organization_id, person }: Owner,
  key: string,
): Promise<Posted | undefined> {
  const { rows } = await sql<Posted>`
    SELECT transfer.occurred_at,
      coalesce(-sum(entry.amount) FILTER (WHERE account.name = 'plan'), 0)::integer AS plan,
      coalesce(-sum(entry.amount) FILTER (WHERE account.name = 'purchased'), 0)::integer AS purchased,
      (SELECT max(month_starts_at) FROM ledger_grants
        WHERE owner_id = transfer.owner_id AND EXISTS (
          SELECT FROM ledger_transfers first WHERE first.owner_id = ledger_grants.owner_id
            AND first.grant_id = ledger_grants.id AND first.id < transfer.id)) AS month_starts_at
    FROM ledger_transfers transfer
    JOIN ledger_entries entry ON entry.owner_id = transfer.owner_id AND entry.transfer_id = transfer.id
    JOIN ledger_accounts account ON account.id = entry.account_id
    WHERE transfer.owner_id = ${organization_id ?? person.user_id} AND transfer.idempotency_key = ${key}
    GROUP BY transfer.id, transfer.owner_id, transfer.occurred_at`.execute(database.owner)
  return rows[0]
}
