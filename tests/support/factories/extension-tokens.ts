import { createToken, hashSecret } from '../../../schema/extension/secrets.ts'
import { tokenExpiry } from '../../../schema/extension/token-expiry.ts'
import type { TestDatabase } from '../database/test-database.ts'

/** A working token of a user who has an account, without a sign-in. */
export async function buildExtensionToken(
  database: TestDatabase,
  user_id: string,
  now = new Date(),
): Promise<string> {
  const token = createToken()
  await database.server
    .insertInto('extension_tokens')
    .values({
      id: crypto.randomUUID(),
      user_id,
      token_hash: hashSecret(token),
      created_at: now,
      expires_at: tokenExpiry(now),
    })
    .execute()
  return token
}
