import type { revokeExtensionToken } from '../../schema/api/extension.ts'
import { revokeTokens } from '../../schema/extension/tokens.ts'
import { tokenRevocationFailed } from '../errors.ts'
import { orFail } from '../extension/or-fail.ts'
import type { Handler } from '../mount.ts'

export const handleRevokeExtensionToken: Handler<typeof revokeExtensionToken> = ({ user_id }, deps) =>
  orFail(tokenRevocationFailed, async () => ({
    success: true,
    revoked: await revokeTokens(deps.db, { user_id, now: deps.now() }),
  }))
