import type { Kysely } from 'kysely'
import type { DB } from '../database/types.ts'
import type { Owner } from './accounts.ts'

/** When the owner's present billing month began; undefined when they have none. */
export async function findMonthStart(db: Kysely<DB>, owner: Owner, now: Date): Promise<Date | undefined> {
  const month = await db
    .selectFrom('ledger_grants')
    .select('month_starts_at')
    .where('owner_kind', '=', owner.owner_kind)
    .where('owner_id', '=', owner.owner_id)
    .where('kind', '=', 'month')
    .where('month_starts_at', '<=', now)
    .where('ends_at', '>', now)
    .orderBy('month_starts_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return month?.month_starts_at ?? undefined
}

/** Credits that an owner has used since a moment, of both accounts. */
export async function sumUsageSince(db: Kysely<DB>, owner: Owner, since: Date): Promise<number> {
  const row = await db
    .selectFrom('ledger_accounts as account')
    .innerJoin('ledger_entries as entry', 'entry.account_id', 'account.id')
    .innerJoin('ledger_transfers as transfer', 'transfer.id', 'entry.transfer_id')
    .select(({ fn }) => fn.sum<string | null>('entry.amount').as('amount'))
    .where('account.owner_kind', '=', owner.owner_kind)
    .where('account.owner_id', '=', owner.owner_id)
    .where('transfer.kind', '=', 'usage')
    .where('transfer.occurred_at', '>=', since)
    .executeTakeFirst()
  return -Number(row?.amount ?? 0) + 0
}
