import { hash } from 'node:crypto'

/**
 * The hashes of the ledger, computed a second time without the SQL functions that wrote them, so that a
 * mistake in those, or a change of theirs, is found. All hashes are written in hex.
 */

/** The version of the format that `ledger_transfer_digest` writes. */
const digestFormat = 3

export interface TransferContent {
  readonly idempotency_key: string
  readonly kind: string
  readonly grant_id: string | null
  readonly input_hash: string
  /** Microseconds since 1970, in digits. */
  readonly occurred_at_us: string
  readonly posted_at_us: string
  readonly intent_id: string | null
  readonly event_id: string | null
  readonly actor: string
  readonly operator_key_id: string | null
  readonly reason_hash: string
}

export interface EntryContent {
  readonly account_id: number
  readonly amount: number
  readonly version: number | null
  readonly balance_after: number | null
}

/** SHA-256 of the transfer's fields as a JSON array, with `, ` between them. */
export function transferDigest(transfer: TransferContent): string {
  const { idempotency_key, kind, grant_id, input_hash, intent_id, event_id, reason_hash } = transfer
  const actor = [transfer.actor, transfer.operator_key_id ?? []].flat().join(' ')
  const text =
    `[${digestFormat}, ${JSON.stringify(idempotency_key)}, "${kind}", ${JSON.stringify(grant_id)}, "${input_hash}", ` +
    `${transfer.occurred_at_us}, ${transfer.posted_at_us}, ${JSON.stringify(intent_id)}, ${JSON.stringify(event_id)}, ` +
    `${JSON.stringify(actor)}, "${reason_hash}"]`
  return hash('sha256', text, 'hex')
}

/** Of what a usage asked for: the credits, or what its tokens cost in thousandths of a credit. */
export function usageInputHash(ownerId: string, credits: number, cost: number | null): string {
  return hash(
    'sha256',
    `["usage",${JSON.stringify(ownerId)},"${cost === null ? credits : `${cost}/1000`}"]`,
    'hex',
  )
}

/** `previous` is the hash that this one is chained to: null for an account's first entry. */
export function entryHash(previous: string | null, digest: string, entry: EntryContent): string {
  let end = previous === null ? 0 : scratch.write(previous, 'hex')
  end += scratch.write(digest, end, 'hex')
  for (const number of [entry.account_id, entry.amount, entry.version, entry.balance_after]) {
    if (number === null) continue
    scratch.writeInt32BE(Math.floor(number / 2 ** 32), end)
    end = scratch.writeUInt32BE(number >>> 0, end + 4)
  }
  return hash('sha256', scratch.subarray(0, end), 'hex')
}

/** Room for two hashes and four numbers: a full run fills it for every entry of the books. */
const scratch = Buffer.alloc(2 * 32 + 4 * 8)
