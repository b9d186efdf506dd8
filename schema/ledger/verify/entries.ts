import { sql } from 'kysely'
import { batchesOfRows } from '../../database/batches-of-rows.ts'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { TransferKind } from '../accounts.ts'
import { holdOfKey } from '../hold-keys.ts'
import { type EntryContent, entryHash, type TransferContent, transferDigest, usageInputHash } from './hash.ts'
import type { ReportProblem } from './problems.ts'

/** The latest entry of an owner's account so far. */
interface AccountHead {
  readonly version: number
  readonly balance: number
  readonly hash: string
}

interface Transfer extends TransferContent {
  readonly kind: TransferKind
  readonly owner_id: string
  /** Of a usage by tokens, in thousandths of a credit. */
  readonly cost: number | null
}

/** An entry beside its transfer, of which all is null when there is none. */
interface EntryRow extends EntryContent, Transfer {
  readonly transfer_id: number
  readonly entry_owner_id: string
  readonly hash: string
  readonly lacks_transfer: boolean
}

/**
 * Only usage and purchases must be covered by the balance; everything else corrects the books. What was
 * reserved is settled also after it was taken back.
 */
function mustBeCovered({ kind, idempotency_key }: Transfer): boolean {
  if (kind === 'credit_purchase') return true
  return kind === 'usage' && (holdOfKey(idempotency_key)?.is_above ?? true)
}

/**
 * Follows the entries in the order of their transfers' ids, and checks each transfer against what its accounts
 * had before. Keeps the latest entry of each account in memory.
 */
export class Entries {
  transfers = 0
  entries = 0
  readonly #problem: ReportProblem
  readonly #ownerOf = new Map<number, string>()
  readonly #heads = new Map<number, AccountHead>()

  constructor(problem: ReportProblem) {
    this.#problem = problem
  }

