import type { exchangeAuthCode } from '../../schema/api/extension-auth.ts'
import { exchangeSignIn } from '../../schema/extension/exchange.ts'
import { invalidGrant } from '../errors.ts'
import type { Handler } from '../mount.ts'

export const handleExchangeAuthCode: Handler<typeof exchangeAuthCode> = async ({ body, trace }, deps) => {
  const now = deps.now()
  const outcome = await exchangeSignIn(deps.db, { ...body, now })
  if ('refusal' in outcome) {
    // The caller is not told which part was wrong; whoever helps them can read it here.
    trace.note({ refusal: outcome.refusal })
    throw invalidGrant()
  }
  trace.note({ user_id: outcome.user_id })
  const { access_token, expires_at } = outcome.token
  return {
    access_token,
    token_type: 'Bearer',
    expires_in: Math.floor((expires_at.getTime() - now.getTime()) / 1000),
    expires_at: expires_at.toISOString(),
  }
}
