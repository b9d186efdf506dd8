import type { TestDatabase } from '../database/test-database.ts'
import { buildExtensionToken } from './extension-tokens.ts'
import { buildSeat } from './seats.ts'
import { giveCredits } from './transfers.ts'
import { buildUser } from './users.ts'

/** A person with the token of an editor. */
export interface Editor {
  readonly user_id: string
  readonly token: string
}

export async function buildEditor(
  database: TestDatabase,
  credits: { readonly plan?: number; readonly purchased?: number } = {},
): Promise<Editor> {
  const user_id = await buildUser(database.server)
  await giveCredits(database, user_id, credits)
  return { user_id, token: await buildExtensionToken(database, user_id) }
}

/** One with a seat of an organization. */
export async function buildMemberEditor(
  database: TestDatabase,
  organization_id: string,
  role: 'admin' | 'member' = 'member',
): Promise<Editor> {
  const one = await buildEditor(database)
  await buildSeat(database, { organization_id, user_id: one.user_id, role })
  return one
}
