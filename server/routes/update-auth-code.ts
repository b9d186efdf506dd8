import type { updateAuthCode } from '../../schema/api/extension-auth.ts'
import { bindSignIn } from '../../schema/extension/sign-ins.ts'
import { findOrCreateAccount, requireOwnId } from '../auth/own-account.ts'
import { authCodeUpdateFailed } from '../errors.ts'
import { orFail } from '../extension/or-fail.ts'
import { signInRefusal } from '../extension/sign-in-refusal.ts'
import type { Handler } from '../mount.ts'

export const handleUpdateAuthCode: Handler<typeof updateAuthCode> = ({ body, user_id }, deps) =>
  orFail(authCodeUpdateFailed, async () => {
    requireOwnId(body.clerk_user_id, { user_id })
    await findOrCreateAccount(deps, user_id)
    const bound = await bindSignIn(deps.db, { state: body.state, user_id, now: deps.now() })
    if (typeof bound === 'string') throw signInRefusal(bound)
    return { success: true, authorization_code: bound.code, redirect_uri: bound.redirect_uri }
  })
