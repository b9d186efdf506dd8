import { randomUUID } from 'node:crypto'
import type { Database } from '../../../schema/database/connect.ts'
import { ensureUser, findUser } from '../../../schema/people/users/users.ts'

/** A user with an account; returns their id. */
export async function buildUser(db: Database, clerkId = `user_${randomUUID().slice(0, 8)}`): Promise<string> {
  await ensureUser(db, {
    clerk_id: clerkId,
    email: `${clerkId}@tidemark.test`,
    first_name: 'Ada',
    last_name: null,
    profile_updated_at: new Date(),
  })
  return clerkId
}

export async function readPlanType(
  db: Database,
  { user_id }: { readonly user_id: string },
): Promise<string | undefined> {
  return (await findUser(db, user_id))?.plan_type
}
