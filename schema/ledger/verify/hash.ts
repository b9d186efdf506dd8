import { hash } from 'node:crypto'

/**
 * The hashes of the ledger, computed a second time without the SQL functions that wrote them, so that a mistake
 * in those, or a change of theirs, is found.
 */

/** Everything a transfer says. Times are microseconds since 1970, as Postgres keeps them. */
export interface TransferContent {
  readonly format: number
  readonly idempotency_key: string
  readonly kind: string
  readonly grant_id: string | null
  readonly input_hash: Buffer
  readonly occurred_at_us: number
  readonly posted_at_us: number
  readonly intent_id: string | null
  readonly event_id: string | null
  readonly actor: string
  readonly reason: string
}

export interface EntryContent {
  readonly account_id: number
  readonly amount: number
  readonly version: number | null
  readonly balance_after: number | null
}

/** SHA-256 of the transfer's fields as Postgres prints a JSON array. Format 1 is from before there were grants. */
export function transferDigest(transfer: TransferContent): Buffer {
  const { occurred_at_us, posted_at_us, intent_id, event_id, actor, reason } = transfer
  const inputHash = transfer.input_hash.toString('hex')
  const head =
    transfer.format === 1
      ? [transfer.idempotency_key, transfer.kind, inputHash]
      : [transfer.format, transfer.idempotency_key, transfer.kind, transfer.grant_id, inputHash]
  const fields = [...head, occurred_at_us, posted_at_us, intent_id, event_id, actor, reason]
  return hash('sha256', `[${fields.map((field) => JSON.stringify(field)).join(', ')}]`, 'buffer')
}

/** `previous` is the hash that this one is chained to: null for an account's first entry. */
export function entryHash(previous: Buffer | null, digest: Buffer, entry: EntryContent): Buffer {
  let end = previous === null ? 0 : previous.copy(scratch)
  end += digest.copy(scratch, end)
  for (const number of [entry.account_id, entry.amount, entry.version, entry.balance_after]) {
    if (number === null) continue
    scratch.writeInt32BE(Math.floor(number / 2 ** 32), end)
    scratch.writeUInt32BE(number >>> 0, end + 4)
    end += 8
  }
  return hash('sha256', scratch.subarray(0, end), 'buffer')
}

/** Room for two hashes and four numbers: a full run fills it for every entry of the books, and asks for no memory. */
const scratch = Buffer.alloc(2 * 32 + 4 * 8)
