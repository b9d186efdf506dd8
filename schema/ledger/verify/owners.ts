import { sql } from 'kysely'
import { BinaryRows } from '../../database/binary-rows.ts'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { copyOut } from '../../database/copy-out.ts'
import type { Accounts } from './accounts.ts'
import { archivedEnd } from './archives.ts'
import { planToLookUp } from './planned.ts'
import type { Range } from './reader.ts'

type Problem = (check: string, subject: string) => void

/**
 * Compares what posting goes on from, the row of each owner, with the latest entry of each account: the one that was read, if all were. Accounts
 * that differ, or whose owner has transfers after what was read, are looked up.
 */
export class OwnersCheck {
  readonly #trx: DatabaseTransaction
  readonly #rows: BinaryRows

  /** Begins to receive the rows. */
  constructor(trx: DatabaseTransaction, { upTo }: Range) {
    this.#trx = trx
    this.#rows = new BinaryRows(copyOut(trx, ownersRows(upTo)), 6)
  }

  /** `reading` resolves when all was read. */
  async finish(reading: Promise<unknown>, accounts: Accounts, problem: Problem): Promise<void> {
    await reading
    const rows = this.#rows
    const unsure: number[] = []
    while (await rows.receive()) {
      while (rows.next()) {
        const id = rows.integer(0)
        const head = accounts.headOf(id)
        const isSame =
          rows.integerOrNull(1) === id &&
          rows.integerOrNull(2) === (head?.version ?? 0) &&
          rows.integerOrNull(3) === (head?.balance ?? 0) &&
          (rows.isNull(4) ? null : rows.hex(4)) === (head?.hash ?? null)
        const isPostedLater = rows.boolean(5)
        if (!isSame || isPostedLater) unsure.push(id)
      }
    }
    await planToLookUp(this.#trx)
    for (let start = 0; start < unsure.length; start += batchSize) {
      await lookUpOwners(this.#trx, unsure.slice(start, start + batchSize), problem)
    }
  }
}

const batchSize = 1000

const ownersRows = (upTo: number) => sql`
  SELECT account.id, ${ownersRow},
    account.owner_id IN (SELECT owner_id FROM ledger_transfers WHERE id > ${sql.lit(upTo)})
  FROM ledger_accounts account
  LEFT JOIN ledger_owners owner ON owner.owner_id = account.owner_id AND owner.owner_kind = account.owner_kind
  WHERE account.owner_kind <> 'house' ORDER BY account.id`

/** Of an `owner`, what it says of an `account`: id, version, balance, hash. */
const ownersRow = sql.join(
  ['account_id', 'version', 'balance', 'hash'].map(
    (column) =>
      sql`CASE account.name WHEN 'plan' THEN owner.${sql.ref(`plan_${column}`)} ELSE owner.${sql.ref(`purchased_${column}`)} END`,
  ),
)

/** The same of these accounts, or all, by one look-up for each. */
export async function lookUpOwners(
  trx: DatabaseTransaction,
  accountIds: readonly number[] | 'all',
  problem: Problem,
): Promise<void> {
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
    WHERE account.owner_kind <> 'house' ${accountIds === 'all' ? sql`` : sql`AND account.id = ANY(${accountIds}::bigint[])`}
      AND ROW(${ownersRow}) IS DISTINCT FROM ROW(account.id, coalesce(latest.version, 0), coalesce(latest.balance_after, 0), latest.hash)
    ORDER BY account.id`.execute(trx)
  for (const { account_id } of rows) {
    problem('every owner’s row has the latest entry of each account', `account ${account_id}`)
  }
}

/** What `checkKeys` compares. */
export interface KeysFound {
  /** Keys of transfers that are not kept under them. */
  readonly missing: readonly string[]
  readonly keys: number
  /** Whether there are keys beyond what is read. */
  readonly areBeyond: boolean
}

/** Looks for the key of each transfer, with what it says, and counts keys. */
export async function findKeys(trx: DatabaseTransaction, { after, upTo }: Range): Promise<KeysFound> {
  const { rows: missing } = await sql<{ idempotency_key: string }>`
    SELECT transfer.idempotency_key FROM ledger_transfers transfer
    WHERE transfer.id > ${after} AND transfer.id <= ${upTo} AND NOT EXISTS (
      SELECT FROM ledger_keys key
      WHERE key.transfer_id = transfer.id AND key.owner_id = transfer.owner_id AND key.idempotency_key = transfer.idempotency_key
        AND key.format = transfer.format AND key.input_hash = transfer.input_hash)
    ORDER BY transfer.id`.execute(trx)
  const { rows: counted } = await sql<{ keys: number; are_beyond: boolean }>`
    SELECT count(*) FILTER (WHERE transfer_id <= ${upTo}) AS keys, coalesce(bool_or(transfer_id > ${upTo}), false) AS are_beyond
    FROM ledger_keys WHERE transfer_id > ${after}`.execute(trx)
  const [{ keys, are_beyond } = { keys: 0, are_beyond: false }] = counted
  return { missing: missing.map(({ idempotency_key }) => idempotency_key), keys, areBeyond: are_beyond }
}

/**
 * A transfer without its key would be posted again; a key without its transfer would make the ledger believe that something was posted. Of the latter, only
 * if there are not as many as were read with their transfer or their report (`read`), it is looked at which ones. `trx` may look up row by row.
 */
export async function checkKeys(
  trx: DatabaseTransaction,
  { after }: Range,
  found: KeysFound,
  read: number,
  problem: Problem,
): Promise<void> {
  for (const key of found.missing) problem('every transfer is kept under its key', `transfer ${key}`)
  if (found.missing.length === 0 && found.keys === read && !found.areBeyond) return
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
