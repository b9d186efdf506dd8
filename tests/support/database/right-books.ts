import { afterAll, expect } from 'vitest'
import { verifyLedger } from '../../../schema/ledger/verify/verify.ts'
import type { TestDatabase } from './test-database.ts'

/** After the tests of this file the books have to be right. */
export function booksEndRight(database: Pick<TestDatabase, 'owner'>): void {
  afterAll(async () => expect((await verifyLedger(database.owner)).problems).toEqual([]))
}