  /** The latest entries of owners' accounts that exist, by the accounts' ids. */
  heads(): (AccountHead & { readonly account_id: number })[] {
    return [...this.#ownerOf].flatMap(([account_id, owner_id]) => {
      const head = this.#heads.get(account_id)
      return head && owner_id !== 'house' ? { account_id, ...head } : []
    })
  }

  /** `beforeTransfer` is called before one is checked, `onBatch` after some thousand entries. */
  async read(
    trx: DatabaseTransaction,
    { beforeTransfer, onBatch }: { beforeTransfer: (id: number) => void; onBatch: (read: Entries) => void },
  ): Promise<void> {
    for await (const accounts of batchesOfRows(trx, allAccounts)) {
      for (const { id, owner_id } of accounts) this.#ownerOf.set(id, owner_id)
    }
    let group: EntryRow[] = []
    const checkGroup = () => {
      const [first] = group
      if (!first) return
      beforeTransfer(first.transfer_id)
      if (!first.lacks_transfer) this.#check(first, group)
      else this.#problem('every entry has its transfer', `transfer ${first.transfer_id}`)
      group = []
    }
    for await (const rows of batchesOfRows(trx, allEntries)) {
      for (const row of rows) {
        if (row.transfer_id !== group[0]?.transfer_id) checkGroup()
        group.push(row)
      }
      this.entries += rows.length
      onBatch(this)
    }
    checkGroup()
    onBatch(this)
  }

  #check(transfer: Transfer, group: readonly EntryRow[]): void {
    this.transfers++
    const name = `transfer ${transfer.idempotency_key}`
    if (group.reduce((sum, { amount }) => sum + amount, 0) !== 0) {
      this.#problem('entries of a transfer sum to zero', name)
    }
    if (transfer.kind === 'usage') this.#checkUsage(transfer, group)
    // Of which account the grant is, is checked with its sums.
    else if (transfer.grant_id === null) {
      this.#problem('every transfer moves credits of its grant’s account', name)
    }
    const digest = transferDigest(transfer)
    const entries = group.toSorted((a, b) => a.account_id - b.account_id)
    let last: string | null = null
    for (const entry of entries) {
      if (entry.version === null) continue
      this.#checkOwnerEntry(mustBeCovered(transfer), digest, entry)
      last = entry.hash
    }
    for (const entry of entries) {
      const owner_id = this.#ownerOf.get(entry.account_id)
      if (owner_id === undefined) this.#problem('every entry has its account', entryName(entry))
      else if ((owner_id === 'house') !== (entry.version === null)) {
        this.#problem('owners’ entries have a version, house entries have none', entryName(entry))
      }
      const isOfOwner = owner_id === 'house' || owner_id === transfer.owner_id
      if (!isOfOwner || entry.entry_owner_id !== transfer.owner_id) {
        this.#problem('every row of a transfer has its owner', entryName(entry))
      }
      if (entry.version === null && entryHash(last, digest, entry) !== entry.hash) {
        this.#problem('hashes of house entries hang on their transfer', entryName(entry))
      }
    }
  }

  #checkOwnerEntry(isCovered: boolean, digest: string, entry: EntryRow): void {
    const name = `account ${entry.account_id}, version ${entry.version}`
    const previous = this.#heads.get(entry.account_id)
    const head = { version: entry.version ?? 0, balance: entry.balance_after ?? 0, hash: entry.hash }
    if (head.version !== (previous?.version ?? 0) + 1) {
      this.#problem('versions of an account run 1, 2, 3 without gaps', name)
    }
    if (head.balance !== (previous?.balance ?? 0) + entry.amount) {
      this.#problem('every balance is the sum up to there', name)
    }
    if (entryHash(previous?.hash ?? null, digest, entry) !== entry.hash) {
      this.#problem('hashes of owners’ entries are chained', name)
    }
    if (entry.amount < 0 && head.balance < 0 && isCovered) {
      this.#problem('no usage and no purchase takes an account below zero', name)
    }
    // The next entry is compared with the stored values, so that one mistake is one problem.
    this.#heads.set(entry.account_id, head)
  }

  #checkUsage(transfer: Transfer, group: readonly EntryRow[]): void {
    const owners = group.flatMap(({ account_id }) => this.#ownerOf.get(account_id) ?? [])
    const isOnes = new Set(owners.filter((owner_id) => owner_id !== 'house')).size === 1
    const name = `transfer ${transfer.idempotency_key}`
    if (transfer.grant_id !== null || !isOnes) this.#problem('usage is one owner’s and of no grant', name)
    const credits = -group.reduce((sum, { version, amount }) => (version === null ? sum : sum + amount), 0)
    if (transfer.input_hash !== usageInputHash(transfer.owner_id, credits, transfer.cost)) {
      this.#problem('every usage takes what its key was used for', name)
    }
  }
}

const allAccounts = sql<{
  id: number
  owner_id: string
}>`SELECT id, owner_id FROM ledger_accounts ORDER BY id`

/** Times are exact to the microsecond until 2106. */
const allEntries = sql<EntryRow>`
  SELECT e.transfer_id, e.account_id, e.amount, e.version, e.balance_after, e.owner_id AS entry_owner_id, encode(e.hash, 'hex') AS hash,
    t.id IS NULL AS lacks_transfer, t.owner_id, t.idempotency_key, t.kind, t.grant_id, encode(t.input_hash, 'hex') AS input_hash,
    t.intent_id, t.event_id, t.cost, t.actor, t.operator_key_id, encode(t.reason_hash, 'hex') AS reason_hash,
    (date_part('epoch', t.occurred_at) * 1e6)::bigint::text AS occurred_at_us, (date_part('epoch', t.posted_at) * 1e6)::bigint::text AS posted_at_us
  FROM ledger_entries e LEFT JOIN ledger_transfers t ON t.id = e.transfer_id ORDER BY e.transfer_id`

function entryName(entry: EntryRow): string {
  return `transfer ${entry.transfer_id}, account ${entry.account_id}`
}
