import { sql } from 'kysely'
import { BinaryRows } from '../../database/binary-rows.ts'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { copyOut } from '../../database/copy-out.ts'
import type { OwnerAccount, TransferKind } from '../accounts.ts'
import type { Account, Accounts } from './accounts.ts'
import { transferDigest } from './hash.ts'
import { planToReadAll } from './planned.ts'

export interface EntryRow {
  readonly transfer_id: number
  readonly account_id: number
  readonly amount: number
  readonly version: number | null
  readonly balance_after: number | null
  readonly transfer_owner_id: string
  readonly hash: string
  readonly account: Account
}

/** Transfers with `after < id <= upTo`. */
export interface Range {
  readonly after: number
  readonly upTo: number
  /** Whether that is most of what there is. */
  readonly is_all: boolean
}

export interface BooksReader {
  /** `entries` is used again for the next transfer. */
  readonly onTransfer: (transfer: TransferRow, entries: readonly EntryRow[]) => void
  /** Called for each such entry. */
  readonly onEntryWithoutTransfer: (transferId: number) => void
  /** Called from time to time. */
  readonly onProgress: () => void
}

/**
 * Reads transfers and their entries in the order of their ids, from two connections with one snapshot: Postgres reads, joins and sorts both tables
 * at the same time.
 */
export async function readBooks(
  { transfers, entries }: { readonly transfers: DatabaseTransaction; readonly entries: DatabaseTransaction },
  range: Range,
  accounts: Accounts,
  reader: BooksReader,
): Promise<void> {
  if (range.is_all) await Promise.all([planToReadAll(transfers), planToReadAll(entries)])
  const transferRows = new BinaryRows(copyOut(transfers, transfersIn(range)), transferColumnCount)
  const entryRows = new Entries(copyOut(entries, entriesIn(range)), accounts, reader.onEntryWithoutTransfer)
  try {
    while (await transferRows.receive()) {
      while (transferRows.next()) {
        const transfer = new TransferRow(transferRows)
        while (!entryRows.take(transfer.id)) await entryRows.receive()
        reader.onTransfer(transfer, entryRows.taken)
        entryRows.taken.length = 0
      }
      reader.onProgress()
    }
    while (!entryRows.take(Number.POSITIVE_INFINITY)) await entryRows.receive()
  } finally {
    await Promise.all([transferRows.close(), entryRows.close()])
  }
}

const transfersIn = ({ after, upTo }: Range) => sql`
  SELECT t.id, t.owner_id, t.format, t.idempotency_key, t.kind, t.grant_id, t.input_hash, t.intent_id, t.event_id, t.actor, t.reason,
    t.occurred_at, t.posted_at,
    g.owner_kind, g.account,
    coalesce(k.transfer_id = t.id, false),
    coalesce(k.transfer_id = t.id AND k.format = t.format AND k.input_hash = t.input_hash, false),
    t.intent_id IS NOT NULL AND i.id IS NULL,
    starts_with(t.idempotency_key, 'usage_sums/')
  FROM ledger_transfers t
  LEFT JOIN ledger_grants g ON g.owner_id = t.owner_id AND g.id = t.grant_id
  LEFT JOIN ledger_keys k ON k.owner_id = t.owner_id AND k.idempotency_key = t.idempotency_key
  LEFT JOIN checkout_intents i ON i.id = t.intent_id
  WHERE t.id > ${sql.lit(after)} AND t.id <= ${sql.lit(upTo)} ORDER BY t.id`

const transferColumnCount = 19

/** The transfer that the rows stand on. */
export class TransferRow {
  readonly id: number
  readonly owner_id: string
  readonly format: number
  readonly kind: TransferKind
  readonly is_of_grant: boolean
  /** The grant's; null when it does not exist. */
  readonly grant_owner_kind: string | null
  readonly grant_account: OwnerAccount | null
  /** Whether its key is kept for it, and whether with what it says. */
  readonly has_key: boolean
  readonly is_kept: boolean
  readonly lacks_intent: boolean
  /** Whether it sums reports of usage. */
  readonly is_sum: boolean
  readonly digest: string
  readonly #rows: BinaryRows

