import { createHash } from 'node:crypto'

/** An account's last entry before some transfer. The hash is written in hex. */
export interface Opening {
  readonly account_id: number
  readonly version: number
  readonly balance: number
  readonly hash: string
  /** All that was used from the account, above zero. */
  readonly used: number
}

/** What the transfers of a grant in a range come to. */
export interface ArchivedSum {
  readonly grant_id: string
  readonly account_id: number
  readonly gross: number
  readonly refunded: number
  readonly disputed: number
  readonly expired: number
  readonly written_off: number
  readonly adjusted: number
  readonly transfers: number
}

/**
 * SHA-256 over the latest entry of each account, in the order of their ids: what a proof of `ledger:verify`
 * keeps too.
 */
export async function digestOpenings(
  openings: Iterable<Opening> | AsyncIterable<Opening>,
): Promise<{ readonly accounts: number; readonly digest: Buffer }> {
  const digest = createHash('sha256')
  let accounts = 0
  for await (const { account_id, version, balance, hash } of openings) {
    digest.update(`${account_id} ${version} ${balance} ${hash}\n`)
    accounts++
  }
  return { accounts, digest: digest.digest() }
}

/**
 * SHA-256 over what the database keeps of a range: the openings at its end of the accounts that have entries
 * in it, in the order of their ids, and the sums of grants, in the order of theirs (by code points).
 */
export async function digestKept(kept: {
  readonly openings: Iterable<Opening> | AsyncIterable<Opening>
  readonly sums: Iterable<ArchivedSum> | AsyncIterable<ArchivedSum>
}): Promise<Buffer> {
  const digest = createHash('sha256')
  for await (const { account_id, version, balance, hash, used } of kept.openings) {
    digest.update(`opening ${account_id} ${version} ${balance} ${hash} ${used}\n`)
  }
  for await (const sum of kept.sums) {
    const { grant_id, account_id, gross, refunded, disputed, expired, written_off, adjusted, transfers } = sum
    const amounts = [gross, refunded, disputed, expired, written_off, adjusted, transfers]
    digest.update(`grant ${grant_id} ${account_id} ${amounts.join(' ')}\n`)
  }
  return digest.digest()
}
