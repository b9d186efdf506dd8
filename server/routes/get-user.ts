import type { getUser } from '../../schema/api/users.ts'
import { findUser } from '../../schema/users/users.ts'
import { requireOwnId } from '../auth/own-account.ts'
import { userNotFound } from '../errors.ts'
import type { Handler } from '../mount.ts'
import { presentUser } from '../presenters/user.ts'

export const handleGetUser: Handler<typeof getUser> = async ({ query, user_id }, deps) => {
  requireOwnId(query.clerkId, { user_id })
  const user = await findUser(deps.db, user_id)
  if (!user) throw userNotFound()
  return { data: await presentUser(deps.db, user) }
}
