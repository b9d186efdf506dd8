import { issueToken } from '../../../schema/extension/tokens.ts'
import type { TestDatabase } from '../database/test-database.ts'

/** A working token of a user who has an account, without a sign-in. Ends the one that they had. */
export async function buildExtensionToken(
  database: TestDatabase,
  user_id: string,
  now = new Date(),
): Promise<string> {
  const token = await database.server.transaction().execute((trx) => issueToken(trx, { user_id, now }))
  return token.access_token
}
