import type { generateExtensionToken } from '../../schema/api/extension.ts'
import { issueToken } from '../../schema/extension/tokens.ts'
import { findOrCreateAccount } from '../auth/own-account.ts'
import { tokenGenerationFailed } from '../errors.ts'
import { orFail } from '../extension/or-fail.ts'
import type { Handler } from '../mount.ts'

export const handleGenerateExtensionToken: Handler<typeof generateExtensionToken> = ({ user_id }, deps) =>
  orFail(tokenGenerationFailed, async () => {
    await findOrCreateAccount(deps, user_id)
    const { access_token, expires_at } = await deps.db
      .transaction()
      .execute((trx) => issueToken(trx, { user_id, now: deps.now() }))
    return { access_token, expires_at: expires_at.toISOString() }
  })
