import { entryHash, transferDigest } from '../verify/hash.ts'
import { type ArchivedSum, digestKept, digestOpenings, type Opening } from './digests.ts'
import { hexOf, microsecondsOf, numberOf, type Row, textOf } from './rows.ts'

/** Sums of a grant while its transfers are read. */
type Sum = { -readonly [K in keyof ArchivedSum]: ArchivedSum[K] }

interface Entry {
  readonly account_id: number
  readonly amount: number
  readonly version: number | null
  readonly balance_after: number | null
  readonly owner_id: string
  readonly hash: string
}

/**
 * Follows the chains of a range from the openings before it to its end, from rows alone: every hash, sum,
 * balance and version. What it comes to is compared with the manifest by the caller.
 */
export class MonthsProof {
  transfers = 0
  entries = 0
  /** The latest entry of each account so far, and what was used from it. */
  readonly #openings: Map<number, Opening>
  readonly #changed = new Set<number>()
  /** What the manifest's file says of each grant's account, and what its transfers come to. */
  readonly #sums = new Map<string, Sum>()
  readonly #problem: (what: string) => void
  #last = 0

  constructor(openings: Map<number, Opening>, problem: (what: string) => void) {
    this.#openings = openings
    this.#problem = problem
  }

  /** The account that a grant is of. */
  expectGrant(row: Row): void {
    this.#sums.set(textOf(row, 'grant_id'), {
      grant_id: textOf(row, 'grant_id'),
      account_id: numberOf(row, 'account_id'),
      gross: 0,
      refunded: 0,
      disputed: 0,
      expired: 0,
      written_off: 0,
      adjusted: 0,
      transfers: 0,
    })
  }

  /** Both in the order of the transfers' ids, which are `first <= id < end`. */
  async read(
    rows: { readonly transfers: AsyncIterable<Row>; readonly entries: AsyncIterable<Row> },
    range: { readonly first: number; readonly end: number },
  ): Promise<void> {
    const entries = byTransfer(rows.entries)
    let next = await entries.next()
    for await (const transfer of rows.transfers) {
      const id = numberOf(transfer, 'id')
      while (!next.done && next.value.transfer_id < id) {
        this.#problem(`entries of transfer ${next.value.transfer_id} have no transfer`)
        next = await entries.next()
      }
      const isNext = !next.done && next.value.transfer_id === id
      if (id <= this.#last || id < range.first || id >= range.end)
        this.#problem(`transfer ${id} is not where it belongs`)
      this.#last = id
      this.#follow(transfer, isNext && !next.done ? next.value.rows.map(entryOf) : [])
      if (isNext) next = await entries.next()
    }
    for (; !next.done; next = await entries.next()) {
      this.#problem(`entries of transfer ${next.value.transfer_id} have no transfer`)
    }
  }

  #follow(row: Row, entries: readonly Entry[]): void {
    const id = numberOf(row, 'id')
    const kind = textOf(row, 'kind')
    const grantId = row.get('grant_id') ?? null
    this.transfers++
    this.entries += entries.length
    if (entries.length === 0 || entries.reduce((sum, { amount }) => sum + amount, 0) !== 0) {
      this.#problem(`the entries of transfer ${id} do not sum to zero`)
    }
    if (entries.some(({ owner_id }) => owner_id !== row.get('owner_id'))) {
      this.#problem(`transfer ${id} has an entry of another owner`)
    }
    const digest = digestTransfer(row)
    const owners = entries.filter(({ version }) => version !== null)
    for (const entry of owners) this.#followOwners(entry, digest, kind)
    const last = owners.at(-1)?.hash ?? null
    for (const entry of entries.filter(({ version }) => version === null)) {
      if (entryHash(last, digest, entry) !== entry.hash) {
        this.#problem(`the house's entry of transfer ${id} has another hash`)
      }
    }
    if (grantId !== null) this.#add(grantId, { id, kind, owners })
  }

  #followOwners(entry: Entry, digest: string, kind: string): void {
    const { account_id, amount, version, balance_after, hash } = entry
    const previous = this.#openings.get(account_id)
    const name = `account ${account_id}, version ${version}`
    if (version !== (previous?.version ?? 0) + 1)
      this.#problem(`${name} does not follow version ${previous?.version ?? 0}`)
    if (balance_after !== (previous?.balance ?? 0) + amount)
      this.#problem(`${name} has a balance that is not the sum`)
    if (entryHash(previous?.hash ?? null, digest, entry) !== hash) this.#problem(`${name} has another hash`)
    this.#changed.add(account_id)
    this.#openings.set(account_id, {
      account_id,
      version: version ?? 0,
      balance: balance_after ?? 0,
      hash,
      used: (previous?.used ?? 0) - (kind === 'usage' || kind === 'usage_moved' ? amount : 0),
    })
  }

  #add(
    grantId: string,
    transfer: {
      readonly id: number
      readonly kind: string
      readonly owners: readonly Entry[]
    },
  ): void {
    const sum = this.#sums.get(grantId)
    const amount = transfer.owners.find(({ account_id }) => account_id === sum?.account_id)?.amount
    if (!sum || amount === undefined) {
      this.#problem(`transfer ${transfer.id} moves no credits of its grant's account`)
      return
    }
    sum.transfers++
    switch (transfer.kind) {
      case 'credit_purchase':
      case 'withdrawal':
      case 'plan_grant':
      case 'seat_grant':
        sum.gross += amount
        break
      case 'refund':
        sum.refunded -= amount
        break
      case 'dispute':
      case 'dispute_won':
        sum.disputed -= amount
        break
      case 'expiry':
        sum.expired += amount
        break
      case 'write_off':
        sum.written_off += amount
        break
      case 'adjustment':
        sum.adjusted += amount
    }
  }

  /** What it all came to. */
  async finish(): Promise<{ readonly heads: Buffer; readonly kept: Buffer }> {
    const openings = [...this.#openings.values()].sort((a, b) => a.account_id - b.account_id)
    const { digest: heads } = await digestOpenings(openings)
    const kept = await digestKept({
      openings: openings.filter(({ account_id }) => this.#changed.has(account_id)),
      sums: [...this.#sums.values()].sort((a, b) => (a.grant_id < b.grant_id ? -1 : 1)),
    })
    return { heads, kept }
  }
}

function digestTransfer(row: Row): string {
  return transferDigest({
    idempotency_key: textOf(row, 'idempotency_key'),
    kind: textOf(row, 'kind'),
    grant_id: row.get('grant_id') ?? null,
    input_hash: hexOf(row, 'input_hash'),
    occurred_at_us: String(microsecondsOf(row, 'occurred_at')),
    posted_at_us: String(microsecondsOf(row, 'posted_at')),
    intent_id: row.get('intent_id') ?? null,
    event_id: row.get('event_id') ?? null,
    actor: textOf(row, 'actor'),
    reason_hash: hexOf(row, 'reason_hash'),
  })
}

function entryOf(row: Row): Entry {
  return {
    account_id: numberOf(row, 'account_id'),
    amount: numberOf(row, 'amount'),
    version: row.get('version') === null ? null : numberOf(row, 'version'),
    balance_after: row.get('balance_after') === null ? null : numberOf(row, 'balance_after'),
    owner_id: textOf(row, 'owner_id'),
    hash: hexOf(row, 'hash'),
  }
}

interface RowsOfTransfer {
  readonly transfer_id: number
  readonly rows: Row[]
}

async function* byTransfer(rows: AsyncIterable<Row>): AsyncGenerator<RowsOfTransfer, undefined> {
  let current: RowsOfTransfer | undefined
  for await (const row of rows) {
    const transfer_id = numberOf(row, 'transfer_id')
    if (current?.transfer_id !== transfer_id) {
      if (current) yield current
      current = { transfer_id, rows: [] }
    }
    current.rows.push(row)
  }
  if (current) yield current
}
