import { sql } from 'kysely'
import { batchesOfRows } from '../../database/batches-of-rows.ts'
import type { DatabaseTransaction } from '../../database/connect.ts'

/** The latest entry of an owner's account so far. */
export interface AccountHead {
  readonly version: number
  readonly balance: number
  readonly hash: string
}

/** Whose an account is, and how far its chain was followed. */
export interface Account {
  readonly owner_id: string | null
  head: AccountHead | null
}

type AccountRow = Omit<Account, 'head'> & { readonly account_id: number } & {
  readonly [K in keyof AccountHead]: AccountHead[K] | null
}

/** The accounts whose entries are read, with the latest entry of each: all that a run keeps in memory. */
export class Accounts {
  readonly #trx: DatabaseTransaction
  readonly #after: number
  readonly #known = new Map<number, Account>()

  /** Chains are followed from what was there up to the transfer `after`. */
  constructor(trx: DatabaseTransaction, after: number) {
    this.#trx = trx
    this.#after = after
  }

  /** Loads all accounts, in the order of their ids, for books that are read from their beginning. */
  async loadAll(): Promise<void> {
    for await (const rows of batchesOfRows(this.#trx, allAccounts)) for (const row of rows) this.#add(row)
  }

  /** Loads those of some entries that are not known yet. */
  async load(entries: readonly { readonly account_id: number }[]): Promise<void> {
    const ids = new Set(entries.map(({ account_id }) => account_id))
    const unknown = [...ids].filter((id) => !this.#known.has(id))
    if (unknown.length === 0) return
    const { rows } = await sql<AccountRow>`
      SELECT account.id AS account_id, account.owner_id, head.version, head.balance, head.hash
      FROM ledger_accounts account
      LEFT JOIN LATERAL ${headUpTo(this.#after)} head ON true
      WHERE account.id = ANY(${unknown}::bigint[])`.execute(this.#trx)
    for (const row of rows) this.#add(row)
  }

  /** An account that does not exist has a chain all the same. */
  get(id: number): Account {
    let account = this.#known.get(id)
    if (!account) {
      account = { owner_id: null, head: null }
      this.#known.set(id, account)
    }
    return account
  }

  headOf(id: number): AccountHead | null {
    return this.#known.get(id)?.head ?? null
  }

  /** The latest entries of owners' accounts that exist, of those that are known. */
  *heads(): Generator<AccountHead & { readonly account_id: number }> {
    for (const [account_id, { owner_id, head }] of this.#known) {
      if (head && owner_id !== null && owner_id !== 'house') yield { account_id, ...head }
    }
  }

  #add({ account_id, owner_id, ...head }: AccountRow): void {
    this.#known.set(account_id, { owner_id, head: headOf(head) })
  }
}

/** The columns of an outer join. */
export function headOf(
  row: { readonly [K in keyof AccountHead]: AccountHead[K] | null },
): AccountHead | null {
  const { version, balance, hash } = row
  return version !== null && balance !== null && hash !== null ? { version, balance, hash } : null
}

const allAccounts = sql<AccountRow>`
  SELECT id AS account_id, owner_id, NULL::bigint AS version, NULL::bigint AS balance, NULL AS hash
  FROM ledger_accounts ORDER BY id`

/** To be joined laterally to `ledger_accounts account`: its latest entry up to a transfer. */
export function headUpTo(transferId: number) {
  return sql`(
    SELECT version, balance_after AS balance, encode(hash, 'hex') AS hash FROM ledger_entries
    WHERE ${sql.lit(transferId > 0)} AND owner_id = account.owner_id AND account_id = account.id AND transfer_id <= ${transferId}
    ORDER BY transfer_id DESC LIMIT 1)`
}
