import { createOperatorKey } from '../../../schema/extension/operator-keys.ts'
import type { TestDatabase } from '../database/test-database.ts'

/** A key of a service of the operator, which reports usage of others. */
export function buildOperatorKey(database: TestDatabase, name = 'gateway') {
  return createOperatorKey(database.owner, { name, actor: 'cli:test', now: new Date() })
}
