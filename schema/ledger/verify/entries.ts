import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { OwnerAccount, TransferKind } from '../accounts.ts'
import { archivedEnd } from './archives.ts'
import { entryHash, type TransferContent, transferDigest } from './hash.ts'
import { planned } from './planned.ts'

/** The latest entry of an owner's account so far. */
export interface AccountHead {
  readonly version: number
  readonly balance: number
  readonly hash: string
}

interface TransferRow extends TransferContent {
  readonly id: number
  readonly owner_id: string
  readonly kind: TransferKind
  readonly grant_owner_kind: string | null
  readonly grant_account: OwnerAccount | null
  /** Whether it is what was kept under its key. */
  readonly is_kept: boolean
  readonly lacks_intent: boolean
}

interface Range {
  readonly after: number
  readonly upTo: number
}

interface EntryRow {
  readonly transfer_id: number
  readonly account_id: number
  readonly amount: number
  readonly version: number | null
  readonly balance_after: number | null
  readonly transfer_owner_id: string
  readonly hash: string
  /** Null when the account does not exist. */
  readonly owner_kind: string | null
  readonly owner_id: string | null
  readonly account: string | null
}

/** Transfers in one batch. */
const batchSize = 2000

/** Only usage and purchases must be covered by the balance; everything else corrects the books. */
const kindsThatMustBeCovered: readonly TransferKind[] = ['usage', 'credit_purchase']

/**
 * Reads transfers and their entries in the order of their ids, in batches, and checks each against what the account had before.
 * It remembers the latest entry of each account that it came across, and nothing else.
 */
export class EntryCheck {
  readonly heads = new Map<number, AccountHead>()
  readonly grantIds = new Set<string>()
  transfers = 0
  entries = 0
  readonly #trx: DatabaseTransaction
  readonly #startsAfter: number
  readonly #problem: (check: string, subject: string) => void
  /** Entries that were read before their transfers. */
  #ahead: EntryRow[] = []

  /** `startsAfter`: up to that transfer the books are not checked. */
  constructor(
    trx: DatabaseTransaction,
    startsAfter: number,
    problem: (check: string, subject: string) => void,
  ) {
    this.#trx = trx
    this.#startsAfter = startsAfter
    this.#problem = problem
  }

