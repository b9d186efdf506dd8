import type { Kysely, RawBuilder } from 'kysely'
import type { DB } from '../database/types.ts'
import { ledgerError } from './errors.ts'

/** Calls one of the ledger's functions. Every call goes through here, so that its errors are the typed ones. */
export async function callLedger<Row>(db: Kysely<DB>, call: RawBuilder<Row>): Promise<Row[]> {
  try {
    return (await call.execute(db)).rows
  } catch (error) {
    throw ledgerError(error)
  }
}
