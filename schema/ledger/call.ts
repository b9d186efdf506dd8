import type { CompiledQuery, Kysely, RawBuilder } from 'kysely'
import type { DB } from '../database/types.ts'
import { ledgerError } from './errors.ts'

/**
 * Calls one of the ledger's functions. Its errors are the typed ones.
 * What is called all the time comes as text and values: building it anew would cost as much as sending it.
 */
export async function callLedger<Row>(
  db: Kysely<DB>,
  call: RawBuilder<Row> | CompiledQuery<Row>,
): Promise<Row[]> {
  try {
    const { rows } = await ('execute' in call ? call.execute(db) : db.executeQuery(call))
    return rows
  } catch (error) {
    throw ledgerError(error)
  }
}
