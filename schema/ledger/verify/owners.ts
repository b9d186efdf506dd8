import { sql } from 'kysely'
import { batchesOfRows } from '../../database/batches-of-rows.ts'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { Accounts } from './accounts.ts'
import { planToLookUp, planToReadAll } from './planned.ts'
import type { ReportProblem } from './problems.ts'
import type { Range } from './transfers.ts'

const batchSize = 1000

interface OwnersRow {
  readonly id: number
  readonly account_id: number | null
  readonly version: number | null
  readonly balance: number | null
  readonly hash: string | null
  readonly is_posted_later: boolean
}

/**
 * Compares what posting goes on from, the row of each owner, with the latest entries that were read, after
 * all were. Accounts that differ, or whose owner has transfers after what was read, are looked up.
 */
export async function checkOwners(
  trx: DatabaseTransaction,
  { upTo }: Range,
  accounts: Accounts,
  problem: ReportProblem,
): Promise<void> {
  await planToReadAll(trx)
  const unsure: number[] = []
  for await (const rows of batchesOfRows(trx, ownersRows(upTo))) {
    for (const { id, account_id, version, balance, hash, is_posted_later } of rows) {
      const head = accounts.headOf(id)
      const isSame =
        account_id === id &&
        version === (head?.version ?? 0) &&
        balance === (head?.balance ?? 0) &&
        hash === (head?.hash ?? null)
      if (!isSame || is_posted_later) unsure.push(id)
    }
  }
  await planToLookUp(trx)
  for (let start = 0; start < unsure.length; start += batchSize) {
    await lookUpOwners(trx, unsure.slice(start, start + batchSize), problem)
  }
}

const ownersRows = (upTo: number) => sql<OwnersRow>`
  SELECT account.id, ${ownersColumn('account_id')} AS account_id, ${ownersColumn('version')} AS version,
    ${ownersColumn('balance')} AS balance, encode(${ownersColumn('hash')}, 'hex') AS hash,
    account.owner_id IN (SELECT owner_id FROM ledger_transfers WHERE id > ${sql.lit(upTo)}) AS is_posted_later
  FROM ledger_accounts account
  LEFT JOIN ledger_owners owner ON owner.owner_id = account.owner_id
  WHERE account.owner_id <> 'house' ORDER BY account.id`

/** What the row of an `owner` says of an `account`. */
function ownersColumn(column: 'account_id' | 'version' | 'balance' | 'hash') {
  return sql`CASE account.name WHEN 'plan' THEN owner.${sql.ref(`plan_${column}`)} ELSE owner.${sql.ref(`purchased_${column}`)} END`
}

/** The same of these accounts, or all, by one look-up for each. */
export async function lookUpOwners(
  trx: DatabaseTransaction,
  accountIds: readonly number[] | 'all',
  problem: ReportProblem,
): Promise<void> {
  const { rows } = await sql<{ account_id: number }>`
    SELECT account.id AS account_id
    FROM ledger_accounts account
    LEFT JOIN ledger_owners owner ON owner.owner_id = account.owner_id
    LEFT JOIN LATERAL (
      SELECT version, balance_after, hash FROM ledger_entries
      WHERE owner_id = account.owner_id AND account_id = account.id ORDER BY transfer_id DESC LIMIT 1) latest ON true
    WHERE account.owner_id <> 'house' ${accountIds === 'all' ? sql`` : sql`AND account.id = ANY(${accountIds}::bigint[])`}
      AND ROW(${ownersColumn('account_id')}, ${ownersColumn('version')}, ${ownersColumn('balance')}, ${ownersColumn('hash')})
        IS DISTINCT FROM ROW(account.id, coalesce(latest.version, 0), coalesce(latest.balance_after, 0), latest.hash)
    ORDER BY account.id`.execute(trx)
  for (const { account_id } of rows) {
    problem('every owner’s row has the latest entry of each account', `account ${account_id}`)
  }
}
