import { randomUUID } from 'node:crypto'
import type { Database } from '../../../schema/database/connect.ts'
import { ensureUser, findUser } from '../../../schema/people/users/users.ts'
import type { TestProduct } from '../product/start-test-product.ts'
import { type Person, signUp } from '../services/clerk.ts'

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

/** A person who is signed in and has an account. */
export async function buildAccount(
  { clerk, database }: Pick<TestProduct, 'clerk' | 'database'>,
  profile?: Parameters<typeof signUp>[1],
): Promise<Person> {
  const person = await signUp(clerk, profile)
  await buildUser(database.server, person.user_id)
  return person
}

export async function readPlanType(
  db: Database,
  { user_id }: { readonly user_id: string },
): Promise<string | undefined> {
  return (await findUser(db, user_id))?.plan_type
}
