import { hash } from 'node:crypto'
import { entryHash } from '../verify/hash.ts'
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
 * Follows the chains of a range from the openings before it to its end, from rows alone: every hash, sum, balance and version. What it comes to is
 * compared with the manifest by the caller.
 */
export class MonthsProof {
  transfers = 0
  entries = 0
  reports = 0
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
      is_early: false,
    })
  }

  /** Both in the order of the transfers' ids, which are `first <= id < end`. */
  async read(
    rows: {
      readonly transfers: AsyncIterable<Row>
      readonly entries: AsyncIterable<Row>
      readonly reports: AsyncIterable<Row>
    },
    range: { readonly first: number; readonly end: number },
  ): Promise<void> {
    const entries = byTransfer(rows.entries)
    const reports = byTransfer(rows.reports)
    let next = await entries.next()
    let nextReports = await reports.next()
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
      const own = isNext && !next.done ? next.value.rows.map(entryOf) : []
      this.#follow(transfer, own)
      if (textOf(transfer, 'idempotency_key').startsWith('usage_sums/')) {
        const isSum = !nextReports.done && nextReports.value.transfer_id === id
        this.#checkSum(transfer, own, isSum && !nextReports.done ? nextReports.value.rows : [])
        if (isSum) nextReports = await reports.next()
      }
      if (isNext) next = await entries.next()
    }
    for (; !next.done; next = await entries.next()) {
      this.#problem(`entries of transfer ${next.value.transfer_id} have no transfer`)
    }
    for (; !nextReports.done; nextReports = await reports.next()) {
      this.#problem(`reports of transfer ${nextReports.value.transfer_id} are of no sum`)
    }
  }

  /** Usage that was summed: its input is all of its reports. */
  #checkSum(transfer: Row, entries: readonly Entry[], reports: readonly Row[]): void {
    const name = `the sum ${textOf(transfer, 'id')}`
    this.reports += reports.length
    const credits = reports.reduce((total, report) => total + numberOf(report, 'credits'), 0)
    const used = entries.reduce((total, { version, amount }) => total - (version === null ? 0 : amount), 0)
    if (credits !== used) this.#problem(`${name} is not that of its reports`)
    if (hash('sha256', reports.map(printReport).join(''), 'hex') !== hexOf(transfer, 'input_hash')) {
      this.#problem(`${name} was made of other reports`)
    }
  }

  #follow(row: Row, entries: readonly Entry[]): void {
    const id = numberOf(row, 'id')
    const format = numberOf(row, 'format')
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
    const before = format === 1 ? owners : owners.slice(-1)
    for (const entry of entries.filter(({ version }) => version === null)) {
      const possible = before.length > 0 ? before.map(({ hash }) => hash) : [null]
      if (!possible.some((previous) => entryHash(previous, digest, entry) === entry.hash)) {
        this.#problem(`the house's entry of transfer ${id} has another hash`)
      }
    }
    if (grantId !== null) this.#add(grantId, { id, kind, format, owners })
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
      used: (previous?.used ?? 0) - (kind === 'usage' ? amount : 0),
    })
  }

  #add(
    grantId: string,
    transfer: {
      readonly id: number
      readonly kind: string
      readonly format: number
      readonly owners: readonly Entry[]
    },
  ): void {
    const sum = this.#sums.get(grantId)
    const isElsewhere = transfer.owners.some(({ account_id }) => account_id !== sum?.account_id)
    if (!sum || (isElsewhere && transfer.kind !== 'settlement')) {
      this.#problem(`transfer ${transfer.id} moves credits of another account than its grant's`)
      return
    }
    const amount = transfer.owners.find(({ account_id }) => account_id === sum.account_id)?.amount ?? 0
    sum.transfers++
    sum.is_early ||= transfer.format === 1
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
      default:
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

/** SHA-256 of what a transfer says, as Postgres prints a JSON array. Format 1 is from before there were grants. */
function digestTransfer(row: Row): string {
  const format = numberOf(row, 'format')
  const named = [textOf(row, 'idempotency_key'), textOf(row, 'kind')]
  const fields = [
    ...(format === 1 ? named : [format, ...named, row.get('grant_id')]),
    hexOf(row, 'input_hash'),
    microsecondsOf(row, 'occurred_at'),
    microsecondsOf(row, 'posted_at'),
    row.get('intent_id'),
    row.get('event_id'),
    textOf(row, 'actor'),
    textOf(row, 'reason'),
  ]
  return hash('sha256', `[${fields.map((field) => JSON.stringify(field ?? null)).join(', ')}]`, 'hex')
}

/** As Postgres prints a JSON array. */
function printReport(report: Row): string {
  const fields = [
    numberOf(report, 'ordinal'),
    textOf(report, 'idempotency_key'),
    numberOf(report, 'credits'),
    microsecondsOf(report, 'occurred_at'),
    microsecondsOf(report, 'reported_at'),
    textOf(report, 'actor'),
    textOf(report, 'reason'),
  ]
  return `[${fields.map((field) => JSON.stringify(field)).join(', ')}]\n`
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
