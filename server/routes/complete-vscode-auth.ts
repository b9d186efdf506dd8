import type { completeVscodeAuth } from '../../schema/api/extension-auth.ts'
import { completeSignIn } from '../../schema/extension/sign-ins.ts'
import { findOrCreateAccount, requireOwnId } from '../auth/own-account.ts'
import { signInCompletionFailed } from '../errors.ts'
import { orFail } from '../extension/or-fail.ts'
import { signInRefusal } from '../extension/sign-in-refusal.ts'
import type { Handler } from '../mount.ts'

export const handleCompleteVscodeAuth: Handler<typeof completeVscodeAuth> = ({ body, user_id }, deps) =>
  orFail(signInCompletionFailed, async () => {
    requireOwnId(body.clerk_user_id, { user_id })
    await findOrCreateAccount(deps, user_id)
    const { state, redirect_uri } = body
    const outcome = await completeSignIn(deps.db, { state, redirect_uri, user_id, now: deps.now() })
    if (outcome !== 'completed') throw signInRefusal(outcome)
    return { success: true }
  })
