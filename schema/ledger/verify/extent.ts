import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { archivedEnd } from './archives.ts'
import type { Range } from './reader.ts'

/** Of what many ledgers have nothing: asked once, so that nobody looks for it in several places. */
interface Parts {
  /** Where the months end that left the ledger: the first id after them. Zero while none have. */
  readonly archived_end: number
  /** Or what is kept of some. */
  readonly has_archives: boolean
  /** Or sums that should have some. */
  readonly has_reports: boolean
}

export async function findParts(trx: DatabaseTransaction): Promise<Parts> {
  const { rows } = await sql<Parts>`
    SELECT ${archivedEnd} AS archived_end,
      EXISTS (SELECT FROM ledger_archives) OR EXISTS (SELECT FROM ledger_openings) AS has_archives,
      EXISTS (SELECT FROM ledger_reports) OR EXISTS (SELECT FROM ledger_owners WHERE unposted_since IS NOT NULL) AS has_reports`.execute(
    trx,
  )
  const [parts] = rows
  if (!parts) throw new Error('Postgres did not answer')
  return parts
}

export async function countTransfers(trx: DatabaseTransaction, { after, upTo }: Range): Promise<number> {
  const { count } = await trx
    .selectFrom('ledger_transfers')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .executeTakeFirstOrThrow()
  return count
}
