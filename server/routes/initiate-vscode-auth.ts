import type { initiateVscodeAuth } from '../../schema/api/extension-auth.ts'
import { signInLifetimeMs, startSignIn } from '../../schema/extension/sign-ins.ts'
import { signInStartFailed, signInUsed } from '../errors.ts'
import { orFail } from '../extension/or-fail.ts'
import type { Handler } from '../mount.ts'

export const handleInitiateVscodeAuth: Handler<typeof initiateVscodeAuth> = ({ body }, deps) =>
  orFail(signInStartFailed, async () => {
    const { state, redirect_uri, code_challenge } = body
    const isNew = await startSignIn(deps.db, { state, redirect_uri, code_challenge, now: deps.now() })
    if (!isNew) throw signInUsed()
    const query = new URLSearchParams({ state, vscode_redirect_uri: redirect_uri })
    return {
      success: true,
      auth_url: `${deps.settings.app_url}/auth/vscode-callback?${query}`,
      expires_in: signInLifetimeMs / 1000,
    }
  })