  /** Checks the transfers with `after < id <= upTo`. */
  async read(range: Range, onProgress: (transfers: number) => void): Promise<void> {
    await this.#openCursors(range)
    let next = this.#batch(range)
    for (;;) {
      const { upTo, transfers, entries } = await next
      if (this.#startsAfter > 0) await this.#findHeads(entries)
      // Postgres reads the next batch while this one is checked.
      next = this.#batch({ after: upTo, upTo: range.upTo })
      const byTransfer = Map.groupBy(entries, (entry) => entry.transfer_id)
      for (const transfer of transfers) {
        this.#check(transfer, byTransfer.get(transfer.id) ?? [])
        byTransfer.delete(transfer.id)
      }
      for (const id of byTransfer.keys()) this.#problem('every entry has its transfer', `transfer ${id}`)
      this.transfers += transfers.length
      this.entries += entries.length
      onProgress(this.transfers)
      if (upTo >= range.upTo) break
    }
    await next
  }

  async #batch(range: Range) {
    if (range.after >= range.upTo) return { upTo: range.upTo, transfers: [], entries: [] }
    const { rows: transfers } = await sql<TransferRow>`
      FETCH ${sql.lit(batchSize)} FROM verified_transfers`.execute(this.#trx)
    const upTo = transfers.length < batchSize ? range.upTo : (transfers.at(-1)?.id ?? range.upTo)
    return { upTo, transfers, entries: await this.#entriesUpTo(upTo) }
  }

  /**
   * Transfers lie in the order of their ids; entries, of which no index does, are sorted once, a month at a time. Both are read as far as
   * they are needed.
   */
  async #openCursors({ after, upTo }: Range): Promise<void> {
    const range = (id: string) =>
      sql`${sql.ref(id)} > ${sql.lit(after)} AND ${sql.ref(id)} <= ${sql.lit(upTo)}`
    await planned(this.#trx, after === 0 ? 'all' : 'some', async () => {
      await sql`
        DECLARE verified_transfers NO SCROLL CURSOR FOR
        SELECT t.id, t.owner_id, t.format, t.idempotency_key, t.kind, t.grant_id, encode(t.input_hash, 'hex') AS input_hash, t.intent_id, t.event_id, t.actor, t.reason,
          (extract(epoch FROM t.occurred_at) * 1000000)::bigint AS occurred_at_us,
          (extract(epoch FROM t.posted_at) * 1000000)::bigint AS posted_at_us,
          g.owner_kind AS grant_owner_kind, g.account AS grant_account,
          coalesce(k.transfer_id = t.id AND k.format = t.format AND k.input_hash = t.input_hash, false) AS is_kept,
          t.intent_id IS NOT NULL AND i.id IS NULL AS lacks_intent
        FROM ledger_transfers t
        LEFT JOIN ledger_grants g ON g.owner_id = t.owner_id AND g.id = t.grant_id
        LEFT JOIN ledger_keys k ON k.owner_id = t.owner_id AND k.idempotency_key = t.idempotency_key
        LEFT JOIN checkout_intents i ON i.id = t.intent_id
        WHERE ${range('t.id')} ORDER BY t.id`.execute(this.#trx)
      await sql`
        DECLARE verified_entries NO SCROLL CURSOR FOR
        SELECT e.transfer_id, e.account_id, e.amount, e.version, e.balance_after, e.owner_id AS transfer_owner_id,
          encode(e.hash, 'hex') AS hash,
          a.owner_kind, a.owner_id, a.name AS account
        FROM ledger_entries e LEFT JOIN ledger_accounts a ON a.id = e.account_id
        WHERE ${range('e.transfer_id')} ORDER BY e.transfer_id, e.account_id`.execute(this.#trx)
    })
  }

  async #entriesUpTo(transferId: number): Promise<EntryRow[]> {
    const found = this.#ahead
    while ((found.at(-1)?.transfer_id ?? 0) <= transferId) {
      const { rows } = await sql<EntryRow>`FETCH ${sql.lit(2 * batchSize)} FROM verified_entries`.execute(
        this.#trx,
      )
      if (rows.length === 0) break
      found.push(...rows)
    }
    const end = found.findIndex((entry) => entry.transfer_id > transferId)
    this.#ahead = end < 0 ? [] : found.slice(end)
    return end < 0 ? found : found.slice(0, end)
  }

  /** The latest entries, before the range began, of accounts that come up for the first time. */
  async #findHeads(entries: readonly EntryRow[]): Promise<void> {
    const ids = new Set(
      entries
        .filter((entry) => entry.version !== null && !this.heads.has(entry.account_id))
        .map((entry) => entry.account_id),
    )
    if (ids.size === 0) return
    const { rows } = await sql<AccountHead & { account_id: number }>`
      SELECT account.id AS account_id, head.version, head.balance, head.hash
      FROM ledger_accounts account
      CROSS JOIN LATERAL ${headUpTo(this.#startsAfter)} head
      WHERE account.id = ANY(${[...ids]}::bigint[])`.execute(this.#trx)
    for (const { account_id, ...head } of rows) this.heads.set(account_id, head)
  }

  #check(transfer: TransferRow, entries: readonly EntryRow[]): void {
    const name = `transfer ${transfer.idempotency_key}`
    if (entries.length === 0 || entries.reduce((sum, entry) => sum + entry.amount, 0) !== 0) {
      this.#problem('entries of a transfer sum to zero', name)
    }
    this.#checkGrant(transfer, entries)
    this.#checkKey(transfer)
    const digest = transferDigest(transfer)
    const owners = entries.filter((entry) => entry.version !== null)
    for (const entry of owners) this.#checkOwnerEntry(transfer, entry, digest)
    // The house's entry is chained to the owner's last one. Before there were grants, usage of both accounts wrote plan first, always.
    const chainedTo = transfer.format === 1 ? owners : owners.slice(-1)
    for (const entry of entries) {
      if (entry.owner_kind === null) this.#problem('every entry has its account', entryName(entry))
      else if ((entry.owner_kind === 'house') !== (entry.version === null)) {
        this.#problem('owners’ entries have a version, house entries have none', entryName(entry))
      }
      const isOwners = entry.owner_kind === 'house' || entry.owner_id === entry.transfer_owner_id
      if (!isOwners || entry.transfer_owner_id !== transfer.owner_id) {
        this.#problem('every row of a transfer has its owner', entryName(entry))
      }
      if (entry.version !== null) continue
      const possible = chainedTo.length > 0 ? chainedTo.map((owner) => owner.hash) : [null]
      if (!possible.some((previous) => entryHash(previous, digest, entry) === entry.hash)) {
        this.#problem('hashes of house entries hang on their transfer', entryName(entry))
      }
    }
  }

