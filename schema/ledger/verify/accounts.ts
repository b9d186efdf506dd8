import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { archivedEnd } from './archives.ts'

/** The latest entry of an owner's account so far. */
export interface AccountHead {
  readonly version: number
  readonly balance: number
  readonly hash: string
}

/** Whose an account is, and how far its chain was followed. */
export interface Account {
  /** Null when the account does not exist. */
  readonly owner_kind: string | null
  readonly owner_id: string | null
  readonly name: string | null
  head: AccountHead | null
}

interface FoundAccount extends Account {
  readonly account_id: number
}

/** Finds accounts, and where their chains begin: at `head`, or at nothing. */
export type FindAccounts = (ids: readonly number[]) => Promise<readonly FoundAccount[]>

/** The accounts that entries came up for, each found once. */
export class Accounts {
  readonly #known = new Map<number, Account>()
  readonly #findAccounts: FindAccounts

  constructor(findAccounts: FindAccounts) {
    this.#findAccounts = findAccounts
  }

  async find(ids: ReadonlySet<number>): Promise<void> {
    const unknown = [...ids].filter((id) => !this.#known.has(id))
    if (unknown.length === 0) return
    for (const { account_id, ...account } of await this.#findAccounts(unknown)) {
      this.#known.set(account_id, account)
    }
    for (const id of unknown) {
      // Its chain is followed all the same.
      if (!this.#known.has(id))
        this.#known.set(id, { owner_kind: null, owner_id: null, name: null, head: null })
    }
  }

  get(id: number): Account {
    const account = this.#known.get(id)
    if (!account) throw new Error(`Account ${id} was not looked for`)
    return account
  }

  headOf(id: number): AccountHead | null {
    return this.#known.get(id)?.head ?? null
  }
}

/** Accounts whose chains begin after that transfer; 0: at nothing. */
export function findAccountsAfter(trx: DatabaseTransaction, transferId: number): FindAccounts {
  return async (ids) => {
    const { rows } = await sql<
      Omit<FoundAccount, 'head'> & { [K in keyof AccountHead]: AccountHead[K] | null }
    >`
      SELECT account.id AS account_id, account.owner_kind, account.owner_id, account.name, head.version, head.balance, head.hash
      FROM ledger_accounts account
      LEFT JOIN LATERAL ${headUpTo(transferId)} head ON true
      WHERE account.id = ANY(${ids}::bigint[])`.execute(trx)
    return rows.map(({ version, balance, hash, ...account }) => ({
      ...account,
      head: version !== null && balance !== null && hash !== null ? { version, balance, hash } : null,
    }))
  }
}

/**
 * To be joined laterally to `ledger_accounts account`: its latest entry up to a transfer, or its opening when it has none since months left the
 * ledger. Not for transfers in those months.
 */
export function headUpTo(transferId: number) {
  return sql`(
    SELECT version, balance, encode(hash, 'hex') AS hash FROM (
      (SELECT transfer_id, version, balance_after AS balance, hash FROM ledger_entries
        WHERE ${sql.lit(transferId > 0)} AND owner_id = account.owner_id AND account_id = account.id
          AND transfer_id >= ${archivedEnd} AND transfer_id <= ${transferId}
        ORDER BY transfer_id DESC LIMIT 1)
      UNION ALL
      (SELECT transfer_id, version, balance, hash FROM ledger_openings
        WHERE owner_id = account.owner_id AND account_id = account.id ORDER BY archive_id DESC LIMIT 1)) either
    ORDER BY transfer_id DESC LIMIT 1)`
}
