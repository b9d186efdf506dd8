import { sql } from 'kysely'
import { batchesOfRows } from '../../database/batches-of-rows.ts'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { TransferKind } from '../accounts.ts'
import { holdOfKey } from '../hold-keys.ts'
import type { Account, Accounts } from './accounts.ts'
import { entryHash, type TransferContent, transferDigest, usageInputHash } from './hash.ts'
import { planToReadAll, planToReadInOrder } from './planned.ts'
import type { ReportProblem } from './problems.ts'

/** Transfers with `after < id <= upTo`. */
export interface Range {
  readonly after: number
  readonly upTo: number
  /** Whether that is most of what there is. */
  readonly is_all: boolean
}

/** A grant, and the owner of a transfer that names it. */
export interface GrantOf {
  readonly owner_id: string
  readonly id: string
}

interface TransferRow extends TransferContent {
  readonly id: number
  readonly kind: TransferKind
  readonly owner_id: string
  /** Null unless the text was erased without its salt, or both do not make the hash. */
  readonly has_wrong_reason: true | null
  /** Null when its intent is there. */
  readonly lacks_intent: true | null
}

interface EntryRow {
  readonly transfer_id: number
  readonly account_id: number
  readonly amount: number
  readonly version: number | null
  readonly balance_after: number | null
  readonly owner_id: string
  readonly hash: string
}

/**
 * Only usage and purchases must be covered by the balance; everything else corrects the books. What was
 * reserved is settled also after it was taken back.
 */
function mustBeCovered({ kind, idempotency_key }: TransferRow): boolean {
  if (kind === 'credit_purchase') return true
  return kind === 'usage' && (holdOfKey(idempotency_key)?.is_above ?? true)
}

/**
 * Reads the transfers of a range with their entries, in the order of their ids, and checks each against what
 * its accounts had before. Transfers and entries come over two connections with one snapshot, so that
 * Postgres reads both tables at the same time.
 */
export class TransfersCheck {
  transfers = 0
  entries = 0
  /** Those that the transfers name, each once. */
  readonly grants = new Map<string, GrantOf>()
  readonly #accounts: Accounts
  readonly #problem: ReportProblem

  constructor(accounts: Accounts, problem: ReportProblem) {
    this.#accounts = accounts
    this.#problem = problem
  }

  /** `onTransfer` is called before a transfer is checked, `onBatch` after some thousand of them. */
  async read(
    connections: { readonly transfers: DatabaseTransaction; readonly entries: DatabaseTransaction },
    range: Range,
    { onTransfer, onBatch }: { onTransfer: (id: number) => void; onBatch: (transfers: number) => void },
  ): Promise<void> {
    await Promise.all([
      planToReadInOrder(connections.transfers),
      range.is_all ? planToReadAll(connections.entries) : null,
    ])
    const entries = new EntriesInOrder(batchesOfRows(connections.entries, entriesIn(range)))
    for await (const transfers of batchesOfRows(connections.transfers, transfersIn(range))) {
      await entries.receiveUpTo(transfers.at(-1)?.id ?? 0)
      if (!range.is_all) await this.#accounts.load(entries.received)
      for (const transfer of transfers) {
        onTransfer(transfer.id)
        this.#reportLacking(entries.takeBefore(transfer.id))
        this.#check(transfer, entries.takeBefore(transfer.id + 1))
      }
      this.transfers += transfers.length
      onBatch(this.transfers)
    }
    await entries.receiveUpTo(Number.POSITIVE_INFINITY)
    this.#reportLacking(entries.takeBefore(Number.POSITIVE_INFINITY))
    this.entries = entries.taken
  }

  #reportLacking(entries: readonly EntryRow[]): void {
    for (const id of new Set(entries.map(({ transfer_id }) => transfer_id))) {
      this.#problem('every entry has its transfer', `transfer ${id}`)
    }
  }

  #check(transfer: TransferRow, entries: readonly EntryRow[]): void {
    const name = `transfer ${transfer.idempotency_key}`
    if (entries.length === 0 || entries.reduce((sum, { amount }) => sum + amount, 0) !== 0) {
      this.#problem('entries of a transfer sum to zero', name)
    }
    if (transfer.kind === 'usage') this.#checkUsage(transfer, entries)
    else if (transfer.grant_id === null) {
      this.#problem('every transfer moves credits of its grant’s account', name)
    } else {
      // Of which account it is, is checked with its sums.
      this.grants.set(`${transfer.owner_id} ${transfer.grant_id}`, {
        owner_id: transfer.owner_id,
        id: transfer.grant_id,
      })
    }
    if (transfer.lacks_intent) this.#problem('every intent that a transfer names is there', name)
    if (transfer.has_wrong_reason)
      this.#problem('the text of a transfer has the hash that is kept of it', name)
    this.#checkEntries(transfer, entries)
  }

  #checkEntries(transfer: TransferRow, entries: readonly EntryRow[]): void {
    const digest = transferDigest(transfer)
    let last: string | null = null
    for (const entry of entries) {
      if (entry.version === null) continue
      this.#checkOwnerEntry(transfer, digest, entry)
      last = entry.hash
    }
    for (const entry of entries) {
      const { owner_id } = this.#accounts.get(entry.account_id)
      if (owner_id === null) this.#problem('every entry has its account', entryName(entry))
      else if ((owner_id === 'house') !== (entry.version === null)) {
        this.#problem('owners’ entries have a version, house entries have none', entryName(entry))
      }
      const isOfOwner = owner_id === 'house' || owner_id === transfer.owner_id
      if (!isOfOwner || entry.owner_id !== transfer.owner_id) {
        this.#problem('every row of a transfer has its owner', entryName(entry))
      }
      if (entry.version === null && entryHash(last, digest, entry) !== entry.hash) {
        this.#problem('hashes of house entries hang on their transfer', entryName(entry))
      }
    }
  }

  #checkOwnerEntry(transfer: TransferRow, digest: string, entry: EntryRow): void {
    const account = this.#accounts.get(entry.account_id)
    const previous = account.head
    const head = { version: entry.version ?? 0, balance: entry.balance_after ?? 0, hash: entry.hash }
    if (head.version !== (previous?.version ?? 0) + 1) {
      this.#problem('versions of an account run 1, 2, 3 without gaps', headName(entry))
    }
    if (head.balance !== (previous?.balance ?? 0) + entry.amount) {
      this.#problem('every balance is the sum up to there', headName(entry))
    }
    if (entryHash(previous?.hash ?? null, digest, entry) !== entry.hash) {
      this.#problem('hashes of owners’ entries are chained', headName(entry))
    }
    if (entry.amount < 0 && head.balance < 0 && mustBeCovered(transfer)) {
      this.#problem('no usage and no purchase takes an account below zero', headName(entry))
    }
    // The next entry is compared with the stored values, so that one mistake is one problem.
    account.head = head
  }

  #checkUsage(transfer: TransferRow, entries: readonly EntryRow[]): void {
    const owners = entries.map(({ account_id }) => this.#accounts.get(account_id)).filter(isOwners)
    const isOnes = owners.every(({ owner_id }) => owner_id === owners[0]?.owner_id)
    if (transfer.grant_id !== null || owners.length === 0 || !isOnes) {
      this.#problem('usage is one owner’s and of no grant', `transfer ${transfer.idempotency_key}`)
    }
    const credits = -entries.reduce((sum, { version, amount }) => (version === null ? sum : sum + amount), 0)
    if (transfer.input_hash !== usageInputHash(transfer.owner_id, credits)) {
      this.#problem('every usage takes what its key was used for', `transfer ${transfer.idempotency_key}`)
    }
  }
}

