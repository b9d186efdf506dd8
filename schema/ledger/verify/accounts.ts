import { sql } from 'kysely'
import { BinaryRows } from '../../database/binary-rows.ts'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { copyOut } from '../../database/copy-out.ts'
import { archivedEnd } from './archives.ts'

/** The latest entry of an owner's account so far. */
export interface AccountHead {
  version: number
  balance: number
  hash: string
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
  /** Whether all that there are were loaded, in the order of their ids. */
  areAll = false
  readonly #known = new Map<number, Account>()
  readonly #findAccounts: FindAccounts

  constructor(findAccounts: FindAccounts) {
    this.#findAccounts = findAccounts
  }

  /** All that there are, before books that begin where the archives end are read. */
  async loadAll(trx: DatabaseTransaction): Promise<void> {
    const rows = new BinaryRows(copyOut(trx, allAccounts), 7)
    // A few words that millions of accounts share.
    const words = new Map<string, string>()
    const word = (text: string) => words.get(text) ?? words.set(text, text).get(text) ?? text
    while (await rows.receive()) {
      while (rows.next()) {
        this.#known.set(rows.integer(0), {
          owner_kind: word(rows.text(1)),
          owner_id: rows.text(2),
          name: word(rows.text(3)),
          head: rows.isNull(4)
            ? null
            : { version: rows.integer(4), balance: rows.integer(5), hash: rows.hex(6) },
        })
      }
    }
    this.areAll = true
  }

  async find(ids: ReadonlySet<number>): Promise<void> {
    const unknown = [...ids].filter((id) => !this.#known.has(id))
    if (unknown.length === 0) return
    for (const { account_id, ...account } of await this.#findAccounts(unknown)) {
      this.#known.set(account_id, account)
    }
    for (const id of unknown) if (!this.#known.has(id)) this.#addMissing(id)
  }

  get(id: number): Account {
    const account = this.#known.get(id) ?? (this.areAll ? this.#addMissing(id) : null)
    if (!account) throw new Error(`Account ${id} was not looked for`)
    return account
  }

  headOf(id: number): AccountHead | null {
    return this.#known.get(id)?.head ?? null
  }

  /** The latest entries of owners' accounts that exist, of those that are known. */
  *heads(): Generator<AccountHead & { readonly account_id: number }> {
    for (const [account_id, { owner_kind, head }] of this.#known) {
      if (head && owner_kind !== null && owner_kind !== 'house') yield { account_id, ...head }
    }
  }

  /** Its chain is followed all the same. */
  #addMissing(id: number): Account {
    const account: Account = { owner_kind: null, owner_id: null, name: null, head: null }
    this.#known.set(id, account)
    return account
  }
}

/** With their openings, when months have left the ledger. */
const allAccounts = sql`
  SELECT account.id, account.owner_kind, account.owner_id, account.name, opening.version, opening.balance, opening.hash
  FROM ledger_accounts account
  LEFT JOIN (
    SELECT DISTINCT ON (owner_id, account_id) owner_id, account_id, version, balance, hash FROM ledger_openings
    ORDER BY owner_id, account_id, archive_id DESC) opening ON opening.owner_id = account.owner_id AND opening.account_id = account.id
  ORDER BY account.id`

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
