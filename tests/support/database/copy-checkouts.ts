import type { TestDatabase } from './test-database.ts'

/** Copies an owner's checkouts as they were before any event, to replay events in another order. */
export async function copyCheckouts(
  from: TestDatabase,
  to: TestDatabase,
  userIds: readonly string[],
): Promise<void> {
  const users = await from.owner.selectFrom('users').selectAll().where('clerk_id', 'in', userIds).execute()
  await to.owner
    .insertInto('users')
    .values(users.map((user) => ({ ...user, plan_type: 'starter' as const })))
    .execute()
  const intents = await from.owner
    .selectFrom('checkout_intents')
    .selectAll()
    .where('user_id', 'in', userIds)
    .where('stripe_session_id', 'is not', null)
    .execute()
  await to.owner
    .insertInto('checkout_intents')
    .values(
      intents.map(({ is_unfinished: _, ...intent }) => ({
        ...intent,
        state: 'open' as const,
        settled_at: null,
        failure_reason: null,
      })),
    )
    .execute()
}