/** Entries in the order of their transfers' ids. */
class EntriesInOrder {
  taken = 0
  /** Those that were not taken yet. */
  received: EntryRow[] = []
  readonly #batches: AsyncIterator<EntryRow[]>
  #at = 0

  #next: Promise<IteratorResult<EntryRow[]>>

  /** Asks for the first batch at once: Postgres sorts them while it reads the first transfers. */
  constructor(batches: AsyncIterable<EntryRow[]>) {
    this.#batches = batches[Symbol.asyncIterator]()
    this.#next = this.#ask()
  }

  #ask(): Promise<IteratorResult<EntryRow[]>> {
    const asked = this.#batches.next()
    // An error is thrown when the batch is used.
    asked.catch(() => undefined)
    return asked
  }

  async receiveUpTo(transferId: number): Promise<void> {
    this.received = this.received.slice(this.#at)
    this.#at = 0
    while ((this.received.at(-1)?.transfer_id ?? 0) <= transferId) {
      const next = await this.#next
      if (next.done) return
      this.#next = this.#ask()
      this.received = this.received.concat(next.value)
    }
  }

  /**
   * Takes the entries of all transfers before one, by their accounts: those of one transfer are two or three.
   */
  takeBefore(transferId: number): readonly EntryRow[] {
    const start = this.#at
    while ((this.received[this.#at]?.transfer_id ?? transferId) < transferId) this.#at++
    if (this.#at === start) return none
    this.taken += this.#at - start
    return this.received.slice(start, this.#at).sort((a, b) => a.account_id - b.account_id)
  }
}

const none: readonly EntryRow[] = []

/** Times are exact to the microsecond until 2106. */
const transfersIn = ({ after, upTo }: Range) => sql<TransferRow>`
  SELECT t.id, t.owner_id, t.idempotency_key, t.kind, t.grant_id, encode(t.input_hash, 'hex') AS input_hash, t.intent_id, t.event_id,
    t.actor, encode(t.reason_hash, 'hex') AS reason_hash,
    CASE WHEN coalesce(sha256(t.reason_salt || convert_to(t.reason, 'UTF8')) = t.reason_hash, t.reason IS NULL AND t.reason_salt IS NULL)
      THEN NULL ELSE true END AS has_wrong_reason,
    (date_part('epoch', t.occurred_at) * 1e6)::bigint::text AS occurred_at_us, (date_part('epoch', t.posted_at) * 1e6)::bigint::text AS posted_at_us,
    CASE WHEN t.intent_id IS NOT NULL AND NOT EXISTS (SELECT FROM checkout_intents i WHERE i.id = t.intent_id) THEN true END AS lacks_intent
  FROM ledger_transfers t
  WHERE t.id > ${sql.lit(after)} AND t.id <= ${sql.lit(upTo)} ORDER BY t.id`

/**
 * No index has them in this order, but in a month they lie almost in it: sorting by a second column would
 * take longer.
 */
const entriesIn = ({ after, upTo }: Range) => sql<EntryRow>`
  SELECT transfer_id, account_id, amount, version, balance_after, owner_id, encode(hash, 'hex') AS hash FROM ledger_entries
  WHERE transfer_id > ${sql.lit(after)} AND transfer_id <= ${sql.lit(upTo)} ORDER BY transfer_id`

function isOwners({ owner_id }: Account): boolean {
  return owner_id !== null && owner_id !== 'house'
}

function headName(entry: EntryRow): string {
  return `account ${entry.account_id}, version ${entry.version}`
}

function entryName(entry: EntryRow): string {
  return `transfer ${entry.transfer_id}, account ${entry.account_id}`
}
