import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { archivedEnd } from './archives.ts'

type Problem = (check: string, subject: string) => void

/**
 * Compares what posting goes on from, the row of each owner, with the latest entry of each account. Postgres does it, by one look-up for each
 * account, and returns those that differ.
 */
export async function checkOwners(trx: DatabaseTransaction, problem: Problem): Promise<void> {
  const { rows } = await sql<{ account_id: number }>`
    SELECT account.id AS account_id
    FROM ledger_accounts account
    LEFT JOIN ledger_owners owner ON owner.owner_id = account.owner_id AND owner.owner_kind = account.owner_kind
    LEFT JOIN LATERAL (
      (SELECT transfer_id, version, balance_after, hash FROM ledger_entries
        WHERE owner_id = account.owner_id AND account_id = account.id AND transfer_id >= ${archivedEnd} ORDER BY transfer_id DESC LIMIT 1)
      UNION ALL
      (SELECT transfer_id, version, balance, hash FROM ledger_openings
        WHERE owner_id = account.owner_id AND account_id = account.id ORDER BY archive_id DESC LIMIT 1)
      ORDER BY transfer_id DESC LIMIT 1) latest ON true
    WHERE account.owner_kind <> 'house' AND (CASE account.name
        WHEN 'plan' THEN ROW(owner.plan_account_id, owner.plan_version, owner.plan_balance, owner.plan_hash)
        ELSE ROW(owner.purchased_account_id, owner.purchased_version, owner.purchased_balance, owner.purchased_hash) END)
      IS DISTINCT FROM ROW(account.id, coalesce(latest.version, 0), coalesce(latest.balance_after, 0), latest.hash)
    ORDER BY account.id`.execute(trx)
  for (const { account_id } of rows) {
    problem('every owner’s row has the latest entry of each account', `account ${account_id}`)
  }
}

/**
 * A key without its transfer would make the ledger believe that something was posted. Looks at keys of transfers after one: at how many there are, and only
 * if those are not as many as were read with their transfer or their report, at which ones. `read` names how far was read.
 */
export async function checkKeys(
  trx: DatabaseTransaction,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  read: number,
  problem: Problem,
): Promise<void> {
  const { rows: counted } = await sql<{ keys: number; beyond: boolean }>`
    SELECT count(*) FILTER (WHERE transfer_id <= ${upTo}) AS keys, coalesce(bool_or(transfer_id > ${upTo}), false) AS beyond
    FROM ledger_keys WHERE transfer_id > ${after}`.execute(trx)
  const [found] = counted
  if (found?.keys === read && !found.beyond) return
  const { rows } = await sql<{ idempotency_key: string }>`
    SELECT key.idempotency_key FROM ledger_keys key
    LEFT JOIN ledger_transfers transfer ON transfer.id = key.transfer_id AND transfer.owner_id = key.owner_id
      AND transfer.idempotency_key = key.idempotency_key
    WHERE key.transfer_id > ${after} AND transfer.id IS NULL
      -- That of a report which is summed: its transfer has a key of its own.
      AND NOT EXISTS (SELECT FROM ledger_reports report
        WHERE report.owner_id = key.owner_id AND report.transfer_id = key.transfer_id AND report.idempotency_key = key.idempotency_key)
    ORDER BY key.idempotency_key`.execute(trx)
  for (const { idempotency_key } of rows) problem('every key has its transfer', `transfer ${idempotency_key}`)
}
