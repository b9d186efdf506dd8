import { sql } from 'kysely'
import { BinaryRows } from '../../database/binary-rows.ts'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { copyOut } from '../../database/copy-out.ts'
import type { TransferKind } from '../accounts.ts'
import type { Account, Accounts } from './accounts.ts'
import { transferDigest } from './hash.ts'
import { planToReadAll, planToReadInOrder } from './planned.ts'

export interface EntryRow {
  readonly transfer_id: number
  readonly account_id: number
  readonly amount: number
  readonly version: number | null
  readonly balance_after: number | null
  /** Whether it names the owner whom its transfer names. */
  readonly is_of_owner: boolean
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
 * Reads transfers and their entries in the order of their ids, from two connections with one snapshot: Postgres reads both tables at the same time.
 * Transfers are read by their index, because their rows are wide and lie in this order anyway, so that the first ones come at once. `whenReady`
 * resolves when accounts may be asked for: Postgres has begun by then.
 */
export async function readLedger(
  { transfers, entries }: { readonly transfers: DatabaseTransaction; readonly entries: DatabaseTransaction },
  range: Range,
  accounts: Accounts,
  reader: BooksReader & { readonly whenReady: Promise<unknown> },
): Promise<void> {
  await Promise.all([planToReadInOrder(transfers), range.is_all ? planToReadAll(entries) : null])
  const transferRows = new BinaryRows(copyOut(transfers, transfersIn(range)), transferColumnCount)
  const entryRows = new Entries(copyOut(entries, entriesIn(range)), accounts, reader.onEntryWithoutTransfer)
  try {
    await reader.whenReady
    const transfer = new TransferRow(transferRows)
    while (await transferRows.receive()) {
      while (transferRows.next()) {
        transfer.read()
        while (!entryRows.take(transfer)) await entryRows.receive()
        reader.onTransfer(transfer, entryRows.taken)
        entryRows.taken.length = 0
      }
      reader.onProgress()
    }
    while (!entryRows.take(null)) await entryRows.receive()
  } finally {
    await Promise.all([transferRows.close(), entryRows.close()])
  }
}

const transfersIn = ({ after, upTo }: Range) => sql`
  SELECT t.id, t.owner_id, t.format, t.idempotency_key, t.kind, t.grant_id, t.input_hash, t.intent_id, t.event_id, t.actor, t.reason,
    t.occurred_at, t.posted_at,
    t.intent_id IS NOT NULL AND NOT EXISTS (SELECT FROM checkout_intents i WHERE i.id = t.intent_id)
  FROM ledger_transfers t
  WHERE t.id > ${sql.lit(after)} AND t.id <= ${sql.lit(upTo)} ORDER BY t.id`

const transferColumnCount = 14

/** The transfer that the rows stand on. The same object is used for the next one: a ledger has millions. */
export class TransferRow {
  id = 0
  format = 0
  kind: TransferKind = 'usage'
  is_of_grant = false
  lacks_intent = false
  digest = ''
  readonly #rows: BinaryRows

  constructor(rows: BinaryRows) {
    this.#rows = rows
  }

  read(): void {
    const rows = this.#rows
    this.id = rows.integer(0)
    this.format = rows.integer(2)
    this.kind = rows.text(4) as TransferKind
    this.is_of_grant = !rows.isNull(5)
    this.lacks_intent = rows.boolean(13)
    this.digest = transferDigest(rows, digestColumns)
  }

  /** Whether it is of that owner. */
  isOf(ownerId: string): boolean {
    return this.#rows.isText(1, ownerId)
  }

  /** Whether it is of the owner whom another row names. */
  isOfOwnerIn(other: BinaryRows, column: number): boolean {
    return this.#rows.isSame(1, other, column)
  }

  // These are for the few who ask: a text of its own for each transfer takes its time.
  get owner_id(): string {
    return this.#rows.text(1)
  }

  get idempotency_key(): string {
    return this.#rows.text(3)
  }

  /** Whether it sums reports of usage. */
  get is_sum(): boolean {
    return this.#rows.startsWith(3, 'usage_sums/')
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

/** A month at a time: no index has them in this order. In a month they lie almost in it, as long as no second column has to be sorted by. */
const entriesIn = ({ after, upTo }: Range) => sql`
  SELECT transfer_id, account_id, amount, version, balance_after, owner_id, hash FROM ledger_entries
  WHERE transfer_id > ${sql.lit(after)} AND transfer_id <= ${sql.lit(upTo)} ORDER BY transfer_id`

const entryColumnCount = 7

/** The entries of one transfer after the other. */
class Entries {
  /** What was taken since it was last emptied, by account. */
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

  /** Takes the entries of a transfer, past those of transfers before it; null: past all. False when more have to be received. */
  take(transfer: TransferRow | null): boolean {
    for (;;) {
      if (!this.#isAtEntry && !this.#rows.next()) return this.#isAtEnd
      const entryOf = this.#rows.integer(0)
      this.#isAtEntry = transfer !== null && entryOf > transfer.id
      if (this.#isAtEntry) return true
      if (entryOf === transfer?.id) this.#insert(this.#entryOf(transfer))
      else this.#onEntryWithoutTransfer(entryOf)
    }
  }

  /** Receives more, and finds the accounts that come up for the first time. */
  async receive(): Promise<void> {
    this.#isAtEnd = !(await this.#rows.receive())
    if (this.#isAtEnd || this.#accounts.areAll) return
    const ids = new Set<number>()
    while (this.#rows.next()) ids.add(this.#rows.integer(1))
    this.#rows.rewind()
    await this.#accounts.find(ids)
  }

  close(): Promise<void> {
    return this.#rows.close()
  }

  /** There are two or three. */
  #insert(entry: EntryRow): void {
    let at = this.taken.push(entry) - 1
    for (; at > 0; at--) {
      const before = this.taken[at - 1]
      if (!before || before.account_id <= entry.account_id) break
      this.taken[at] = before
    }
    this.taken[at] = entry
  }

  #entryOf(transfer: TransferRow): EntryRow {
    const account_id = this.#rows.integer(1)
    return {
      transfer_id: transfer.id,
      account_id,
      amount: this.#rows.integer(2),
      version: this.#rows.integerOrNull(3),
      balance_after: this.#rows.integerOrNull(4),
      is_of_owner: transfer.isOfOwnerIn(this.#rows, 5),
      hash: this.#rows.hex(6),
      account: this.#accounts.get(account_id),
    }
  }
}
