import type { DatabaseTransaction } from '../../database/connect.ts'
import type { TransferKind } from '../accounts.ts'
import { Accounts, type FindAccounts } from './accounts.ts'
import { entryHash } from './hash.ts'
import { type EntryRow, type Range, readLedger, type TransferRow } from './reader.ts'

type Problem = (check: string, subject: string) => void

/** Only usage and purchases must be covered by the balance; everything else corrects the books. */
const kindsThatMustBeCovered: readonly TransferKind[] = ['usage', 'credit_purchase']

/** A grant, and the owner of a transfer that names it. */
export interface GrantOf {
  readonly owner_id: string
  readonly id: string
}

/**
 * Checks each transfer, in the order of their ids, against what its accounts had before. It remembers the accounts that it came across with the
 * latest entry of each, and nothing else.
 */
export class EntryCheck {
  readonly accounts: Accounts
  /** Of the transfers that were read, each once; null when all grants are checked anyway. */
  readonly grants: Map<string, GrantOf> | null
  transfers = 0
  entries = 0
  /** Transfers that sum reports of usage. */
  sums = 0
  readonly #problem: Problem

  /** `findAccounts` says where each chain begins. */
  constructor(
    { findAccounts, keepsGrants }: { readonly findAccounts: FindAccounts; readonly keepsGrants: boolean },
    problem: Problem,
  ) {
    this.accounts = new Accounts(findAccounts)
    this.grants = keepsGrants ? new Map() : null
    this.#problem = problem
  }

  async read(
    connections: { readonly transfers: DatabaseTransaction; readonly entries: DatabaseTransaction },
    range: Range,
    {
      whenReady,
      onProgress,
      mark,
    }: {
      readonly whenReady: Promise<unknown>
      readonly onProgress: (transfers: number) => void
      /** Called when all up to a transfer were read, and none after it. */
      readonly mark: { readonly after: number; readonly onReached: () => void }
    },
  ): Promise<void> {
    let lacking = 0
    let isReached = mark.after === Number.POSITIVE_INFINITY
    const reach = () => {
      isReached = true
      mark.onReached()
    }
    await readLedger(connections, range, this.accounts, {
      whenReady,
      onTransfer: (transfer, entries) => {
        if (!isReached && transfer.id > mark.after) reach()
        this.transfers++
        this.entries += entries.length
        this.#check(transfer, entries)
      },
      onEntryWithoutTransfer: (transferId) => {
        this.entries++
        if (transferId === lacking) return
        lacking = transferId
        this.#problem('every entry has its transfer', `transfer ${transferId}`)
      },
      onProgress: () => onProgress(this.transfers),
    })
    if (!isReached) reach()
  }

  #check(transfer: TransferRow, entries: readonly EntryRow[]): void {
    let sum = 0
    for (const entry of entries) sum += entry.amount
    if (entries.length === 0 || sum !== 0) {
      this.#problem('entries of a transfer sum to zero', transferName(transfer))
    }
    if (transfer.kind === 'usage') this.#checkUsage(transfer, entries)
    else this.#checkGrant(transfer)
    if (transfer.lacks_intent) {
      this.#problem('every intent that a transfer names is there', transferName(transfer))
    }
    if (transfer.is_sum) this.sums++
    let chain: string | null = null
    for (const entry of entries) {
      if (entry.version === null) continue
      this.#checkOwnerEntry(transfer, entry)
      chain = entry.hash
    }
    for (const entry of entries) {
      const { owner_kind, owner_id } = entry.account
      if (owner_kind === null) this.#problem('every entry has its account', entryName(entry))
      else if ((owner_kind === 'house') !== (entry.version === null)) {
        this.#problem('owners’ entries have a version, house entries have none', entryName(entry))
      }
      const isOwners = owner_kind === 'house' || (owner_id !== null && transfer.isOf(owner_id))
      if (!isOwners || !entry.is_of_owner) {
        this.#problem('every row of a transfer has its owner', entryName(entry))
      }
      if (entry.version !== null) continue
      // It is chained to the owner's last one.
      if (entryHash(chain, transfer.digest, entry) === entry.hash) continue
      if (transfer.format !== 1 || !isChainedToAny(transfer, entries, entry)) {
        this.#problem('hashes of house entries hang on their transfer', entryName(entry))
      }
    }
  }

  #checkOwnerEntry(transfer: TransferRow, entry: EntryRow): void {
    const previous = entry.account.head
    const version = entry.version ?? 0
    const balance = entry.balance_after ?? 0
    if (version !== (previous?.version ?? 0) + 1) {
      this.#problem('versions of an account run 1, 2, 3 without gaps', headName(entry))
    }
    if (balance !== (previous?.balance ?? 0) + entry.amount) {
      this.#problem('every balance is the sum up to there', headName(entry))
    }
    if (entryHash(previous?.hash ?? null, transfer.digest, entry) !== entry.hash) {
      this.#problem('hashes of owners’ entries are chained', headName(entry))
    }
    if (entry.amount < 0 && balance < 0 && kindsThatMustBeCovered.includes(transfer.kind)) {
      this.#problem('no usage and no purchase takes an account below zero', headName(entry))
    }
    // The next entry is compared with the stored values, so that one mistake is one problem.
    if (previous) {
      previous.version = version
      previous.balance = balance
      previous.hash = entry.hash
    } else entry.account.head = { version, balance, hash: entry.hash }
  }

  #checkUsage(transfer: TransferRow, entries: readonly EntryRow[]): void {
    const owner = entries.find(isOwners)?.account
    let isOnes = owner !== undefined
    for (const entry of entries) {
      const { owner_kind, owner_id } = entry.account
      if (isOwners(entry) && (owner_kind !== owner?.owner_kind || owner_id !== owner.owner_id)) isOnes = false
    }
    if (transfer.is_of_grant || !isOnes) {
      this.#problem('usage is one owner’s and of no grant', transferName(transfer))
    }
  }

  /** Whose grant it is, and of which account, is asked with its sums. */
  #checkGrant(transfer: TransferRow): void {
    if (!transfer.is_of_grant) {
      this.#problem('every transfer moves credits of its grant’s account', transferName(transfer))
    } else if (this.grants) {
      const grant = { owner_id: transfer.owner_id, id: transfer.grant_id ?? '' }
      this.grants.set(JSON.stringify(grant), grant)
    }
  }
}

/** Before there were grants, usage of both accounts wrote plan first, always, and the house's entry hung on what was written last. */
function isChainedToAny(transfer: TransferRow, entries: readonly EntryRow[], house: EntryRow): boolean {
  return entries.some(
    ({ version, hash }) => version !== null && entryHash(hash, transfer.digest, house) === house.hash,
  )
}

function isOwners({ account }: EntryRow): boolean {
  return account.owner_kind !== null && account.owner_kind !== 'house'
}

function transferName(transfer: TransferRow): string {
  return `transfer ${transfer.idempotency_key}`
}

function headName(entry: EntryRow): string {
  return `account ${entry.account_id}, version ${entry.version}`
}

function entryName(entry: EntryRow): string {
  return `transfer ${entry.transfer_id}, account ${entry.account_id}`
}
