import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { OwnerAccount, TransferKind } from '../accounts.ts'
import { entryHash, type TransferContent, transferDigest } from './hash.ts'

/** The latest entry of an owner's account so far. */
export interface AccountHead {
  readonly version: number
  readonly balance: number
  readonly hash: Buffer
}

interface TransferRow extends TransferContent {
  readonly id: number
  readonly kind: TransferKind
  readonly grant_owner_kind: string | null
  readonly grant_owner_id: string | null
  readonly grant_account: OwnerAccount | null
}

interface EntryRow {
  readonly transfer_id: number
  readonly account_id: number
  readonly amount: number
  readonly version: number | null
  readonly balance_after: number | null
  readonly hash: Buffer
  /** Null when the account does not exist. */
  readonly owner_kind: string | null
  readonly owner_id: string | null
  readonly account: string | null
}

/** Ids in one batch. */
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
  async read(
    range: { readonly after: number; readonly upTo: number },
    onProgress: (id: number) => void,
  ): Promise<void> {
    let next = this.#batch(range.after, range.upTo)
    for (let after = range.after; after < range.upTo; after += batchSize) {
      const { upTo, transfers, entries } = await next
      if (this.#startsAfter > 0) await this.#findHeads(entries)
      // Postgres reads the next batch while this one is checked.
      next = this.#batch(upTo, range.upTo)
      const byTransfer = Map.groupBy(entries, (entry) => entry.transfer_id)
      for (const transfer of transfers) {
        this.#check(transfer, byTransfer.get(transfer.id) ?? [])
        byTransfer.delete(transfer.id)
      }
      for (const id of byTransfer.keys()) this.#problem('every entry has its transfer', `transfer ${id}`)
      this.transfers += transfers.length
      this.entries += entries.length
      onProgress(upTo)
    }
  }

  async #batch(after: number, end: number) {
    const upTo = Math.min(after + batchSize, end)
    if (after >= upTo) return { upTo, transfers: [], entries: [] }
    return { upTo, transfers: await this.#transfers(after, upTo), entries: await this.#entries(after, upTo) }
  }

  async #transfers(after: number, upTo: number): Promise<TransferRow[]> {
    const { rows } = await sql<TransferRow>`
      SELECT t.id, t.format, t.idempotency_key, t.kind, t.grant_id, t.input_hash, t.intent_id, t.event_id, t.actor, t.reason,
        (extract(epoch FROM t.occurred_at) * 1000000)::bigint AS occurred_at_us,
        (extract(epoch FROM t.posted_at) * 1000000)::bigint AS posted_at_us,
        g.owner_kind AS grant_owner_kind, g.owner_id AS grant_owner_id, g.account AS grant_account
      FROM ledger_transfers t LEFT JOIN ledger_grants g ON g.id = t.grant_id
      WHERE t.id > ${after} AND t.id <= ${upTo} ORDER BY t.id`.execute(this.#trx)
    return rows
  }

  async #entries(after: number, upTo: number): Promise<EntryRow[]> {
    const { rows } = await sql<EntryRow>`
      SELECT e.transfer_id, e.account_id, e.amount, e.version, e.balance_after, e.hash, a.owner_kind, a.owner_id, a.name AS account
      FROM ledger_entries e LEFT JOIN ledger_accounts a ON a.id = e.account_id
      WHERE e.transfer_id > ${after} AND e.transfer_id <= ${upTo} ORDER BY e.transfer_id, e.account_id`.execute(
      this.#trx,
    )
    return rows
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
      FROM unnest(${[...ids]}::bigint[]) AS account (id)
      CROSS JOIN LATERAL ${headUpTo(this.#startsAfter)} head`.execute(this.#trx)
    for (const { account_id, ...head } of rows) this.heads.set(account_id, head)
  }

  #check(transfer: TransferRow, entries: readonly EntryRow[]): void {
    const name = `transfer ${transfer.idempotency_key}`
    if (entries.length === 0 || entries.reduce((sum, entry) => sum + entry.amount, 0) !== 0) {
      this.#problem('entries of a transfer sum to zero', name)
    }
    this.#checkGrant(transfer, entries)
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
      if (entry.version !== null) continue
      const possible = chainedTo.length > 0 ? chainedTo.map((owner) => owner.hash) : [null]
      if (!possible.some((previous) => entryHash(previous, digest, entry).equals(entry.hash))) {
        this.#problem('hashes of house entries hang on their transfer', entryName(entry))
      }
    }
  }

  #checkOwnerEntry(transfer: TransferRow, entry: EntryRow, digest: Buffer): void {
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
    if (!entryHash(previous?.hash ?? null, digest, entry).equals(entry.hash)) {
      this.#problem('hashes of owners’ entries are chained', name)
    }
    if (entry.amount < 0 && balance < 0 && kindsThatMustBeCovered.includes(transfer.kind)) {
      this.#problem('no usage and no purchase takes an account below zero', name)
    }
    // The next entry is compared with the stored values, so that one mistake is one problem. The buffer is a copy: the row's own
    // is part of everything that came in one packet.
    this.heads.set(entry.account_id, { version, balance, hash: Buffer.from(entry.hash) })
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
        entry.owner_id === transfer.grant_owner_id &&
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

/** To be joined laterally to `account (id)`. */
export function headUpTo(transferId: number) {
  return sql`(
    SELECT version, balance_after AS balance, hash FROM ledger_entries
    WHERE account_id = account.id AND version IS NOT NULL AND transfer_id <= ${transferId}
    ORDER BY transfer_id DESC LIMIT 1)`
}

function entryName(entry: EntryRow): string {
  return `transfer ${entry.transfer_id}, account ${entry.account_id}`
}
