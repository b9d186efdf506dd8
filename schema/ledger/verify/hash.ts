import { hash } from 'node:crypto'

/**
 * The hashes of the ledger, computed a second time without the SQL functions that wrote them, so that a mistake
 * in those, or a change of theirs, is found.
 */

/** Everything a transfer says. Times are microseconds since 1970, as Postgres keeps them; hashes are written in hex. */
export interface TransferContent {
  readonly format: number
  readonly idempotency_key: string
  readonly kind: string
  readonly grant_id: string | null
  readonly input_hash: string
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
export function transferDigest(transfer: TransferContent): string {
  const { input_hash: inputHash, occurred_at_us, posted_at_us, intent_id, event_id, actor, reason } = transfer
  const head =
    transfer.format === 1
      ? [transfer.idempotency_key, transfer.kind, inputHash]
      : [transfer.format, transfer.idempotency_key, transfer.kind, transfer.grant_id, inputHash]
  const fields = [...head, occurred_at_us, posted_at_us, intent_id, event_id, actor, reason]
  return hash('sha256', `[${fields.map((field) => JSON.stringify(field)).join(', ')}]`, 'hex')
}

/**
 * `previous` is the hash that this one is chained to: null for an account's first entry. Strings, because a buffer for each of the hashes is what
 * a full run would spend much of its time on.
 */
export function entryHash(previous: string | null, digest: string, entry: EntryContent): string {
  let end = previous === null ? 0 : scratch.write(previous, 'hex')
  end += scratch.write(digest, end, 'hex')
  for (const number of [entry.account_id, entry.amount, entry.version, entry.balance_after]) {
    if (number === null) continue
    scratch.writeInt32BE(Math.floor(number / 2 ** 32), end)
    scratch.writeUInt32BE(number >>> 0, end + 4)
    end += 8
  }
  return hash('sha256', scratch.subarray(0, end), 'hex')
}

/** Room for two hashes and four numbers: a full run fills it for every entry of the books, and asks for no memory. */
const scratch = Buffer.alloc(2 * 32 + 4 * 8)