  constructor(rows: BinaryRows) {
    this.id = rows.integer(0)
    this.owner_id = rows.text(1)
    this.format = rows.integer(2)
    this.kind = rows.text(4) as TransferKind
    this.is_of_grant = !rows.isNull(5)
    this.grant_owner_kind = rows.textOrNull(13)
    this.grant_account = rows.textOrNull(14) as OwnerAccount | null
    this.has_key = rows.boolean(15)
    this.is_kept = rows.boolean(16)
    this.lacks_intent = rows.boolean(17)
    this.is_sum = rows.boolean(18)
    this.digest = transferDigest(rows, digestColumns)
    this.#rows = rows
  }

  // Both are for the few who ask: a text of its own for each transfer takes its time.
  get idempotency_key(): string {
    return this.#rows.text(3)
  }

  get grant_id(): string | null {
    return this.#rows.textOrNull(5)
  }
}

const digestColumns = {
  format: 2,
  idempotency_key: 3,
  kind: 4,
  grant_id: 5,
  input_hash: 6,
  intent_id: 7,
  event_id: 8,
  actor: 9,
  reason: 10,
  occurred_at: 11,
  posted_at: 12,
}

/** A month at a time: no index has them in this order. */
const entriesIn = ({ after, upTo }: Range) => sql`
  SELECT transfer_id, account_id, amount, version, balance_after, owner_id, hash FROM ledger_entries
  WHERE transfer_id > ${sql.lit(after)} AND transfer_id <= ${sql.lit(upTo)} ORDER BY transfer_id, account_id`

const entryColumnCount = 7

/** The entries of one transfer after the other. */
class Entries {
  /** What was taken since it was last emptied. */
  readonly taken: EntryRow[] = []
  readonly #rows: BinaryRows
  readonly #accounts: Accounts
  readonly #onEntryWithoutTransfer: (transferId: number) => void
  #isAtEntry = false
  #isAtEnd = false

  constructor(
    batches: AsyncIterator<Buffer>,
    accounts: Accounts,
    onEntryWithoutTransfer: (transferId: number) => void,
  ) {
    this.#rows = new BinaryRows(batches, entryColumnCount)
    this.#accounts = accounts
    this.#onEntryWithoutTransfer = onEntryWithoutTransfer
  }

  /** Takes the entries of a transfer, past those of transfers before it; false when more have to be received. */
  take(transferId: number): boolean {
    for (;;) {
      if (!this.#isAtEntry && !this.#rows.next()) return this.#isAtEnd
      const entryOf = this.#rows.integer(0)
      this.#isAtEntry = entryOf > transferId
      if (this.#isAtEntry) return true
      if (entryOf < transferId) this.#onEntryWithoutTransfer(entryOf)
      else this.taken.push(this.#entry())
    }
  }

  /** Receives more, and finds the accounts that come up for the first time. */
  async receive(): Promise<void> {
    this.#isAtEnd = !(await this.#rows.receive())
    if (this.#isAtEnd) return
    const ids = new Set<number>()
    while (this.#rows.next()) ids.add(this.#rows.integer(1))
    this.#rows.rewind()
    await this.#accounts.find(ids)
  }

  close(): Promise<void> {
    return this.#rows.close()
  }

  #entry(): EntryRow {
    const account_id = this.#rows.integer(1)
    return {
      transfer_id: this.#rows.integer(0),
      account_id,
      amount: this.#rows.integer(2),
      version: this.#rows.integerOrNull(3),
      balance_after: this.#rows.integerOrNull(4),
      transfer_owner_id: this.#rows.text(5),
      hash: this.#rows.hex(6),
      account: this.#accounts.get(account_id),
    }
  }
}
