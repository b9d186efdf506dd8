import { hash } from 'node:crypto'
import type { BinaryRows } from '../../database/binary-rows.ts'
import { JsonArray } from './json-array.ts'

/**
 * The hashes of the ledger, computed a second time without the SQL functions that wrote them, so that a mistake
 * in those, or a change of theirs, is found.
 */

/** The columns that a transfer's digest is made of, in its order: where each is in a row. */
export interface DigestColumns {
  readonly format: number
  readonly idempotency_key: number
  readonly kind: number
  readonly grant_id: number
  readonly input_hash: number
  readonly occurred_at: number
  readonly posted_at: number
  readonly intent_id: number
  readonly event_id: number
  readonly actor: number
  readonly reason: number
}

export interface EntryContent {
  readonly account_id: number
  readonly amount: number
  readonly version: number | null
  readonly balance_after: number | null
}

/** SHA-256 of the transfer's fields as Postgres prints a JSON array. Format 1 is from before there were grants. */
export function transferDigest(rows: BinaryRows, columns: DigestColumns): string {
  const format = rows.integer(columns.format)
  json.begin()
  if (format !== 1) json.addNumber(format)
  json.addText(rows, columns.idempotency_key)
  json.addText(rows, columns.kind)
  if (format !== 1) json.addText(rows, columns.grant_id)
  json.addHex(rows, columns.input_hash)
  json.addNumber(rows.integer(columns.occurred_at) + microsecondsTo2000)
  json.addNumber(rows.integer(columns.posted_at) + microsecondsTo2000)
  json.addUuid(rows, columns.intent_id)
  json.addText(rows, columns.event_id)
  json.addText(rows, columns.actor)
  json.addText(rows, columns.reason)
  return hash('sha256', json.finish(), 'hex')
}

/** `previous` is the hash that this one is chained to: null for an account's first entry. Hashes are written in hex. */
export function entryHash(previous: string | null, digest: string, entry: EntryContent): string {
  if (previous !== null) scratch.write(previous, 0, 'hex')
  // The same for all entries of a transfer.
  if (digest !== writtenDigest) {
    scratch.write(digest, hashBytes, 'hex')
    writtenDigest = digest
  }
  let end = 2 * hashBytes
  for (const number of [entry.account_id, entry.amount, entry.version, entry.balance_after]) {
    if (number === null) continue
    view.setInt32(end, Math.floor(number / 2 ** 32))
    view.setUint32(end + 4, number >>> 0)
    end += 8
  }
  return hash('sha256', scratch.subarray(previous === null ? hashBytes : 0, end), 'hex')
}

const hashBytes = 32
/** Room for two hashes and four numbers: a full run fills it for every entry of the books, and asks for no memory. */
const scratch = Buffer.alloc(2 * hashBytes + 4 * 8)
const view = new DataView(scratch.buffer, scratch.byteOffset, scratch.length)
let writtenDigest: string | null = null

/** Times are hashed as microseconds since 1970; Postgres counts from 2000. */
const microsecondsTo2000 = Date.UTC(2000) * 1000

const json = new JsonArray()
