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
  payer = 'personal',
): Promise<string> {
  const made = { user_id, now, payer }
  const token = await database.server.transaction().execute((trx) => generateToken(trx, made))
  return token.access_token
}

/** An editor of a user who has an account, without a sign-in; null when they have ten. */
export function buildSignedInEditor(
  db: Database,
  {
    now = new Date(),
    payer = 'personal',
    ...editor
  }: Omit<SignedInEditor, 'payer'> & {
    readonly user_id: string
    readonly now?: Date
    readonly payer?: string
  },
): Promise<IssuedToken | null> {
  return db.transaction().execute((trx) => issueEditorToken(trx, { ...editor, now, payer }))
}