  #checkOwnerEntry(transfer: TransferRow, entry: EntryRow, digest: string): void {
    const previous = this.heads.get(entry.account_id)
    const version = entry.version ?? 0
    const balance = entry.balance_after ?? 0
    const name = `account ${entry.account_id}, version ${version}`
    if (version !== (previous?.version ?? 0) + 1) {
      this.#problem('versions of an account run 1, 2, 3 without gaps', name)
    }
    if (balance !== (previous?.balance ?? 0) + entry.amount) {
      this.#problem('every balance is the sum up to there', name)
    }
    if (entryHash(previous?.hash ?? null, digest, entry) !== entry.hash) {
      this.#problem('hashes of owners’ entries are chained', name)
    }
    if (entry.amount < 0 && balance < 0 && kindsThatMustBeCovered.includes(transfer.kind)) {
      this.#problem('no usage and no purchase takes an account below zero', name)
    }
    // The next entry is compared with the stored values, so that one mistake is one problem.
    this.heads.set(entry.account_id, { version, balance, hash: entry.hash })
  }

  #checkKey(transfer: TransferRow): void {
    const name = `transfer ${transfer.idempotency_key}`
    if (!transfer.is_kept) this.#problem('every transfer is kept under its key', name)
    if (transfer.lacks_intent) this.#problem('every intent that a transfer names is there', name)
  }

  #checkGrant(transfer: TransferRow, entries: readonly EntryRow[]): void {
    const owners = entries.filter((entry) => entry.owner_kind !== null && entry.owner_kind !== 'house')
    if (transfer.kind === 'usage') {
      const names = new Set(owners.map((entry) => `${entry.owner_kind} ${entry.owner_id}`))
      if (transfer.grant_id !== null || names.size !== 1) {
        this.#problem('usage is one owner’s and of no grant', `transfer ${transfer.idempotency_key}`)
      }
      return
    }
    if (transfer.grant_id !== null) this.grantIds.add(transfer.grant_id)
    const isGrants = owners.every(
      (entry) =>
        entry.owner_kind === transfer.grant_owner_kind &&
        entry.owner_id === transfer.owner_id &&
        (entry.account === transfer.grant_account || transfer.kind === 'settlement'),
    )
    if (transfer.grant_account === null || !isGrants) {
      this.#problem(
        'every transfer moves credits of its grant’s account',
        `transfer ${transfer.idempotency_key}`,
      )
    }
  }
}

/** To be joined laterally to `ledger_accounts account`; its opening when nothing was posted since. Not for a transfer before the archived end. */
export function headUpTo(transferId: number) {
  return sql`(
    SELECT version, balance, encode(hash, 'hex') AS hash FROM (
      (SELECT transfer_id, version, balance_after AS balance, hash FROM ledger_entries
        WHERE owner_id = account.owner_id AND account_id = account.id AND transfer_id >= ${archivedEnd} AND transfer_id <= ${transferId}
        ORDER BY transfer_id DESC LIMIT 1)
      UNION ALL
      (SELECT transfer_id, version, balance, hash FROM ledger_openings
        WHERE owner_id = account.owner_id AND account_id = account.id ORDER BY archive_id DESC LIMIT 1)) either
    ORDER BY transfer_id DESC LIMIT 1)`
}

function entryName(entry: EntryRow): string {
  return `transfer ${entry.transfer_id}, account ${entry.account_id}`
}
