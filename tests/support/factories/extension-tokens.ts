import type { Database } from '../../../schema/database/connect.ts'
import {
  generateToken,
  type IssuedToken,
  issueEditorToken,
  type SignedInEditor,
} from '../../../schema/extension/tokens.ts'
import type { TestDatabase } from '../database/test-database.ts'

/** A working token of a user who has an account, as if they had generated it. Ends the one before. */
export async function buildExtensionToken(
  database: TestDatabase,
  user_id: string,
  now = new Date(),
): Promise<string> {
  const token = await database.server.transaction().execute((trx) => generateToken(trx, { user_id, now }))
  return token.access_token
}

/** An editor of a user who has an account, without a sign-in; null when they have ten. */
export function buildSignedInEditor(
  db: Database,
  { now = new Date(), ...editor }: SignedInEditor & { readonly user_id: string; readonly now?: Date },
): Promise<IssuedToken | null> {
  return db.transaction().execute((trx) => issueEditorToken(trx, { ...editor, now }))
}
