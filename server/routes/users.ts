import { getUser, initializeUser, processStarterSignup, type User } from '../../schema/api/users.ts'
import { chooseCurrency } from '../../schema/billing/customers/currency.ts'
import { findLiveSubscription, findLiveTeam } from '../../schema/billing/subscriptions/subscriptions.ts'
import type { Database } from '../../schema/database/connect.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { findUser, type UserRecord } from '../../schema/people/users/users.ts'
import { refreshAccount } from '../auth/account.ts'
import { refusal } from '../errors.ts'
import { accountFailure } from '../failures.ts'
import { theUser } from '../rights.ts'
import { route } from '../route.ts'

export const usersRoutes = [
  route(getUser, {
    rights: theUser(({ query }) => query.clerkId),
  }).handle(async ({ user_id }, deps) => {
    const user = await findUser(deps.db, user_id)
    if (!user) throw refusal('user_not_found')
    return { data: await presentUser(deps.db, user) }
  }),

  // Plan and e-mail address in the body are ignored: profiles come from Clerk, plans from payments.
  route(initializeUser, {
    rights: theUser(({ body }) => body.clerkUser.id),
    failure: accountFailure('Failed to initialize user', 'initialize_failed'),
  }).handle(async ({ user_id }, deps) => {
    const { user, created } = await refreshAccount(deps, user_id)
    return {
      user: await presentUser(deps.db, user),
      created,
      subscribed: await findSubscribed(deps.db, user_id),
    }
  }),

  route(processStarterSignup, {
    rights: theUser(({ body }) => body.clerkUserId),
    failure: accountFailure('Failed to process starter signup', 'starter_signup_failed'),
  }).handle(async ({ body, user_id }, deps) => {
    const { user } = await refreshAccount(deps, user_id)
    await chooseCurrency(deps.db, user_id, body.currency)
    return { message: 'Starter plan activated', data: await presentUser(deps.db, user) }
  }),
]

async function findSubscribed(db: Database, user_id: string) {
  const [own, team] = await Promise.all([findLiveSubscription(db, user_id), findLiveTeam(db, user_id)])
  return { personal: Boolean(own), team: Boolean(team), team_organization_id: team?.owner_id ?? null }
}

/** The account as its owner sees it: the row, and the balance that the ledger reports. */
async function presentUser(db: Database, user: UserRecord): Promise<User> {
  const balance = await findBalance(db, user.clerk_id)
  return {
    clerk_id: user.clerk_id,
    email: user.email,
    first_name: user.first_name,
    last_name: user.last_name,
    plan_type: user.plan_type,
    credits: balance.total,
    plan_credits: balance.plan,
    purchased_credits: balance.purchased,
    created_at: user.created_at.toISOString(),
  }
}
