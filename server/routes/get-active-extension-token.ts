import type { getActiveExtensionToken } from '../../schema/api/extension.ts'
import { findActiveToken } from '../../schema/extension/tokens.ts'
import type { Handler } from '../mount.ts'

export const handleGetActiveExtensionToken: Handler<typeof getActiveExtensionToken> = async (
  { user_id },
  deps,
) => {
  const token = await findActiveToken(deps.db, { user_id, now: deps.now() })
  return {
    hasActive: token !== undefined,
    created_at: token?.created_at.toISOString() ?? null,
    expires_at: token?.expires_at.toISOString() ?? null,
    last_used_at: token?.last_used_at?.toISOString() ?? null,
  }
}
